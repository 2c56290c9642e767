#include "gantry/json.hpp"

#include <charconv>
#include <cmath>
#include <limits>

#include "base/json/number.hpp"
#include "base/json/text.hpp"

namespace gantry {
namespace {

/// One pointer segment with ~1 and ~0 unescaped; empty if it contains an invalid '~'.
std::optional<std::string> pointer_step(std::string_view step) {
    std::string key;
    for (std::size_t i = 0; i < step.size(); ++i) {
        if (step[i] != '~') {
            key += step[i];
            continue;
        }
        if (++i == step.size() || (step[i] != '0' && step[i] != '1')) return std::nullopt;
        key += step[i] == '0' ? '~' : '/';
    }
    return key;
}

/// RFC 6901 array index: digits without a leading zero.
std::optional<std::size_t> array_index(std::string_view step) {
    if (step.empty() || !json::is_digit(step.front()) || (step.size() > 1 && step.front() == '0')) return std::nullopt;
    std::size_t index = 0;
    const auto [end, error] = std::from_chars(step.data(), step.data() + step.size(), index);
    if (error != std::errc() || end != step.data() + step.size()) return std::nullopt;
    return index;
}

}  // namespace

Json::Json(double value) {
    if (!std::isfinite(value)) return;
    char text[32];
    const auto [end, error] = std::to_chars(text, text + sizeof text, value);
    value_ = Number{std::string(text, end)};
}

Json Json::number_from_text(std::string text) {
    Json json;
    json.value_ = Number{std::move(text)};
    return json;
}

std::string_view Json::number_text() const noexcept {
    const auto* number = std::get_if<Number>(&value_);
    return number != nullptr ? std::string_view(number->text) : std::string_view();
}

bool Json::is_integer() const noexcept {
    return is_number() && json::Decimal(number_text()).is_integer();
}

std::optional<std::uint64_t> Json::as_uint() const noexcept {
    if (!is_number()) return std::nullopt;
    const json::Decimal decimal(number_text());
    if (decimal.negative() && !decimal.is_zero()) return std::nullopt;
    return decimal.magnitude();
}

std::optional<std::int64_t> Json::as_int() const noexcept {
    if (!is_number()) return std::nullopt;
    const json::Decimal decimal(number_text());
    const auto magnitude = decimal.magnitude();
    constexpr auto kMax = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
    if (!magnitude || *magnitude > kMax + (decimal.negative() ? 1 : 0)) return std::nullopt;
    // Deliberately modular: -2^63 has no positive counterpart.
    return static_cast<std::int64_t>(decimal.negative() ? std::uint64_t{0} - *magnitude : *magnitude);
}

std::optional<double> Json::as_double() const noexcept {
    if (!is_number()) return std::nullopt;
    const std::string_view text = number_text();
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error == std::errc()) return value;
    const json::Decimal decimal(text);
    const double size = decimal.at_least_one() ? std::numeric_limits<double>::infinity() : 0.0;
    return decimal.negative() ? -size : size;
}

const Json* Json::find(std::string_view key) const noexcept {
    const auto* object = if_object();
    return object != nullptr ? object->find(key) : nullptr;
}

Json* Json::find(std::string_view key) noexcept {
    auto* object = if_object();
    return object != nullptr ? object->find(key) : nullptr;
}

const Json* Json::at(std::size_t index) const noexcept {
    const auto* array = if_array();
    return array != nullptr && index < array->size() ? &(*array)[index] : nullptr;
}

const Json* Json::at_pointer(std::string_view pointer) const {
    const Json* place = this;
    while (place != nullptr && !pointer.empty()) {
        if (pointer.front() != '/') return nullptr;
        pointer.remove_prefix(1);
        const std::string_view step = pointer.substr(0, pointer.find('/'));
        pointer.remove_prefix(step.size());
        if (place->is_array()) {
            const auto index = array_index(step);
            place = index ? place->at(*index) : nullptr;
        } else {
            const auto key = pointer_step(step);
            place = key ? place->find(*key) : nullptr;
        }
    }
    return place;
}

std::string_view Json::string_at(std::string_view key, std::string_view fallback) const noexcept {
    const Json* member = find(key);
    const std::string* text = member != nullptr ? member->if_string() : nullptr;
    return text != nullptr ? std::string_view(*text) : fallback;
}

bool operator==(const Json& a, const Json& b) {
    if (a.kind() != b.kind()) return false;
    switch (a.kind()) {
        case Json::Kind::kNull: return true;
        case Json::Kind::kBool: return *a.if_bool() == *b.if_bool();
        case Json::Kind::kNumber:
            return a.number_text() == b.number_text() ||
                   json::Decimal(a.number_text()) == json::Decimal(b.number_text());
        case Json::Kind::kString: return *a.if_string() == *b.if_string();
        case Json::Kind::kArray: return *a.if_array() == *b.if_array();
        case Json::Kind::kObject: return *a.if_object() == *b.if_object();
    }
    return false;
}

}  // namespace gantry
