#include "app/clients/duplicates.hpp"

#include <algorithm>

#include "app/clients/convert.hpp"

namespace gantry::app {
namespace {

bool same_server(const gateway::McpServerSpec& a, const gateway::McpServerSpec& b) {
    if (a.is_child() != b.is_child()) return false;
    return a.is_child() ? a.command == b.command && a.args == b.args : a.url == b.url;
}

}  // namespace

std::vector<std::string> served_twice(std::string_view text, const ClientProgram& program,
                                      const std::vector<gateway::McpServerSpec>& servers) {
    std::vector<std::string> names;
    const auto file = read_foreign_text(text, program.format, &program);
    if (!file) return names;
    for (const auto& [name, entry] : file->servers) {
        // Converted separately, so that a server that is present twice is counted twice.
        Converted converted;
        convert(ForeignFile{.program = &program, .servers = JsonObject{{name, entry}}}, converted);
        const bool served = std::ranges::any_of(converted.servers, [&](const gateway::McpServerSpec& theirs) {
            return std::ranges::any_of(servers, [&](const auto& ours) { return same_server(ours, theirs); });
        });
        if (served) names.push_back(name);
    }
    return names;
}

}  // namespace gantry::app
