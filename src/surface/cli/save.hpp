#pragma once

#include <string>
#include <vector>

#include "gantry/client.hpp"

namespace gantry::cli {

/// The images, audio and binary resources of a tool's result, as bytes in their order. kParse when one of them is not
/// the base64 it claims to be.
Result<std::vector<std::string>> binary_parts(const mcp::CallToolResult& result);
/// The contents of a resource, text included.
Result<std::vector<std::string>> parts_of(const mcp::ReadResourceResult& result);

/// Writes the parts to `file`, then `file` with -2, -3, … before its extension; returns the names. kInternal when a
/// file cannot be written, kNotFound when there are no parts.
Result<std::vector<std::string>> save_parts(const std::vector<std::string>& parts, const std::string& file);

/// Standard base64 with its padding; empty optional when it is not.
std::optional<std::string> from_base64(std::string_view text);

}  // namespace gantry::cli
