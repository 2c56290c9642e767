#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "gantry/error.hpp"

namespace gantry::mcp {

/// The decoder's position in a document, as a linked list on the stack: free unless an error is reported.
struct Place {
    const Place* up = nullptr;
    std::string_view key;   // empty for an array element
    std::size_t index = 0;  // meaningful when key is empty and up is set

    Place member(std::string_view name) const { return {this, name, 0}; }
    Place element(std::size_t position) const { return {this, {}, position}; }
};

/// "tools[3].name"; empty at the root.
std::string to_text(const Place& place);

/// kProtocol: "tools[3].name: expected text".
std::unexpected<Error> misfit(const Place& place, std::string_view complaint);

}  // namespace gantry::mcp
