#pragma once

#include <string>
#include <vector>

#include "surface/cli/extra_command.hpp"

namespace gantry::cli {

struct ManualPage {
    std::string file;  // "gantry-serve.1"
    std::string text;  // roff
};

/// One page for the program and one per visible command, generated from the description that also parses the command
/// line.
std::vector<ManualPage> manual_pages(const CLI::App& app);

/// `gantry manual DIR`, hidden from the help: writes the pages into that folder, for `make install`.
ExtraCommand manual_command();

}  // namespace gantry::cli
