#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/clock.hpp"
#include "gantry/json.hpp"

namespace gantry::app {

/// What GET /v1/status answered, for people.
std::string show_status(const Json& status);

/// The same as a table of what is going on: rates and latency since `before`, which is an earlier answer; without one,
/// since the gateway started.
std::string show_top(const Json& status, const std::optional<Json>& before, Duration since);

/// What GET /v1/approvals answered; arguments are shortened.
std::string show_approvals(const Json& answer);
/// What GET /v1/approvals/ID answered, with the exact arguments and the commands that answer it.
std::string show_approval(const Json& answer);

/// What GET /v1/breakers answered.
std::string show_breakers(const Json& answer);

/// What GET /v1/events/dead answered.
std::string show_dead_letters(const Json& answer);

/// A line of the log, which is JSON, for people: "2026-11-17 10:22:28 warning  files: is down  server=files". Without
/// control characters; what is no such line stays as it is.
std::string show_log_line(std::string_view json);
/// What POST /v1/refresh answered.
std::string show_refresh(const Json& answer);
/// Every server that was meant could be asked.
bool refreshed_all(const Json& answer);

/// One server of GET /v1/status in a line: its state, its tools, or what is wrong and what to do. `server` may be null:
/// the gateway has none of this name.
std::string show_server(const Json& server, const std::string& name);
/// It answers, or will when it is called.
bool is_well(const Json& server);

/// What POST /v1/reload answered.
std::string show_reload(const Json& report);

}  // namespace gantry::app
