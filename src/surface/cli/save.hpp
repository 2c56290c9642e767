#pragma once

#include <string>
#include <vector>

#include "gantry/client.hpp"

namespace gantry::cli {

/// The decoded images, audio and binary resources of a tool's result, in order. kParse when one of them is not valid
/// base64.
Result<std::vector<std::string>> binary_parts(const mcp::CallToolResult& result);
/// The contents of a resource, text included.
Result<std::vector<std::string>> parts_of(const mcp::ReadResourceResult& result);

/// Writes the parts to `file`, then `file` with -2, -3, … before its extension; returns the names. kInternal when a
/// file cannot be written, kNotFound when there are no parts.
Result<std::vector<std::string>> save_parts(const std::vector<std::string>& parts, const std::string& file);

/// Decodes standard padded base64; empty optional when the text is not valid.
std::optional<std::string> from_base64(std::string_view text);

}  // namespace gantry::cli
