#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace gantry {

/// The texts by which `value` can be recognized: itself, JSON-escaped once and twice, percent-encoded in both cases,
/// and the inner part of its base64 (both alphabets) at each of the three alignments. Insignificantly short ones are
/// omitted.
std::vector<std::string> forms_of(std::string_view value);

}  // namespace gantry
