#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/json/span.hpp"
#include "gantry/error.hpp"

namespace gantry::json {

/// A scanned text with some of its parts exchanged; everything else is forwarded byte for byte.
///
///     Splice splice(text);
///     splice.replace(view.id, "7");
///     splice.remove(view.in_params.in_meta.progress_token);
///     std::string forwarded = *splice.finish();
///
/// Spans must come from a scan of the same text. Changes may be named in any order.
class Splice {
public:
    explicit Splice(std::string_view text) : text_(text) {}

    /// Puts `json`, one JSON value, in the place of the span's value. No effect on an absent span.
    void replace(const Span& span, std::string_view json);
    /// Takes the whole member out, with its key and one comma. No effect on an absent span.
    void remove(const Span& span);
    /// Puts a member in front of the others of `object`, which must not have `key` yet.
    void add(const Span& object, std::string_view key, std::string_view json);

    /// Once. An error only if changes lie inside each other or a span is of another text.
    Result<std::string> finish();

private:
    /// [begin, end) gives way to what was put into held_ last.
    struct Edit {
        std::size_t begin;
        std::size_t end;
        std::size_t text = 0;  // in held_
        std::size_t text_size = 0;
        bool takes_member = false;
        bool adds_member = false;
    };

    void note(const Edit& edit);
    bool locate(std::string_view part, std::size_t& begin);
    std::size_t skip_space(std::size_t at) const noexcept;
    Result<void> settle();

    std::string_view text_;
    std::string held_;  // the new texts, one behind the other
    std::vector<Edit> edits_;
    bool foreign_ = false;
};

/// The top-level value of a text as a span, for Splice::add.
Span whole(std::string_view text) noexcept;

/// Puts spaces in the place of line ends, for framings that end at one. In a valid text they
/// can only stand between tokens.
void make_one_line(std::string& json) noexcept;

}  // namespace gantry::json
