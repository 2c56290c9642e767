#include "support/paths.hpp"

namespace gantry::test_support {

std::string source_path(std::string_view below) {
    return std::string(GANTRY_SOURCE_DIR "/").append(below);
}

std::string built_path(std::string_view below) {
    return std::string(GANTRY_BINARY_DIR "/").append(below);
}

}  // namespace gantry::test_support
