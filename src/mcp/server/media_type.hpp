#pragma once

#include <string_view>

namespace gantry::mcp {

/// Whether a Content-Type is JSON: application/json with any parameters, case-insensitive.
bool is_json_type(std::string_view content_type) noexcept;

/// Whether an Accept field admits a type such as "text/event-stream": by name, "text/*" or "*/*", unless q=0. An empty
/// field admits everything.
bool accepts(std::string_view accept, std::string_view type) noexcept;

}  // namespace gantry::mcp
