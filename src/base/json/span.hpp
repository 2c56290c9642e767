#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace gantry::json {

/// One member of a scanned object: where its value stands in the text, byte for byte, and
/// where the whole member does. Refers to the scanned text. Absent when default made.
class Span {
public:
    Span() = default;
    /// `raw` is the value alone, `member` reaches from the key's quote to the value's end;
    /// it is empty for a value that is no member.
    explicit Span(std::string_view raw, std::string_view member = {}) noexcept : raw_(raw), member_(member) {}

    explicit operator bool() const noexcept { return raw_.data() != nullptr; }
    std::string_view raw() const noexcept { return raw_; }
    std::string_view member() const noexcept { return member_; }

    bool is_string() const noexcept { return starts_with('"'); }
    bool is_object() const noexcept { return starts_with('{'); }
    bool is_array() const noexcept { return starts_with('['); }
    bool is_null() const noexcept { return starts_with('n'); }
    bool is_true() const noexcept { return starts_with('t'); }
    bool is_false() const noexcept { return starts_with('f'); }
    bool is_number() const noexcept {
        return !raw_.empty() && (raw_.front() == '-' || (raw_.front() >= '0' && raw_.front() <= '9'));
    }

    /// A string that reads exactly `text`, whatever escapes it is spelt with.
    bool is(std::string_view text) const;
    /// What the string reads; empty unless it is one.
    std::optional<std::string> text() const;
    /// The same without a copy; empty also when the string is spelt with escapes.
    std::optional<std::string_view> plain_text() const noexcept;

private:
    bool starts_with(char first) const noexcept { return !raw_.empty() && raw_.front() == first; }
    std::string_view inside() const noexcept { return raw_.substr(1, raw_.size() - 2); }

    std::string_view raw_;
    std::string_view member_;
};

}  // namespace gantry::json
