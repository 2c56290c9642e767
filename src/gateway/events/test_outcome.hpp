#pragma once
// Test support: outcomes of calls.

#include "gateway/events/record.hpp"

namespace gantry::gateway::events {

inline Outcome good_call(std::string_view id = "c-1") {
    Outcome outcome{
        .correlation_id = id, .name = "files_read", .own_name = "read", .principal = "local", .source = "files"};
    outcome.source_kind = "mcp";
    outcome.session = "s-1";
    outcome.client = "editor";
    outcome.ended = SteadyClock::now();
    outcome.took = std::chrono::microseconds(250);
    outcome.arguments = R"({"path":"/etc/secret-place"})";
    outcome.result_bytes = 77;
    return outcome;
}

}  // namespace gantry::gateway::events
