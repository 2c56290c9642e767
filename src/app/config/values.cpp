#include "app/config/values.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>

#include "base/url.hpp"

namespace gantry::app {

namespace {

std::unexpected<std::string> expected(std::string_view what) {
    return std::unexpected("expected " + std::string(what));
}

constexpr bool is_digit(char c) noexcept {
    return c >= '0' && c <= '9';
}
constexpr bool is_alnum(char c) noexcept {
    return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/// Consumes a leading "12" or "1.5".
std::optional<double> take_number(std::string_view& text) {
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed);
    if (error != std::errc() || text.empty() || !is_digit(text.front())) return std::nullopt;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    return value;
}
std::string_view take_letters(std::string_view& text) {
    const auto end = std::ranges::find_if(text, [](char c) { return is_digit(c) || c == ' '; });
    const std::string_view letters = text.substr(0, static_cast<std::size_t>(end - text.begin()));
    text.remove_prefix(letters.size());
    return letters;
}
void skip_spaces(std::string_view& text) {
    while (text.starts_with(' ')) text.remove_prefix(1);
}

std::optional<double> seconds_of(std::string_view text) {
    struct Unit {
        std::string_view name;
        double seconds;
    };
    static constexpr std::array kUnits = {Unit{"ms", 0.001}, Unit{"s", 1}, Unit{"m", 60}, Unit{"h", 3600},
                                          Unit{"d", 86400}};
    double total = 0;
    do {
        const auto amount = take_number(text);
        if (!amount) return std::nullopt;
        skip_spaces(text);
        const std::string_view name = take_letters(text);
        if (name.empty()) return text.empty() && total == 0 ? amount : std::nullopt;
        const auto* unit = std::ranges::find(kUnits, name, &Unit::name);
        if (unit == kUnits.end()) return std::nullopt;
        total += *amount * unit->seconds;
        skip_spaces(text);
    } while (!text.empty());
    return total;
}

std::optional<double> bytes_of(std::string_view text) {
    const auto amount = take_number(text);
    if (!amount) return std::nullopt;
    skip_spaces(text);
    if (text.empty() || text == "B") return amount;
    static constexpr std::string_view kPowers = "KMGT";
    const auto power = kPowers.find(text.front() == 'k' ? 'K' : text.front());
    const std::string_view rest = text.substr(1);
    if (power == std::string_view::npos || (!rest.empty() && rest != "B" && rest != "iB" && rest != "i")) {
        return std::nullopt;
    }
    return std::ldexp(*amount, static_cast<int>(10 * (power + 1)));
}

Setting<std::string> parse_text(const Json& json) {
    if (const std::string* text = json.if_string()) {
        if (text->contains('\0')) return expected("text without null characters");
        return *text;
    }
    if (json.is_number()) return std::string(json.number_text());
    if (const bool* value = json.if_bool()) return std::string(*value ? "true" : "false");
    return expected("text");
}

Setting<bool> parse_bool(const Json& json) {
    if (const bool* value = json.if_bool()) return *value;
    if (json == Json("true") || json == Json("false")) return *json.if_string() == "true";
    return expected("true or false");
}

constexpr std::uint64_t kMostCounted = 1'000'000'000;

std::optional<std::uint64_t> whole_number(const Json& json) {
    const std::string* text = json.if_string();
    if (text == nullptr) return json.as_uint();
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), value);
    if (error != std::errc() || end != text->data() + text->size()) return std::nullopt;
    return value;
}

Setting<std::size_t> parse_count(const Json& json) {
    if (const auto value = whole_number(json); value && *value <= kMostCounted) return static_cast<std::size_t>(*value);
    return expected("a whole number from 0 to 1000000000");
}

Setting<std::size_t> parse_positive(const Json& json) {
    const auto value = parse_count(json);
    if (value && *value >= 1) return *value;
    return expected("a whole number, at least 1");
}

