#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/clock.hpp"
#include "gantry/json.hpp"

namespace gantry::app {

/// Human-readable form of GET /v1/status.
std::string show_status(const Json& status);

/// The same as a table of activity: rates and latency since `before`, an earlier answer; without one, since the gateway
/// started.
std::string show_top(const Json& status, const std::optional<Json>& before, Duration since);

/// Human-readable form of GET /v1/approvals; arguments are shortened.
std::string show_approvals(const Json& answer);
/// Human-readable form of GET /v1/approvals/ID, with the exact arguments and the commands that answer it.
std::string show_approval(const Json& answer);

/// Human-readable form of GET /v1/breakers.
std::string show_breakers(const Json& answer);

/// Human-readable form of GET /v1/events/dead.
std::string show_dead_letters(const Json& answer);

/// Renders a JSON log line: "2026-11-17 10:22:28 warning  files: is down  server=files". Control characters are
/// removed; any other line is returned otherwise unchanged.
std::string show_log_line(std::string_view json);
/// Human-readable form of POST /v1/refresh.
std::string show_refresh(const Json& answer);
/// Whether every selected server could be refreshed.
bool refreshed_all(const Json& answer);

/// One server of GET /v1/status in a line: its state, its tools, or what is wrong and what to do. `server` may be null:
/// the gateway has none of this name.
std::string show_server(const Json& server, const std::string& name);
/// Whether it is up, or will be connected when it is called.
bool is_well(const Json& server);

/// Human-readable form of POST /v1/reload.
std::string show_reload(const Json& report);

}  // namespace gantry::app
