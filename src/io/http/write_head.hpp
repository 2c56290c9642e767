#pragma once

#include <string>
#include <string_view>

#include "gantry/error.hpp"
#include "io/http/framing.hpp"
#include "io/http/headers.hpp"

namespace gantry::http {

// Heads we send. Every name and value is checked, so nothing a caller passes can start a new
// line. Fields that belong to the connection or decide about framing (Connection, Content-Length,
// Transfer-Encoding, Host in requests …) are ours: a caller's are left out.

struct RequestLine {
    std::string_view method;
    std::string_view target;
    std::string_view authority;
    std::string_view user_agent;  // unless the caller set one; empty: none
};

/// kInvalidArgument when a part must not go on the wire; `out` is then unchanged.
Result<void> append_request_head(std::string& out, const RequestLine& line, const Headers& headers, Framing body);

/// The same in two steps, for heads whose beginning stays: all but what tells of the body, and then that.
Result<void> append_request_lines(std::string& out, const RequestLine& line, const Headers& headers);
/// One more line behind them.
Result<void> append_field(std::string& out, std::string_view name, std::string_view value);
void finish_request_head(std::string& out, Framing body);

struct StatusLine {
    int status = 200;
    bool keep_alive = true;
    int peer_minor = 1;  // an HTTP/1.0 peer is told explicitly that the connection stays
    bool add_date = true;
};

/// Framing::none() writes no length at all, as 1xx, 204 and 304 need; an empty body otherwise is of_length(0).
Result<void> append_response_head(std::string& out, const StatusLine& line, const Headers& headers, Framing body);

std::string_view reason_phrase(int status) noexcept;

}  // namespace gantry::http
