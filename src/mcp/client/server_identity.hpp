#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace gantry::mcp {

// What a server is known by where that may end up in a file (Route::identity). Digests, because arguments and query
// strings may be secret.

std::string stdio_identity(std::string_view folder, std::string_view command, const std::vector<std::string>& args);
std::string http_identity(std::string_view url);

}  // namespace gantry::mcp