Setting<Duration> parse_duration(const Json& json) {
    constexpr double kMost = 30.0 * 86400;
    std::optional<double> value = json.as_double();
    if (const std::string* text = json.if_string()) value = seconds_of(*text);
    if (!value || !(*value >= 0.001) || *value > kMost) {
        return expected("a duration such as 30s, 5m, 500ms, or seconds as a number, at most 30 days");
    }
    return std::chrono::duration_cast<Duration>(std::chrono::duration<double>(*value));
}

Setting<std::size_t> parse_size(const Json& json) {
    constexpr double kMost = 1ull << 40;
    std::optional<double> value = json.as_double();
    if (const std::string* text = json.if_string()) value = bytes_of(*text);
    if (!value || !(*value >= 1) || *value > kMost) {
        return expected("a size such as 64MB or 512KB, or bytes as a number, at most 1TB");
    }
    return static_cast<std::size_t>(*value);
}

Setting<std::string> parse_listen(const Json& json) {
    constexpr std::string_view kForm = "an address and a port such as 127.0.0.1:8090 or [::1]:8090";
    const std::string* text = json.if_string();
    const auto colon = text == nullptr ? std::string::npos : text->rfind(':');
    if (colon == std::string::npos || colon == 0) return expected(kForm);
    const std::string_view host = std::string_view(*text).substr(0, colon);
    const std::string_view port = std::string_view(*text).substr(colon + 1);
    std::uint16_t number = 0;
    const auto [end, error] = std::from_chars(port.data(), port.data() + port.size(), number);
    if (error != std::errc() || end != port.data() + port.size() || port.empty()) return expected(kForm);
    const bool bracketed = host.starts_with('[') && host.ends_with(']');
    const bool fits = std::ranges::all_of(host, [bracketed](char c) {
        return is_alnum(c) || c == '.' || c == '-' || c == '_' || (bracketed && (c == ':' || c == '[' || c == ']'));
    });
    if (!fits) return expected(kForm);
    return *text;
}

Setting<std::string> parse_path(const Json& json) {
    const std::string* text = json.if_string();
    const bool fits = text != nullptr && text->size() > 1 && text->front() == '/' && text->back() != '/' &&
                      std::ranges::all_of(*text, [](char c) {
                          return is_alnum(c) || c == '/' || c == '-' || c == '_' || c == '.' || c == '~';
                      });
    if (!fits || text->contains("//")) return expected("a path such as /mcp, without a slash at its end");
    return *text;
}

Setting<std::string> parse_name(const Json& json) {
    const auto text = parse_text(json);
    const bool fits =
        text && !text->empty() && text->size() <= 64 && is_alnum(text->front()) &&
        std::ranges::all_of(*text, [](char c) { return is_alnum(c) || c == '_' || c == '.' || c == '-'; });
    if (!fits) return expected("1 to 64 letters, digits, '_', '-' or '.', beginning with a letter or digit");
    return *text;
}

Setting<std::string> parse_url(const Json& json) {
    const std::string* text = json.if_string();
    if (text == nullptr || text->empty()) return expected("a URL");
    if (text->contains("${")) return *text;
    if (auto url = Url::parse(*text); !url) return std::unexpected("not a usable URL: " + url.error().message());
    return *text;
}

Setting<std::vector<std::string>> parse_texts(const Json& json) {
    std::vector<std::string> texts;
    if (const std::string* text = json.if_string()) return std::vector{*text};
    if (!json.is_array()) return expected("a list of texts");
    for (const Json& element : *json.if_array()) {
        auto text = parse_text(element);
        if (!text) return expected("a list of texts");
        texts.push_back(*std::move(text));
    }
    return texts;
}

Json any_text() {
    return JsonObject{{"type", JsonArray{"string", "number", "boolean"}}};
}
Json number_or_text(JsonObject number, const char* pattern) {
    return JsonObject{{"anyOf", JsonArray{std::move(number), JsonObject{{"type", "string"}, {"pattern", pattern}}}}};
}
template <class T>
Json as_it_is(const T& value) {
    return value;
}
Json shown_texts(const std::vector<std::string>& texts) {
    return JsonArray(texts.begin(), texts.end());
}

