#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/json/incremental.hpp"
#include "gantry/error.hpp"

namespace gantry::json {

/// Whether a reader rejected a text because of a lone surrogate, such as "\ud83d" of a truncated emoji.
bool is_lone_surrogate(const Error& error) noexcept;

/// Replaces every escaped lone surrogate by \ufffd, which has the same length. Returns whether there was one.
bool replace_lone_surrogates(std::string& text);

/// The same for a text streamed through a scanner that tolerates lone surrogates. Holds back what the scanner cannot
/// judge yet: at most eleven bytes, an incomplete pair of escapes.
class SurrogateFilter {
public:
    /// The bytes that may be forwarded after `scanner` was fed `piece`: a part of it, or a copy that is valid until the
    /// next call. They begin at offset() of the text.
    std::string_view pass(std::string_view piece, IncrementalScanner& scanner);
    /// Offset of the result of the last pass().
    std::size_t offset() const noexcept { return offset_; }
    /// The bytes held back.
    std::string_view held() const noexcept { return held_; }

private:
    std::string held_;  // seen, not yet forwarded
    std::string copy_;  // result of the last pass(), if it is not part of a piece
    std::size_t offset_ = 0;
    std::size_t passed_ = 0;
};

}  // namespace gantry::json
