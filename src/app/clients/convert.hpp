#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "app/clients/programs.hpp"
#include "gateway/model/source_spec.hpp"

namespace gantry::app {

/// Servers of other programs as ours, and what has to be said about them.
struct Converted {
    std::vector<gateway::McpServerSpec> servers = {};
    /// What stood there in clear and looks like a credential: by the name that now stands in its place.
    std::map<std::string, std::string> secrets = {};
    /// Names that are referred to and that nobody has given a value yet.
    std::vector<std::string> wanted = {};
    /// One line each: what was left out, renamed or cannot be taken over. No values.
    std::vector<std::string> notes = {};
};

/// Adds the servers of one file. A server that is there already, however it is called, is added once.
void convert(const ForeignFile& file, Converted& into);

}  // namespace gantry::app
