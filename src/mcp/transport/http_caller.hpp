#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/url.hpp"
#include "io/http/authorization.hpp"
#include "io/http/client.hpp"
#include "mcp/transport/connection.hpp"
#include "mcp/transport/wire_tap.hpp"

namespace gantry::mcp {

/// Common configuration of both HTTP transports. Pointers must outlive the connections; null authorization: none.
struct HttpConfig {
    Url url = {};
    /// Sent with every request; the protocol's own fields take precedence.
    std::vector<std::pair<std::string, std::string>> headers = {};
    http::Client* client = nullptr;
    http::Authorization* authorization = nullptr;
    WireTap tap = {};
    std::size_t max_body_bytes = 64u << 20;
    std::size_t max_event_bytes = 64u << 20;
    /// Messages queued for read(); when the queue is full, streams are not read (back-pressure).
    std::size_t max_waiting = 1024;
    std::size_t max_waiting_bytes = 4u << 20;
    /// Reject messages with lone surrogates instead of replacing those with U+FFFD.
    bool strict_json = false;
    int max_redirects = 3;
    /// How often one request is retried because authorization asks for it.
    int max_authorization_rounds = 4;
};

/// Rejects what could never be sent: a missing client, header fields with line breaks.
Result<void> check_config(const HttpConfig& config);

/// Sends requests to one origin: adds configured headers and credentials, follows redirects within the origin (keeping
/// method and body) and rejects all others, reports all traffic to the tap.
class HttpCaller {
public:
    explicit HttpCaller(const HttpConfig& config);

    struct Call {
        std::string method = {};
        Url url = {};
        http::Headers headers = {};  // the protocol's own
        std::string body = {};
        /// If false, a challenge is not answered, so that closing never opens a browser.
        bool authorize = true;
        /// See Outgoing::on_login.
        std::function<void(bool waiting)> on_login = {};
    };

    /// Waits for the response head, whatever its status except a redirect. `failure` (may be null) is filled in if the
    /// error comes from the peer's answer.
    Task<Result<http::Response>> send(const Context& ctx, Call call, HttpFailure* failure);

    /// Reports a body or an event to the tap.
    void show_received(std::string_view text) const;
    const HttpConfig& config() const noexcept { return config_; }

private:
    Result<Url> redirect_target(const http::Response& response, const Url& from, HttpFailure* failure) const;

    const HttpConfig& config_;
    std::string origin_;
};

}  // namespace gantry::mcp
