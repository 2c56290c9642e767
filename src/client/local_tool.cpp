#include "gantry/local_tool.hpp"

#include "client/runtime.hpp"

namespace gantry::detail {

Pending<mcp::CallToolResult> run_locally(std::function<Result<mcp::CallToolResult>()> body) {
    Runtime& runtime = Runtime::shared();
    return runtime.start<mcp::CallToolResult>(
        [&runtime, body = std::move(body)](Context ctx) { return runtime.offload<mcp::CallToolResult>(ctx, body); });
}

mcp::CallToolResult result_of(Json value) {
    mcp::CallToolResult result;
    result.content.push_back(mcp::TextContent{.text = value.dump()});
    result.structured_content = std::move(value);
    return result;
}

}  // namespace gantry::detail
