#pragma once

#include <string>
#include <string_view>

namespace gantry::app {

/// Formats an event (a CloudEvent as JSON) as one line:
///
///     2026-11-17 10:22:28  tool.failed            files_read           reason=timeout duration_ms=30000
///
/// Control characters are removed; a text that is not an event is otherwise unchanged.
std::string event_line(std::string_view cloud_event);

/// Column titles for such lines.
std::string event_titles();

/// The valid types for `gantry events --type` and `audit show --type`, without "gantry." and version.
std::string known_event_types();
/// Whether any of the comma-separated patterns matches an existing type.
bool is_known_type(std::string_view patterns);
/// Whether an existing type contains this text.
bool is_part_of_type(std::string_view text);

}  // namespace gantry::app
