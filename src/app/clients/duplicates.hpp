#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "app/clients/programs.hpp"
#include "gateway/model/source_spec.hpp"

namespace gantry::app {

/// The servers in a program's file that are also in `servers`: the same program with the same arguments, or the same
/// URL, under whatever name. Entries that point at Gantry itself are excluded. Empty for a text that cannot be parsed.
std::vector<std::string> served_twice(std::string_view text, const ClientProgram& program,
                                      const std::vector<gateway::McpServerSpec>& servers);

}  // namespace gantry::app
