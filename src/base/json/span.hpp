#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace gantry::json {

/// One member of a scanned object: the exact positions of its value and of the whole
/// member. Refers to the scanned text. Absent if default-constructed.
class Span {
public:
    Span() = default;
    /// `raw` is the value alone, `member` reaches from the key's quote to the value's end;
    /// it is empty for a value that is not a member.
    explicit Span(std::string_view raw, std::string_view member = {}) noexcept
        : data_(raw.data()),
          size_(static_cast<std::uint32_t>(raw.size())),
          lead_(static_cast<std::uint32_t>(member.empty() ? 0 : member.size() - raw.size())) {}

    explicit operator bool() const noexcept { return data_ != nullptr; }
    std::string_view raw() const noexcept { return {data_, size_}; }
    std::string_view member() const noexcept {
        return lead_ == 0 ? std::string_view() : std::string_view(data_ - lead_, lead_ + size_);
    }

    bool is_string() const noexcept { return starts_with('"'); }
    bool is_object() const noexcept { return starts_with('{'); }
    bool is_array() const noexcept { return starts_with('['); }
    bool is_null() const noexcept { return starts_with('n'); }
    bool is_true() const noexcept { return starts_with('t'); }
    bool is_false() const noexcept { return starts_with('f'); }
    bool is_number() const noexcept { return size_ != 0 && (*data_ == '-' || (*data_ >= '0' && *data_ <= '9')); }

    /// Whether it is a string equal to `text`, however it is escaped.
    bool is(std::string_view text) const;
    /// The unescaped string; empty if it is not a string.
    std::optional<std::string> text() const;
    /// Like text(), without a copy; also empty if the string has escapes.
    std::optional<std::string_view> plain_text() const noexcept;

private:
    bool starts_with(char first) const noexcept { return size_ != 0 && *data_ == first; }
    std::string_view inside() const noexcept { return {data_ + 1, size_ - std::size_t{2}}; }

    // Readers reject texts beyond 4 GiB, so 32 bits suffice; a view has some thirty of these.
    const char* data_ = nullptr;
    std::uint32_t size_ = 0;
    std::uint32_t lead_ = 0;  // from the key's quote to the value
};

}  // namespace gantry::json
