#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gantry::gateway {

/// What looks wrong about a tool's definition. A model reads what a person never sees.
enum class DescriptorFlag : std::uint8_t {
    kHiddenCharacters,  ///< zero width, bidirectional controls, tags: text that does not show, where no script needs it
    kInstructions,      ///< speaks to the model about anything but the tool
};
/// "hidden characters", "instruction-like text".
std::string_view to_string(DescriptorFlag flag) noexcept;

/// `text` is a definition as JSON, or any text of one. Each flag once, in the order of the enumeration. A hint for
/// people, not a verdict: whoever wants to deceive can say it in other words.
std::vector<DescriptorFlag> check_descriptor(std::string_view text);

/// Whether a code point shows nothing and changes how others are read or shown.
bool is_hidden(char32_t code_point) noexcept;

}  // namespace gantry::gateway
