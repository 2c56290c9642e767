#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/json/span.hpp"
#include "gantry/error.hpp"

namespace gantry::json {

/// A scanned text with some of its parts replaced; everything else is forwarded byte for byte.
///
///     Splice splice(text);
///     splice.replace(view.id, "7");
///     splice.remove(view.in_params.in_meta.progress_token);
///     std::string forwarded = *splice.finish();
///
/// Spans must come from a scan of the same text. Changes may be made in any order.
class Splice {
public:
    explicit Splice(std::string_view text) : text_(text) {}

    /// Replaces the span's value by `json`, one JSON value. No effect on an absent span.
    void replace(const Span& span, std::string_view json);
    /// Removes the whole member, with its key and one comma. No effect on an absent span.
    void remove(const Span& span);
    /// Inserts a member before the others of `object`, which must not have `key` yet.
    void add(const Span& object, std::string_view key, std::string_view json);

    /// May be called once. Fails only if changes overlap or a span is of another text.
    Result<std::string> finish();

private:
    /// [begin, end) is replaced by the text last added to held_.
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
    std::string held_;  // the replacement texts, concatenated
    std::vector<Edit> edits_;
    bool foreign_ = false;
};

/// The top-level value of a text as a span, for Splice::add.
Span whole(std::string_view text) noexcept;

/// Replaces line ends by spaces, for framings that end at one. In a valid text they
/// can only occur between tokens.
void make_one_line(std::string& json) noexcept;

}  // namespace gantry::json
