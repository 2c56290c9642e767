#include "gantry/client.hpp"

namespace gantry {

Tool::Tool(std::string name, mcp::Tool definition, Run run)
    : name_(std::move(name)), definition_(std::move(definition)), run_(std::move(run)) {}

const std::string& Tool::description() const noexcept {
    static const std::string none;
    return definition_.description ? *definition_.description : none;
}

Result<mcp::CallToolResult> Tool::call(JsonObject arguments, CallOptions options) const {
    return call_async(std::move(arguments), std::move(options)).get();
}

Pending<mcp::CallToolResult> Tool::call_async(JsonObject arguments, CallOptions options) const {
    return run_(std::move(arguments), std::move(options));
}

}  // namespace gantry
