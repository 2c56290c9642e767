#pragma once

#include <string>
#include <string_view>

namespace gantry::test_support {

/// A path below the source tree, and one below the build folder; `below` is relative. Functions rather than macros, so
/// that one object file depends on where the tree lies and all others can come from another clone's compiler cache.
std::string source_path(std::string_view below);
std::string built_path(std::string_view below);

}  // namespace gantry::test_support
