#pragma once

#include <functional>
#include <span>

#include "gantry/error.hpp"
#include "gantry/json.hpp"
#include "mcp/protocol/message.hpp"

// The headers a modern HTTP request mirrors from its body, so that intermediaries need not parse it.

namespace gantry::mcp {

namespace header {
inline constexpr std::string_view kProtocolVersion = "MCP-Protocol-Version";
inline constexpr std::string_view kMethod = "Mcp-Method";
inline constexpr std::string_view kName = "Mcp-Name";
inline constexpr std::string_view kParamPrefix = "Mcp-Param-";
inline constexpr std::string_view kSessionId = "Mcp-Session-Id";
inline constexpr std::string_view kLastEventId = "Last-Event-ID";
/// Not of MCP: meta_key::kCorrelationId, for components that do not read bodies.
inline constexpr std::string_view kCorrelationId = "X-Correlation-Id";
}  // namespace header

using HeaderList = std::vector<std::pair<std::string, std::string>>;

/// Plain safe ASCII is unchanged; anything else, the empty string and text that looks like the encoding itself
/// become `=?base64?…?=`.
std::string encode_header_value(std::string_view text);
/// The inverse, after trimming optional whitespace. Fails on bad base64, padding or UTF-8 inside the markers, and on
/// bytes outside them that must not be sent unencoded.
Result<std::string> decode_header_value(std::string_view field);

/// One property of a tool's arguments that must be sent as a header.
struct HeaderParam {
    std::string header = {};             ///< "Mcp-Param-Region"
    std::vector<std::string> path = {};  ///< property names from the root of the arguments
    enum class Type : std::uint8_t { kString, kInteger, kBoolean } type = Type::kString;

    bool operator==(const HeaderParam&) const = default;
};

/// The properties an input schema marks with x-mcp-header. A kSchema error names the rule the schema violates; over
/// HTTP such a tool must be omitted from the list.
Result<std::vector<HeaderParam>> header_params(const Json& input_schema);

/// The Mcp-Param-* headers for a call. Absent and null values have none. Fails with kInvalidArgument if a
/// value cannot be a header: an array or object, a fraction, an integer beyond ±(2^53-1).
Result<HeaderList> param_headers(std::span<const HeaderParam> params, const JsonObject& arguments);

/// Mcp-Method and, if the method has one, Mcp-Name.
HeaderList routing_headers(std::string_view method, const Json& params, Revision revision);

/// The value of a header of the received request, or null.
using HeaderLookup = std::function<const std::string*(std::string_view name)>;

/// A server's check that headers and body agree. The error's text is the message of -32020.
Result<void> check_routing_headers(const HeaderLookup& lookup, std::string_view method, const Json& params,
                                   Revision revision);
Result<void> check_param_headers(const HeaderLookup& lookup, std::span<const HeaderParam> params,
                                 const JsonObject& arguments);

}  // namespace gantry::mcp
