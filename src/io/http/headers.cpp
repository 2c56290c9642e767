#include "io/http/headers.hpp"

#include <algorithm>
#include <cassert>
#include <functional>

#include "io/http/ascii.hpp"

namespace gantry::http {

Headers::Headers(std::initializer_list<std::pair<std::string_view, std::string_view>> fields) {
    std::size_t bytes = 0;
    for (const auto& [name, value] : fields) bytes += name.size() + value.size();
    bytes_.reserve(bytes);
    spans_.reserve(fields.size());
    for (const auto& [name, value] : fields) append(name, value);
}

void Headers::append(std::string_view name, std::string_view value) {
    checked_ = false;
    const auto at = static_cast<std::uint32_t>(bytes_.size());
    bytes_.append(name).append(value);
    spans_.push_back({.name = at,
                      .name_size = static_cast<std::uint32_t>(name.size()),
                      .value = static_cast<std::uint32_t>(at + name.size()),
                      .value_size = static_cast<std::uint32_t>(value.size())});
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
    erase(name);  // leaves the bytes in place, so views of this object's fields stay good
    add(name, value);
}

bool Headers::erase(std::string_view name) {
    return std::erase_if(spans_, [&](const Span& span) { return equal_ignoring_case(view(span).name, name); }) != 0;
}

void Headers::clear() noexcept {
    if (bytes_.capacity() > kKept) std::string().swap(bytes_);
    bytes_.clear();
    spans_.clear();
    checked_ = false;
}

std::optional<std::string_view> Headers::get(std::string_view name) const noexcept {
    for (const Span& span : spans_) {
        if (span.name_size != name.size()) continue;
        if (const Field field = view(span); equal_ignoring_case(field.name, name)) return field.value;
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

bool detail::same_letters(std::string_view a, std::string_view b) noexcept {
    for (std::size_t i = 0; i < a.size(); ++i) {
        if (a[i] != b[i] && to_lower(a[i]) != to_lower(b[i])) return false;
    }
    return true;
}

}  // namespace gantry::http
