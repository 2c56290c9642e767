// ConnectOptions::tool_filter, in lists and before calls.

#include <algorithm>

#include "base/try.hpp"
#include "client/impl.hpp"

namespace gantry {

ToolFilter only_tools(std::vector<std::string> names) {
    std::ranges::sort(names);
    return [names = std::move(names)](const mcp::Tool& tool) { return std::ranges::binary_search(names, tool.name); };
}

bool Client::Impl::admits(const mcp::Tool& tool) const {
    if (!filter_) return true;
    try {
        return filter_(tool);
    } catch (...) {
        return false;
    }
}

Task<Result<void>> Client::Impl::check_filter(Context ctx, std::string tool) {
    if (!filter_) co_return Result<void>();
    GANTRY_CO_TRY(const mcp::ToolDefinition definition, co_await mcp_->find_tool(ctx, tool));
    mcp::Tool unlisted;
    unlisted.name = tool;
    if (admits(definition ? *definition : unlisted)) co_return Result<void>();
    co_return fail(Error(ErrorCode::kDenied, "the client's tool filter refuses tool '" + tool + "'").on_tool(tool));
}

}  // namespace gantry
