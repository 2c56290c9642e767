#pragma once

#include <string>
#include <string_view>

#include "gantry/json.hpp"

namespace gantry::app {

// Edits of the servers in a configuration text. Everything else stays byte for byte: comments, order, blank lines,
// quoting, line ends. Supports YAML in block and flow style and JSON, and servers as a list or as a map under any key
// the reader knows (`servers`, `mcpServers`, `services.mcp`, …).
//
// Every edit is verified before it is returned: the new text must parse to the old configuration with exactly this
// change. If that is not possible (because of an alias, say), the error says so and the file has to be edited by hand.

/// Appends an entry; if there are no servers yet, starts a list `servers`. kInvalidArgument: the name is taken.
Result<std::string> add_server(std::string_view text, const std::string& name, const JsonObject& settings);

/// Replaces an entry's settings; comments inside the entry are lost. kNotFound: there is no such server.
Result<std::string> replace_server(std::string_view text, const std::string& name, const JsonObject& settings);

/// Removes an entry with the comments inside it; comments above it stay. kNotFound: there is no such server.
Result<std::string> remove_server(std::string_view text, const std::string& name);

/// Sets one scalar of an entry, in place or as its last member. kNotFound: there is no such server.
Result<std::string> set_in_server(std::string_view text, const std::string& name, const std::string& key,
                                  const Json& value);

/// The settings of a server in the text; null: there is none of this name. kParse: the text cannot be parsed.
Result<Json> server_in(std::string_view text, const std::string& name);

}  // namespace gantry::app
