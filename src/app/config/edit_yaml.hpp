#pragma once

#include <string>
#include <string_view>

#include "gantry/json.hpp"

namespace gantry::app {

// Edits of the servers in a configuration text. Everything else stays as it is, byte for byte: comments, order, blank
// lines, quoting, line ends. YAML in block and flow style and JSON are understood, servers as a list or as a map under
// any key the reader knows (`servers`, `mcpServers`, `services.mcp`, …).
//
// An edit is checked before it is returned: the new text must read as the old one with exactly this change. Where that
// cannot be done (an alias in the way, say) the error says so and the file has to be edited by hand.

/// Appends an entry; where there are no servers yet, a list `servers` is begun. kInvalidArgument: the name is taken.
Result<std::string> add_server(std::string_view text, const std::string& name, const JsonObject& settings);

/// Gives an entry other settings; comments inside the entry go. kNotFound: there is no such server.
Result<std::string> replace_server(std::string_view text, const std::string& name, const JsonObject& settings);

/// Takes an entry out with the comments inside it; comments above it stay. kNotFound: there is no such server.
Result<std::string> remove_server(std::string_view text, const std::string& name);

/// Sets one scalar of an entry, in place or as its last member. kNotFound: there is no such server.
Result<std::string> set_in_server(std::string_view text, const std::string& name, const std::string& key,
                                  const Json& value);

/// What the text says about a server; null: it has none of this name. kParse: the text cannot be read.
Result<Json> server_in(std::string_view text, const std::string& name);

}  // namespace gantry::app
