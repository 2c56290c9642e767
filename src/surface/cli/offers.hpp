#pragma once

#include <string>
#include <vector>

#include "surface/cli/extra_command.hpp"

namespace gantry::cli {

/// A word that may stand where the cursor is.
struct Offer {
    std::string word;
    std::string help;  // one line; may be empty
};

/// What a shell may offer for the word being typed. Neither words nor names: a file, or another program's word.
struct Offers {
    std::vector<Offer> words;
    /// Names of the running gateway to offer as well: "servers", "tools" or nothing.
    std::string names;
    /// Stands before each name, e.g. "--server=".
    std::string name_prefix;
    /// The gateway that the line names so far; empty and 0: the user's.
    std::string state_dir;
    int pid = 0;
};

/// Offers for the last of `words`, which follow the program's name and may be unfinished or wrong. They are not
/// filtered by what is typed already: shells do that, each in its own way. Also takes `--option=value` as bash cuts it,
/// in three.
Offers offers_for(const std::vector<std::string>& words, ExtraCommands extras = {});

}  // namespace gantry::cli
