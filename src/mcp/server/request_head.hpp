#pragma once

#include <string_view>

#include "io/http/headers.hpp"

namespace gantry::mcp {

/// The fields of a request an endpoint looks at, found in one pass. Views into the headers, without blanks at the ends.
struct RequestHead {
    struct Field {
        std::string_view value = {};
        bool present = false;
        /// More than once: whoever reads another one than we do sees another request.
        bool repeated = false;

        explicit operator bool() const noexcept { return present; }
    };
    Field host, origin, content_type, accept, version, method, name, session, last_event;

    static RequestHead of(const http::Headers& headers) noexcept;
};

}  // namespace gantry::mcp
