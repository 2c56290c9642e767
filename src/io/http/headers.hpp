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

/// Header fields in order, names compared without case, held in one flat buffer so that a
/// message head costs one allocation.
class Headers {
public:
    struct Field {
        std::string_view name;
        std::string_view value;
    };

    Headers() = default;
    Headers(std::initializer_list<std::pair<std::string_view, std::string_view>> fields);

    /// Appends; repeated names are allowed. The caller has checked name and value
    /// (valid_name / valid_value) when they come from outside.
    void add(std::string_view name, std::string_view value);
    /// Removes all of that name, then appends.
    void set(std::string_view name, std::string_view value);
    bool erase(std::string_view name);
    /// Keeps the room of an ordinary head for the next one.
    void clear() noexcept;
    /// Gives up the room of an extraordinary head, and its fields with it.
    void trim() noexcept {
        if (bytes_.capacity() > kKept) clear();
    }

    /// The first of that name.
    std::optional<std::string_view> get(std::string_view name) const noexcept;
    std::optional<std::string_view> get(FieldName name) const noexcept;
    std::size_t count(std::string_view name) const noexcept;
    std::size_t size() const noexcept { return spans_.size(); }
    bool empty() const noexcept { return spans_.empty(); }
    Field operator[](std::size_t index) const noexcept;
    FieldName name_of(std::size_t index) const noexcept { return spans_[index].known; }

    /// No field can begin a line of its own or break the head otherwise: looked at when it was added or parsed.
    bool all_checked() const noexcept { return checked_; }
    /// The field as it is sent, "Name: value\r\n"; empty when it came in another form.
    std::string_view line(std::size_t index) const noexcept;
    static bool valid_name(std::string_view name) noexcept;    // RFC 9110 token
    static bool valid_value(std::string_view value) noexcept;  // no CR, LF, NUL, other controls but tab

private:
    friend class HeadParser;  // takes a whole head over in one copy
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
    bool parsed_ = false;  // the bytes are a head as it was read, and the spans all its lines
};

namespace detail {
/// For texts of the same size.
bool same_letters(std::string_view a, std::string_view b) noexcept;
}  // namespace detail

/// Most names differ in length already, which costs no call.
inline bool equal_ignoring_case(std::string_view a, std::string_view b) noexcept {
    return a.size() == b.size() && detail::same_letters(a, b);
}

}  // namespace gantry::http
