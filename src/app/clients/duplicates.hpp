#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "app/clients/programs.hpp"
#include "gateway/model/source_spec.hpp"

namespace gantry::app {

/// The servers in a program's file that `servers` has too: the same program with the same arguments, or the same URL,
/// whatever they are called. Entries that point at Gantry itself are not among them. Empty for a text that cannot be
/// read.
std::vector<std::string> served_twice(std::string_view text, const ClientProgram& program,
                                      const std::vector<gateway::McpServerSpec>& servers);

}  // namespace gantry::app
