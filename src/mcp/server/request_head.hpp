#pragma once

#include <string_view>

#include "io/http/headers.hpp"

namespace gantry::mcp {

/// The header fields an endpoint uses, found in one pass. Views into the headers, trimmed.
struct RequestHead {
    struct Field {
        std::string_view value = {};
        bool present = false;
        /// Present more than once: an intermediary that picks another one would see a different request.
        bool repeated = false;

        explicit operator bool() const noexcept { return present; }
    };
    Field host, origin, content_type, accept, version, method, name, session, last_event;

    static RequestHead of(const http::Headers& headers) noexcept;
};

}  // namespace gantry::mcp
