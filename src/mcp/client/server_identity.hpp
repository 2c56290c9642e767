#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace gantry::mcp {

// Key of a server where it may be written to a file (Route::identity). A digest, because arguments and query strings
// may be secret.

std::string stdio_identity(std::string_view folder, std::string_view command, const std::vector<std::string>& args);
std::string http_identity(std::string_view url);

}  // namespace gantry::mcp
