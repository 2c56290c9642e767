#pragma once

#include <string>
#include <string_view>

namespace gantry::test_support {

/// A path below the source tree, and one below the build folder; `below` is relative. Functions rather than macros, so
/// that only one object file depends on the location of the tree, and all others can come from the compiler cache of
/// another clone.
std::string source_path(std::string_view below);
std::string built_path(std::string_view below);

}  // namespace gantry::test_support
