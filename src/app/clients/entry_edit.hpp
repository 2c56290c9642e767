#pragma once

#include <string>
#include <string_view>

#include "app/clients/programs.hpp"

namespace gantry::app {

/// How another program reaches Gantry.
struct Door {
    /// What the entry is called there.
    std::string name = "gantry";
    /// Where `gantry serve` listens…
    std::string url = {};
    /// …or what starts `gantry stdio`, when there is no URL.
    std::string program = {};
    std::string config = {};
};

/// The entry as that program spells it: JSON, YAML or TOML.
std::string entry_text(const ClientProgram& program, const Door& door);

/// The program's file with that entry in it and all else as it was. The result has been read again and compared.
Result<std::string> with_entry(std::string_view text, const ClientProgram& program, const Door& door);

/// The program's file without the server `name` and all else as it was; read again and compared like with_entry().
/// kNotFound: there is no such server; kUnsupported: the layout cannot be edited safely.
Result<std::string> without_entry(std::string_view text, const ClientProgram& program, const std::string& name);

}  // namespace gantry::app
