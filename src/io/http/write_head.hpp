#pragma once

#include <string>
#include <string_view>

#include "gantry/error.hpp"
#include "io/http/framing.hpp"
#include "io/http/headers.hpp"

namespace gantry::http {

// Serializes heads. Every name and value is validated, so that no caller can inject a line. Fields of
// the connection or the framing (Connection, Content-Length, Transfer-Encoding, Host in requests …)
// are set here; the caller's are ignored.

struct RequestLine {
    std::string_view method;
    std::string_view target;
    std::string_view authority;
    std::string_view user_agent;  // unless the caller set one; empty: none
};

/// kInvalidArgument if a part is invalid; `out` is then unchanged.
Result<void> append_request_head(std::string& out, const RequestLine& line, const Headers& headers, Framing body);

/// The same in two steps, for heads with a reusable prefix: everything except the framing, then the framing.
Result<void> append_request_lines(std::string& out, const RequestLine& line, const Headers& headers);
/// Appends one more field after them.
Result<void> append_field(std::string& out, std::string_view name, std::string_view value);
void finish_request_head(std::string& out, Framing body);

struct StatusLine {
    int status = 200;
    bool keep_alive = true;
    int peer_minor = 1;  // an HTTP/1.0 peer needs an explicit keep-alive header
    bool add_date = true;
};

/// Framing::none() sends no length at all, as required for 1xx, 204 and 304; otherwise an empty body is of_length(0).
Result<void> append_response_head(std::string& out, const StatusLine& line, const Headers& headers, Framing body);

std::string_view reason_phrase(int status) noexcept;

}  // namespace gantry::http
