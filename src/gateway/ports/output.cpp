#include "gateway/ports/output.hpp"

#include <cassert>

namespace gantry::gateway {

Output make_output(std::string_view result, mcp::Revision revision) {
    std::string text = R"({"jsonrpc":"2.0","id":0,"result":)";
    text.append(result).append("}");
    auto message = mcp::RawMessage::read(std::move(text));
    assert(message && "a result made here is valid JSON");
    Output output;
    output.message = *std::move(message);
    output.revision = revision;
    return output;
}

}  // namespace gantry::gateway
