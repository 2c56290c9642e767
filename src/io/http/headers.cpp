#include "io/http/headers.hpp"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <functional>

#include "io/http/ascii.hpp"

namespace gantry::http {

Headers::Headers(std::initializer_list<std::pair<std::string_view, std::string_view>> fields) {
    std::size_t bytes = 0;
    for (const auto& [name, value] : fields) bytes += name.size() + value.size() + 4;
    bytes_.reserve(bytes);
    spans_.reserve(fields.size());
    for (const auto& [name, value] : fields) append(name, value);
}

void Headers::append(std::string_view name, std::string_view value) {
    // Validated once here instead of on every send: most heads consist of a few fields sent repeatedly.
    checked_ = checked_ && valid_name(name) && valid_value(value);
    const auto at = static_cast<std::uint32_t>(bytes_.size());
    bytes_.append(name).append(": ").append(value).append("\r\n");
    spans_.push_back({.name = at,
                      .name_size = static_cast<std::uint32_t>(name.size()),
                      .value = static_cast<std::uint32_t>(at + name.size() + 2),
                      .value_size = static_cast<std::uint32_t>(value.size()),
                      .known = field_name(name)});
    parsed_ = false;
}

bool Headers::is_own(std::string_view text) const noexcept {
    const std::less_equal<const char*> not_after;
    return !text.empty() && not_after(bytes_.data(), text.data()) &&
           not_after(text.data(), bytes_.data() + bytes_.size());
}

void Headers::add(std::string_view name, std::string_view value) {
    if (is_own(name) || is_own(value)) {
        append(std::string(name), std::string(value));
    } else {
        append(name, value);
    }
}

void Headers::set(std::string_view name, std::string_view value) {
    erase(name);  // does not move the bytes, so views of this object's fields stay valid
    add(name, value);
}

bool Headers::erase(std::string_view name) {
    parsed_ = false;
    return std::erase_if(spans_, [&](const Span& span) { return equal_ignoring_case(view(span).name, name); }) != 0;
}

void Headers::clear() noexcept {
    if (bytes_.capacity() > kKept) std::string().swap(bytes_);
    bytes_.clear();
    spans_.clear();
    checked_ = true;
    parsed_ = false;
}

std::optional<std::string_view> Headers::get(std::string_view name) const noexcept {
    for (const Span& span : spans_) {
        if (span.name_size != name.size()) continue;
        if (const Field field = view(span); equal_ignoring_case(field.name, name)) return field.value;
    }
    return std::nullopt;
}

std::optional<std::string_view> Headers::get(FieldName name) const noexcept {
    for (const Span& span : spans_) {
        if (span.known == name) return view(span).value;
    }
    return std::nullopt;
}

std::size_t Headers::count(std::string_view name) const noexcept {
    return static_cast<std::size_t>(
        std::ranges::count_if(spans_, [&](const Span& span) { return equal_ignoring_case(view(span).name, name); }));
}

Headers::Field Headers::operator[](std::size_t index) const noexcept {
    assert(index < spans_.size());
    return view(spans_[index]);
}

std::string_view Headers::line(std::size_t index) const noexcept {
    const Span& span = spans_[index];
    const std::size_t end = std::size_t{span.value} + span.value_size;
    if (!checked_ || bytes_.size() < end + 2 || bytes_[end] != '\r') return {};
    return {bytes_.data() + span.name, end + 2 - span.name};
}

bool Headers::valid_name(std::string_view name) noexcept {
    return !name.empty() && std::ranges::all_of(name, is_token_char);
}

bool Headers::valid_value(std::string_view value) noexcept {
    return is_field_text(value);
}

namespace {

template <class Word>
std::uint64_t load(const char* at) noexcept {
    Word word;
    std::memcpy(&word, at, sizeof(word));
    return word;
}

/// Compares eight letters at once: bytes may differ only in the case bit, and only if they are letters.
bool same_eight(std::uint64_t a, std::uint64_t b) noexcept {
    constexpr std::uint64_t kOnes = 0x0101010101010101;
    constexpr std::uint64_t kCase = kOnes * 0x20;
    constexpr std::uint64_t kHigh = kOnes * 0x80;
    const std::uint64_t difference = a ^ b;
    if (difference == 0) return true;
    if ((difference & ~kCase) != 0) return false;
    const std::uint64_t lower = a | kCase;
    const std::uint64_t low = lower & ~kHigh;
    // The high bit of each byte is set if: not before 'a', not after 'z', and ASCII.
    const std::uint64_t letters = (low + kOnes * (0x80 - 'a')) & ~(low + kOnes * (0x7f - 'z')) & ~lower & kHigh;
    return (difference & ~(letters >> 2)) == 0;
}

}  // namespace

bool detail::same_letters(std::string_view a, std::string_view b) noexcept {
    const std::size_t size = a.size();
    if (size >= 8) {
        for (std::size_t i = 0; i + 8 < size; i += 8) {
            if (!same_eight(load<std::uint64_t>(a.data() + i), load<std::uint64_t>(b.data() + i))) return false;
        }
        return same_eight(load<std::uint64_t>(a.data() + size - 8), load<std::uint64_t>(b.data() + size - 8));
    }
    if (size >= 4) {
        const auto both_ends = [size](const char* text) {
            return load<std::uint32_t>(text) | load<std::uint32_t>(text + size - 4) << 32;
        };
        return same_eight(both_ends(a.data()), both_ends(b.data()));
    }
    for (std::size_t i = 0; i < size; ++i) {
        if (to_lower(a[i]) != to_lower(b[i])) return false;
    }
    return true;
}

}  // namespace gantry::http
