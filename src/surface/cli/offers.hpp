#pragma once

#include <string>
#include <vector>

#include "surface/cli/extra_command.hpp"

namespace gantry::cli {

/// A completion candidate for the word at the cursor.
struct Offer {
    std::string word;
    std::string help;  // one line; may be empty
};

/// Completion candidates for the word being typed. With neither words nor names, the word is a file or belongs to
/// another program.
struct Offers {
    std::vector<Offer> words;
    /// Names of the running gateway to offer as well: "servers", "tools" or nothing.
    std::string names;
    /// Prepended to each name, e.g. "--server=".
    std::string name_prefix;
    /// The gateway selected by the line so far; empty and 0: the user's.
    std::string state_dir;
    int pid = 0;
};

/// Candidates for the last of `words`, which follow the program's name and may be incomplete or invalid. They are not
/// filtered by the text typed so far: each shell does that in its own way. Also accepts `--option=value` split into
/// three words, as bash does it.
Offers offers_for(const std::vector<std::string>& words, ExtraCommands extras = {});

}  // namespace gantry::cli
