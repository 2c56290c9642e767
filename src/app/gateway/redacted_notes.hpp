#pragma once

#include "app/gateway/gateway_app.hpp"
#include "gateway/events/log.hpp"

namespace gantry::app {

/// Wraps the notes so that everything passes their redactor.
inline Notes redacted(Notes notes) {
    if (!notes.redactor) notes.redactor = std::make_shared<Redactor>();
    const auto redactor = notes.redactor;
    if (notes.note) {
        notes.note = [tell = std::move(notes.note), redactor](std::string_view text) {
            tell(redactor->masked(std::string(text)));
        };
    }
    // A server may write thousands of lines to its standard error: a log that redacts does so only for the lines it
    // keeps.
    const bool later = notes.log != nullptr && notes.log->redacts();
    for (auto* const about : {&notes.server_stderr, &notes.server_note}) {
        if (!*about || (later && about == &notes.server_stderr)) continue;
        *about = [tell = std::move(*about), redactor](std::string_view server, std::string_view line) {
            tell(server, redactor->masked(std::string(line)));
        };
    }
    return notes;
}

}  // namespace gantry::app
