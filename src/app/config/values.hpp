#pragma once

#include <cstdint>
#include <expected>
#include <string>
#include <string_view>

#include "base/clock.hpp"
#include "gantry/json.hpp"

// How single settings are written. What was expected is the error; what was found is never repeated, since it may be a
// secret in the wrong place.

namespace gantry::app {

template <class T>
using Setting = std::expected<T, std::string>;

/// Text as it stands; numbers and booleans as they are spelt, so that `8080` needs no quotes.
Setting<std::string> read_text(const Json& json);
Setting<bool> read_bool(const Json& json);
Setting<std::size_t> read_count(const Json& json);
/// "30s", "500ms", "5m", "1h30m", or seconds as a number. More than nothing, at most 30 days.
Setting<Duration> read_duration(const Json& json);
/// "64MB", "512KB", "1GB" (of 1024, with or without `i`), or bytes as a number.
Setting<std::size_t> read_size(const Json& json);
/// "127.0.0.1:8090", "[::1]:0", "localhost:80".
Setting<std::string> read_listen(const Json& json);
/// "/mcp": begins with a slash, does not end with one.
Setting<std::string> read_path(const Json& json);
/// What servers and groups are called: 1 to 64 of [A-Za-z0-9_.-], beginning with a letter or digit, since it becomes
/// part of URLs and tool names.
Setting<std::string> read_name(const Json& json);
/// http or https; unchecked where it refers to the environment.
Setting<std::string> read_url(const Json& json);

}  // namespace gantry::app
