#pragma once

#include <string>

#include "gateway/events/chain.hpp"

namespace gantry::gateway::events {

/// An entry as a CloudEvents 1.0 object in JSON, the form used by webhooks, the feed and `gantry audit show`. All
/// entries of one call share a `correlationid`.
void append_cloud_event(const JournalEntry& entry, std::string& out);

/// "2026-11-17T10:22:28.123456Z"
std::string timestamp(std::int64_t unix_micros);

}  // namespace gantry::gateway::events