/// In the largest unit that needs no fraction.
Json shown_duration(const Duration& value) {
    const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(value).count();
    static constexpr std::pair<std::int64_t, const char*> kUnits[] = {
        {86'400'000, "d"}, {3'600'000, "h"}, {60'000, "m"}, {1000, "s"}, {1, "ms"}};
    for (const auto& [size, name] : kUnits) {
        if (ms >= size && ms % size == 0) return std::to_string(ms / size) + name;
    }
    return "0s";
}
Json shown_size(const std::size_t& value) {
    static constexpr std::pair<std::size_t, const char*> kUnits[] = {
        {1u << 30, "GB"}, {1u << 20, "MB"}, {1u << 10, "KB"}};
    for (const auto& [size, name] : kUnits) {
        if (value >= size && value % size == 0) return std::to_string(value / size) + name;
    }
    return value;
}

constexpr const char* kNamePattern = "^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$";

}  // namespace

constinit const Kind<std::string> read_text{&parse_text, &any_text, &as_it_is<std::string>};

constinit const Kind<bool> read_bool{&parse_bool,
                                     [] { return Json(JsonObject{{"enum", JsonArray{true, false, "true", "false"}}}); },
                                     &as_it_is<bool>, "bool"};

constinit const Kind<std::size_t> read_count{&parse_count,
                                             [] {
                                                 return number_or_text(
                                                     {{"type", "integer"}, {"minimum", 0}, {"maximum", kMostCounted}},
                                                     "^0*([0-9]{1,9}|1000000000)$");
                                             },
                                             &as_it_is<std::size_t>, "number"};

constinit const Kind<std::size_t> read_positive{
    &parse_positive,
    [] {
        return number_or_text({{"type", "integer"}, {"minimum", 1}, {"maximum", kMostCounted}},
                              "^0*([1-9][0-9]{0,8}|1000000000)$");
    },
    &as_it_is<std::size_t>, "number"};

constinit const Kind<Duration> read_duration{
    &parse_duration,
    [] {
        return number_or_text({{"type", "number"}, {"minimum", 0.001}, {"maximum", 2'592'000}},
                              "^([0-9]+(\\.[0-9]*)?( *(ms|s|m|h|d) *[0-9]+(\\.[0-9]*)?)* *(ms|s|m|h|d) *|"
                              "[0-9]+(\\.[0-9]*)? *)$");
    },
    &shown_duration, "duration"};

constinit const Kind<std::size_t> read_size{&parse_size,
                                            [] {
                                                return number_or_text(
                                                    {{"type", "number"}, {"minimum", 1}, {"maximum", 1ull << 40}},
                                                    "^[0-9]+(\\.[0-9]*)? *(B|[kKMGT](B|i|iB)?)?$");
                                            },
                                            &shown_size, "size"};

constinit const Kind<std::string> read_listen{
    &parse_listen,
    [] {
        return Json(
            JsonObject{{"type", "string"}, {"pattern", "^([A-Za-z0-9._-]+|\\[[A-Za-z0-9._:-]*\\]):[0-9]{1,5}$"}});
    },
    &as_it_is<std::string>, "HOST:PORT"};

constinit const Kind<std::string> read_path{
    &parse_path, [] { return Json(JsonObject{{"type", "string"}, {"pattern", "^(/[A-Za-z0-9._~-]+)+$"}}); },
    &as_it_is<std::string>, "path"};

constinit const Kind<std::string> read_name{
    &parse_name, [] { return number_or_text({{"type", JsonArray{"number", "boolean"}}}, kNamePattern); },
    &as_it_is<std::string>};

constinit const Kind<std::string> read_url{
    &parse_url, [] { return Json(JsonObject{{"type", "string"}, {"pattern", "^[Hh][Tt][Tt][Pp][Ss]?://|\\$\\{"}}); },
    &as_it_is<std::string>, "URL"};

constinit const Kind<std::vector<std::string>> read_texts{
    &parse_texts,
    [] {
        return Json(JsonObject{{"anyOf", JsonArray{JsonObject{{"type", "string"}},
                                                   JsonObject{{"type", "array"}, {"items", any_text()}}}}});
    },
    &shown_texts, "list"};

}  // namespace gantry::app
