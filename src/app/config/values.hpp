#pragma once

#include <cstdint>
#include <expected>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.hpp"
#include "gantry/json.hpp"

// Parsing of single settings. Errors say what was expected, never what was found, since it may be a misplaced secret.

namespace gantry::app {

template <class T>
using Setting = std::expected<T, std::string>;

/// The syntax of a setting: how it is read, rendered for users, and described as JSON Schema. The schema accepts
/// exactly what read() accepts syntactically. show() renders different values differently; an empty text or list is
/// not shown as a default.
template <class T>
struct Kind {
    Setting<T> (*read)(const Json&);
    Json (*schema)();
    Json (*show)(const T&);
    /// What users call it.
    const char* type = "text";

    Setting<T> operator()(const Json& json) const { return read(json); }
};

/// Text, taken literally; numbers and booleans as they are spelt, so that `8080` needs no quotes.
extern const Kind<std::string> read_text;
/// true or false, also as text.
extern const Kind<bool> read_bool;
/// A whole number, also as text.
extern const Kind<std::size_t> read_count;
/// The same, at least 1.
extern const Kind<std::size_t> read_positive;
/// "30s", "500ms", "5m", "1h30m", or seconds as a number. Greater than zero, at most 30 days.
extern const Kind<Duration> read_duration;
/// "64MB", "512KB", "1GB" (of 1024, with or without `i`), or bytes as a number.
extern const Kind<std::size_t> read_size;
/// "127.0.0.1:8090", "[::1]:0", "localhost:80".
extern const Kind<std::string> read_listen;
/// "/mcp": begins with a slash, does not end with one.
extern const Kind<std::string> read_path;
/// Names of servers and groups: 1 to 64 of [A-Za-z0-9_.-], beginning with a letter or digit, since they become part of
/// URLs and tool names.
extern const Kind<std::string> read_name;
/// http or https; not checked if it contains references.
extern const Kind<std::string> read_url;
/// A list of texts, or a single one.
extern const Kind<std::vector<std::string>> read_texts;

}  // namespace gantry::app
