#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "io/http/field_name.hpp"

namespace gantry::http {

/// Header fields in order, names compared case-insensitively, stored in one flat buffer so that a
/// message head costs one allocation.
class Headers {
public:
    struct Field {
        std::string_view name;
        std::string_view value;
    };

    Headers() = default;
    Headers(std::initializer_list<std::pair<std::string_view, std::string_view>> fields);

    /// Appends; repeated names are allowed. Precondition: name and value from outside have been checked
    /// (valid_name / valid_value).
    void add(std::string_view name, std::string_view value);
    /// Removes all fields of that name, then appends.
    void set(std::string_view name, std::string_view value);
    bool erase(std::string_view name);
    /// Keeps the capacity of a typical head.
    void clear() noexcept;
    /// Clears and releases the memory if the head was unusually large.
    void trim() noexcept {
        if (bytes_.capacity() > kKept) clear();
    }

    /// The first field of that name.
    std::optional<std::string_view> get(std::string_view name) const noexcept;
    std::optional<std::string_view> get(FieldName name) const noexcept;
    std::size_t count(std::string_view name) const noexcept;
    std::size_t size() const noexcept { return spans_.size(); }
    bool empty() const noexcept { return spans_.empty(); }
    Field operator[](std::size_t index) const noexcept;
    FieldName name_of(std::size_t index) const noexcept { return spans_[index].known; }

    /// Whether all fields were validated, when added or parsed: none can break the head.
    bool all_checked() const noexcept { return checked_; }
    /// The field as sent, "Name: value\r\n"; empty if it was received in another form.
    std::string_view line(std::size_t index) const noexcept;
    static bool valid_name(std::string_view name) noexcept;    // RFC 9110 token
    static bool valid_value(std::string_view value) noexcept;  // no CR, LF, NUL, other controls but tab

private:
    friend class HeadParser;  // copies a whole head at once
    struct Span {
        std::uint32_t name, name_size, value, value_size;
        FieldName known;
    };
    Field view(const Span& span) const noexcept {
        return {.name = {bytes_.data() + span.name, span.name_size},
                .value = {bytes_.data() + span.value, span.value_size}};
    }
    void append(std::string_view name, std::string_view value);
    bool is_own(std::string_view text) const noexcept;

    static constexpr std::size_t kKept = 4096;

    std::string bytes_;
    std::vector<Span> spans_;
    bool checked_ = true;
    bool parsed_ = false;  // the bytes are a head as received, and the spans are all its lines
};

namespace detail {
/// Precondition: both texts have the same size.
bool same_letters(std::string_view a, std::string_view b) noexcept;
}  // namespace detail

/// Most names already differ in length, which costs no call.
inline bool equal_ignoring_case(std::string_view a, std::string_view b) noexcept {
    return a.size() == b.size() && detail::same_letters(a, b);
}

}  // namespace gantry::http
