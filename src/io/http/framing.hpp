#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "io/http/head.hpp"

namespace gantry::http {

/// How a message's body is delimited. Decided once, by one function per direction.
struct Framing {
    enum class Kind : std::uint8_t { kNone, kLength, kChunked, kUntilClose };
    Kind kind = Kind::kNone;
    std::uint64_t length = 0;

    static Framing none() noexcept { return {}; }
    static Framing of_length(std::uint64_t bytes) noexcept { return {.kind = Kind::kLength, .length = bytes}; }
    static Framing chunked() noexcept { return {.kind = Kind::kChunked}; }
    static Framing until_close() noexcept { return {.kind = Kind::kUntilClose}; }
    friend bool operator==(const Framing&, const Framing&) = default;
};

struct RequestRules {
    Framing body;
    bool keep_alive = true;
    bool expects_continue = false;
};

/// Validates what a server must know beyond syntax before it trusts a request. Rejects both lengths,
/// repeated or odd lengths, codings other than chunked, missing or repeated Host. An absolute-form
/// target is converted to origin-form; its authority must agree with Host.
Accepted<RequestRules> judge_request(RequestHead& head);

struct ResponseRules {
    Framing body;
    bool keep_alive = true;
};

/// The same for a final response to a request with `method`.
Accepted<ResponseRules> judge_response(std::string_view method, const ResponseHead& head);

/// 1xx, 204, 304 and responses to HEAD have no body, whatever the headers say.
bool has_body(std::string_view request_method, int status) noexcept;

/// Parses a Content-Length: digits only, without overflow.
std::optional<std::uint64_t> parse_length(std::string_view text) noexcept;

/// Whether the comma-separated list contains `token`.
bool list_contains(std::string_view list, std::string_view token) noexcept;

/// Connection, Keep-Alive, Transfer-Encoding and the like, which concern a single connection. Includes Expect, which
/// each side handles with its own peer.
bool is_hop_by_hop(std::string_view name) noexcept;

/// Copies the fields that may be forwarded: not hop-by-hop, not named by Connection, and not Content-Length
/// (the framing determines it).
void copy_end_to_end(const Headers& from, Headers& to);

}  // namespace gantry::http
