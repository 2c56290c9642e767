#pragma once

#include <string>
#include <string_view>

#include "app/clients/programs.hpp"

namespace gantry::app {

/// How another program reaches Gantry.
struct Door {
    /// The name of the entry in that program's file.
    std::string name = "gantry";
    /// Where `gantry serve` listens…
    std::string url = {};
    /// …or what starts `gantry stdio`, when there is no URL.
    std::string program = {};
    std::string config = {};
};

/// The entry in that program's format: JSON, YAML or TOML.
std::string entry_text(const ClientProgram& program, const Door& door);

/// The program's file with that entry added and everything else unchanged. Verified by parsing the result again.
Result<std::string> with_entry(std::string_view text, const ClientProgram& program, const Door& door);

/// The program's file without the server `name` and everything else unchanged; verified like with_entry(). kNotFound:
/// there is no such server; kUnsupported: the layout cannot be edited safely.
Result<std::string> without_entry(std::string_view text, const ClientProgram& program, const std::string& name);

}  // namespace gantry::app
