#pragma once

#include "gateway/events/chain.hpp"
#include "gateway/events/database.hpp"

namespace gantry::gateway::events {

/// Reads an entry from a row that begins with seq, at, id, type, subject, correlation and data, in this order. Its
/// texts are valid until the statement's next step.
inline JournalEntry entry_in(const Statement& row) {
    return {.seq = row.number(0),
            .at = row.number(1),
            .id = row.text(2),
            .type = row.text(3),
            .subject = row.text(4),
            .correlation = row.text(5),
            .data = row.text(6)};
}

}  // namespace gantry::gateway::events
