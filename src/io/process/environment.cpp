#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string>
#include <string_view>

#include "io/process/process.hpp"
#include "io/process/spawn.hpp"

extern char** environ;

namespace gantry::process {
namespace {

bool passed_on(std::string_view name) {
    constexpr std::string_view kNames[] = {"PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "TERM", "TMPDIR", "TZ"};
    return std::ranges::find(kNames, name) != std::end(kNames) || names_certificates(name) || name.starts_with("LC_");
}

std::string_view path_of(const Command& command) {
    for (const auto& [name, value] : command.env)
        if (name == "PATH") return value;
    return "/usr/local/bin:/usr/bin:/bin";
}

}  // namespace

bool names_certificates(std::string_view variable) noexcept {
    constexpr std::string_view kNames[] = {"SSL_CERT_FILE", "SSL_CERT_DIR", "NODE_EXTRA_CA_CERTS", "REQUESTS_CA_BUNDLE",
                                           "CURL_CA_BUNDLE"};
    return std::ranges::find(kNames, variable) != std::end(kNames);
}

Environment default_environment() {
    Environment result;
    for (char** entry = environ; entry && *entry; ++entry) {
        const std::string_view text = *entry;
        const std::size_t equals = text.find('=');
        if (equals == std::string_view::npos || !passed_on(text.substr(0, equals))) continue;
        // Shells export functions as values with this prefix.
        if (text.substr(equals + 1).starts_with("()")) continue;
        result.emplace_back(text.substr(0, equals), text.substr(equals + 1));
    }
    return result;
}

void set_variable(Environment& environment, std::string_view name, std::string value) {
    std::erase_if(environment, [&](const auto& entry) { return entry.first == name; });
    environment.emplace_back(name, std::move(value));
}

Result<std::string> find_program(const Command& command) {
    if (command.program.find('/') != std::string::npos) return command.program;
    bool forbidden = false;
    for (std::string_view rest = path_of(command); !rest.empty();) {
        const std::size_t colon = rest.find(':');
        const std::string_view folder = rest.substr(0, colon);
        rest = colon == std::string_view::npos ? std::string_view() : rest.substr(colon + 1);
        if (!folder.starts_with('/')) continue;
        std::string file = std::string(folder) + '/' + command.program;
        struct stat info{};
        if (stat(file.c_str(), &info) != 0 || !S_ISREG(info.st_mode)) continue;
        if (access(file.c_str(), X_OK) == 0) return file;
        forbidden = true;
    }
    if (forbidden) return fail(ErrorCode::kConnection, "cannot run '" + command.program + "': Permission denied");
    return fail(ErrorCode::kNotFound, "cannot run '" + command.program + "': not found in the child's PATH");
}

}  // namespace gantry::process
