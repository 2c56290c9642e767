#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "io/context.hpp"
#include "io/http/client.hpp"
#include "io/http/transaction.hpp"
#include "mcp/protocol/headers.hpp"
#include "mcp/transport/event_source.hpp"

namespace gantry::mcp {

struct HttpFailure;
struct StreamableHttpConfig;

/// The point from which a broken legacy stream is resumed.
struct ResumePoint {
    std::string session = {};  // the session id the request was sent with
    std::string last_event_id = {};
    std::optional<std::chrono::milliseconds> retry = {};  // as requested by the server
};

/// One request whose sender reads the answer itself. Must stay in place until the response head arrives.
struct RawPost {
    std::string_view method = {};
    std::string name = {};                 // value of Mcp-Name before header encoding; empty: none
    std::string_view correlation_id = {};  // value of X-Correlation-Id, sent as it is; empty: none
    const HeaderList* headers = nullptr;   // Mcp-Param-*
    std::string body = {};
    std::function<void(bool waiting)> on_login = {};  // see Outgoing::on_login
    HttpFailure* failure = nullptr;                   // see Outgoing::failure

    /// The session the request was sent with.
    std::string session = {};

    // The encoded form of this request.
    std::string lines = {};
    std::optional<http::OutgoingHead> head = {};
};

/// Bypasses read() and write() of a Streamable HTTP connection for answers that are passed on as bytes: the sender
/// receives the HTTP response and reads it in its own task. The connection remains responsible for headers,
/// credentials, the session and resumption.
///
/// Only for requests, and only once the revision is known. A Slot must be held for as long as anything here is used.
class RawHttpExchange {
public:
    /// Keeps the connection from closing while it is in use; asked to leave by cancelling `stop`.
    class Slot {
    public:
        Slot(RawHttpExchange& lane, CancelSource stop);
        ~Slot();
        Slot(const Slot&) = delete;
        Slot& operator=(const Slot&) = delete;

    private:
        friend class RawHttpExchange;
        RawHttpExchange& lane_;
        CancelSource stop_;
        Slot* previous_ = nullptr;
        Slot* next_ = nullptr;
    };

    virtual ~RawHttpExchange() = default;

    /// Sends and waits for the response head. Fast path: a redirect is returned as the answer. Falls back to
    /// post_carefully() if there are credentials to send or traffic is observed.
    virtual Task<Result<http::Response>> post(const Context& ctx, RawPost& post) = 0;
    /// The same, following redirects within the origin.
    virtual Task<Result<http::Response>> post_carefully(const Context& ctx, RawPost& post) = 0;

    /// Legacy: requests the rest of a broken stream.
    virtual Task<Result<EventSource>> resume(const Context& ctx, const ResumePoint& at, HttpFailure& failure) = 0;
    /// The delay before the next resume(), after `failures` failed ones.
    virtual Duration resume_delay(const ResumePoint& at, int failures) const = 0;
    /// The server no longer knows the session.
    virtual void forget_session(const std::string& session) = 0;
    /// Drains an answered stream, so that its connection can be reused; bounded in time.
    virtual void linger(EventSource source) = 0;

    virtual void show_received(std::string_view text) const = 0;
    virtual const StreamableHttpConfig& config() const noexcept = 0;
    bool closing() const noexcept { return leaving_; }
    /// Legacy: the server assigned a session id. Without one it cannot tell which client answers its questions.
    virtual bool has_session() const noexcept = 0;

protected:
    bool in_use() const noexcept { return first_ != nullptr; }
    void ask_to_leave();
    virtual void slot_released() noexcept = 0;

private:
    Slot* first_ = nullptr;
    bool leaving_ = false;
};

}  // namespace gantry::mcp
