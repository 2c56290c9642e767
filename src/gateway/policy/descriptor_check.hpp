#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gantry::gateway {

/// Suspicious properties of a tool's definition: the model reads text that a person never sees.
enum class DescriptorFlag : std::uint8_t {
    kHiddenCharacters,  ///< zero width, bidirectional controls, tags: invisible text where no script needs it
    kInstructions,      ///< addresses the model about anything but the tool
};
/// "hidden characters", "instruction-like text".
std::string_view to_string(DescriptorFlag flag) noexcept;

/// `text` is a definition as JSON, or any text of one. Reports each flag once, in the order of the enumeration. A hint
/// for a reviewer, not a verdict: a determined attacker can phrase it differently.
std::vector<DescriptorFlag> check_descriptor(std::string_view text);

/// Whether a code point is invisible and changes how others are read or displayed.
bool is_hidden(char32_t code_point) noexcept;

}  // namespace gantry::gateway
