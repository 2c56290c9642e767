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

/// Where a broken legacy stream goes on.
struct ResumePoint {
    std::string session = {};  // the session id the request was sent with
    std::string last_event_id = {};
    std::optional<std::chrono::milliseconds> retry = {};  // as the server wishes
};

/// One request of somebody who follows its answer himself. Stays where it is until the response head is there.
struct LanePost {
    std::string_view method = {};
    std::string name = {};                // what Mcp-Name says, before header coding; empty: none
    const HeaderList* headers = nullptr;  // Mcp-Param-*
    std::string body = {};
    std::function<void(bool waiting)> on_login = {};  // see Outgoing::on_login
    HttpFailure* failure = nullptr;                   // see Outgoing::failure

    /// The session it was sent with.
    std::string session = {};

    // What was made of it.
    std::string lines = {};
    std::optional<http::OutgoingHead> head = {};
};

/// The way past read() and write() of a Streamable HTTP connection, for answers that are passed on as bytes: whoever
/// sends gets the HTTP response and reads it in his own task. Headers, credentials, the session and resumption are
/// the connection's as ever.
///
/// Only for requests, and only once the revision is known. A seat is held as long as anything here is used.
class HttpLane {
public:
    /// Keeps the connection from closing under somebody; told to leave by cancelling `stop`.
    class Seat {
    public:
        Seat(HttpLane& lane, CancelSource stop);
        ~Seat();
        Seat(const Seat&) = delete;
        Seat& operator=(const Seat&) = delete;

    private:
        friend class HttpLane;
        HttpLane& lane_;
        CancelSource stop_;
        Seat* previous_ = nullptr;
        Seat* next_ = nullptr;
    };

    virtual ~HttpLane() = default;

    /// Sends and waits for the response head. The short way: a redirect is the answer. Goes through post_carefully()
    /// where there are credentials to show or somebody watches.
    virtual Task<Result<http::Response>> post(const Context& ctx, LanePost& post) = 0;
    /// The same with redirects inside the origin followed.
    virtual Task<Result<http::Response>> post_carefully(const Context& ctx, LanePost& post) = 0;

    /// Legacy: asks for the rest of a broken stream.
    virtual Task<Result<EventSource>> resume(const Context& ctx, const ResumePoint& at, HttpFailure& failure) = 0;
    /// How long to wait before that, after so many failures.
    virtual Duration resume_delay(const ResumePoint& at, int failures) const = 0;
    /// The server no longer knows it.
    virtual void forget_session(const std::string& session) = 0;
    /// Reads an answered stream to its end, so that its connection can be used again; not for long.
    virtual void linger(EventSource source) = 0;

    virtual void show_received(std::string_view text) const = 0;
    virtual const StreamableHttpConfig& config() const noexcept = 0;
    bool closing() const noexcept { return leaving_; }
    /// Legacy: the server gave the session an id. Without one it cannot tell whose answers to its questions arrive.
    virtual bool has_session() const noexcept = 0;

protected:
    bool anyone_seated() const noexcept { return first_ != nullptr; }
    void ask_to_leave();
    virtual void seat_left() noexcept = 0;

private:
    Seat* first_ = nullptr;
    bool leaving_ = false;
};

}  // namespace gantry::mcp
