#pragma once

#include <string>
#include <string_view>

namespace gantry::app {

/// An event (a CloudEvent as JSON) as one line for people:
///
///     2026-11-17 10:22:28  tool.failed            files_read           reason=timeout duration_ms=30000
///
/// Without control characters; a text that is no event stays as it is otherwise.
std::string event_line(std::string_view cloud_event);

/// The titles above such lines.
std::string event_titles();

/// The types of `gantry events --type` and `audit show --type` that exist, without "gantry." and version.
std::string known_event_types();
/// Whether any of the patterns, separated by commas, fits a type that exists.
bool is_known_type(std::string_view patterns);
/// Whether a type that exists contains this text.
bool is_part_of_type(std::string_view text);

}  // namespace gantry::app
