#pragma once

#include <cstddef>
#include <expected>
#include <string>
#include <string_view>

#include "gantry/error.hpp"
#include "io/http/headers.hpp"

namespace gantry::http {

/// Why a head or a body is rejected, and the status a server answers with.
struct Refusal {
    int status = 400;
    std::string_view reason;  // a literal: never bytes of the peer

    /// The equivalent error on the client's side: kLimit for "too large", else kProtocol.
    Error to_error() const;
};

template <class T>
using Accepted = std::expected<T, Refusal>;

inline std::unexpected<Refusal> refuse(std::string_view reason, int status = 400) {
    return std::unexpected(Refusal{.status = status, .reason = reason});
}

struct HeadLimits {
    std::size_t bytes = 64u << 10;
    std::size_t fields = 64;
};

/// Finds the end of a head in bytes that arrive piecemeal; inspects each byte once.
/// Rejects bare LF immediately, instead of waiting for an end that cannot come.
class HeadScanner {
public:
    /// `bytes` starts at the head and has grown since the last call. Returns the size of the head
    /// including its empty line, or 0 if more bytes are needed.
    Accepted<std::size_t> scan(std::string_view bytes, const HeadLimits& limits);
    void reset() noexcept { *this = {}; }

private:
    std::size_t seen_ = 0;
    std::size_t line_ = 0;
    std::size_t lines_ = 0;
};

struct RequestHead {
    std::string method;
    std::string target;
    int minor = 1;  // HTTP/1.minor
    Headers headers;
};

struct ResponseHead {
    int status = 0;
    std::string reason;
    int minor = 1;
    Headers headers;
};

/// Parses a complete head as found by HeadScanner. Strict: what RFC 9112 lets a recipient
/// tolerate (folding, blanks around names, odd line ends) is rejected, because differences in what
/// two parsers tolerate enable request smuggling.
Accepted<void> parse_request_head(std::string_view head, RequestHead& out);
Accepted<void> parse_response_head(std::string_view head, ResponseHead& out);

/// Applies the same rules to a trailer field; `line` excludes its line end.
Accepted<void> check_field_line(std::string_view line);

}  // namespace gantry::http
