#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "app/clients/programs.hpp"
#include "gateway/model/source_spec.hpp"

namespace gantry::app {

/// Servers of other programs in Gantry's form, with notes about the conversion.
struct Converted {
    std::vector<gateway::McpServerSpec> servers = {};
    /// Plain-text values that look like credentials, by the name that replaces them.
    std::map<std::string, std::string> secrets = {};
    /// Referenced names without a value.
    std::vector<std::string> wanted = {};
    /// One line each: what was dropped, renamed or cannot be converted. No values.
    std::vector<std::string> notes = {};
};

/// Adds the servers of one file. A server that is already present, under whatever name, is added once.
void convert(const ForeignFile& file, Converted& into);

}  // namespace gantry::app
