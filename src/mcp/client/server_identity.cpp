#include "mcp/client/server_identity.hpp"

#include "base/crypto/digest.hpp"
#include "base/hex.hpp"

namespace gantry::mcp {
namespace {

/// Prefixed by its length, so that different lists of parts never yield the same text.
void add_part(std::string& all, std::string_view part) {
    all.append(std::to_string(part.size())).append(":").append(part);
}

}  // namespace

std::string stdio_identity(std::string_view folder, std::string_view command, const std::vector<std::string>& args) {
    std::string all;
    add_part(all, folder);
    add_part(all, command);
    for (const std::string& arg : args) add_part(all, arg);
    return "stdio " + to_hex(crypto::sha256(all));
}

std::string http_identity(std::string_view url) {
    std::string all;
    add_part(all, url);
    return "http " + to_hex(crypto::sha256(all));
}

}  // namespace gantry::mcp
