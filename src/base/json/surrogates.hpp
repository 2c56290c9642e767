#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/json/incremental.hpp"
#include "gantry/error.hpp"

namespace gantry::json {

/// Whether a reader refused a text because of a lone surrogate, such as "\ud83d" of a cut emoji.
bool is_lone_surrogate(const Error& error) noexcept;

/// Replaces every escaped lone surrogate by \ufffd, which has the same length. True if there was one.
bool replace_lone_surrogates(std::string& text);

/// The same for a text that passes in pieces through a scanner that tolerates lone surrogates. What the scanner has
/// seen but cannot judge yet, at most the eleven bytes of a pair of escapes that is not complete, is held back.
class SurrogateFilter {
public:
    /// What may be passed on after `scanner` was fed `piece`: a part of it, or a copy that is valid until the next
    /// call. Begins at offset() of the text.
    std::string_view pass(std::string_view piece, IncrementalScanner& scanner);
    /// Where the result of the last pass() began.
    std::size_t offset() const noexcept { return offset_; }
    /// What is held back.
    std::string_view held() const noexcept { return held_; }

private:
    std::string held_;  // seen, not passed on
    std::string copy_;  // what the last pass() gave, if it is no part of a piece
    std::size_t offset_ = 0;
    std::size_t passed_ = 0;
};

}  // namespace gantry::json
