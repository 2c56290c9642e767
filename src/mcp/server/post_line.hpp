#pragma once

#include <optional>
#include <string>

#include "io/loop.hpp"
#include "io/scope.hpp"
#include "mcp/server/event_stream.hpp"
#include "mcp/server/http_endpoint_impl.hpp"
#include "mcp/server/in_flight.hpp"

namespace gantry::mcp {

/// The reply line of one POST. Undecided between a single JSON body and an event stream until there is something to
/// send before the answer, or until it has been silent for long. Stored in the frame of the serving task.
///
/// A request answered immediately costs only an alarm; a separate task watches the client and writes only if the
/// answer takes time or something is sent before it.
class PostLine final : public ReplyChannel {
public:
    struct Parts {
        HttpEndpoint::Impl& endpoint;
        HttpRequest& request;
        Context ctx;                     // the exchange's own
        HttpSession* session = nullptr;  // legacy with a session
        bool modern = true;
    };
    PostLine(const Parts& parts, InFlight& call);
    ~PostLine() override;

    bool notify(std::string message) override;
    Task<Result<void>> room(const Context& ctx) override;
    bool can_ask() const noexcept override { return parts_.session != nullptr && may_stream(); }
    Task<Result<std::string>> ask(const Context& ctx, std::string_view method, std::string params) override;
    void hang_up(Duration retry) override;

    /// Starts watching the client for disconnection while it waits.
    void watch();
    /// For a client that accepts only an event stream.
    void open() { begin_stream(); }
    /// True if nothing but the answer is to be sent: it can be a single body, and the caller owns the exchange.
    bool untouched() noexcept {
        alarm_.disarm();
        return !scope_;
    }
    /// Sends the answer otherwise. Afterwards no task of this line is running.
    Task<void> settle(Answer answer, int status);

    /// A client resumed the stream: `stream` carries it from now on.
    void attach(std::shared_ptr<EventStream> stream);
    void detach(const EventStream& stream) noexcept {
        if (outlet_ == &stream) outlet_ = nullptr;
    }
    /// 0 until there is a resumable stream.
    std::uint64_t number() const noexcept { return number_; }

private:
    bool may_stream() const noexcept;
    bool keeps_events() const noexcept { return parts_.session != nullptr; }
    void begin_stream();
    void start();
    Task<void> pump();
    void lost();
    bool emit(std::string message, bool droppable);
    Task<void> settle_stream(Answer answer);
    Task<void> write_last(Answer answer);
    Task<Result<void>> write_long(Answer answer, std::string out, std::string_view id);
    Task<void> pass_on(Answer answer);
    Task<std::string> gather(Answer answer);
    std::string not_kept(std::string_view why) const;

    Parts parts_;
    InFlight& call_;
    EventStream stream_;
    EventStream* outlet_ = nullptr;           // where events go now; null: no reader
    std::shared_ptr<EventStream> came_back_;  // the last one attached
    bool streaming_ = false;
    std::uint64_t number_ = 0;
    bool told_ = false;  // an event with an id has been sent
    Loop::Alarm alarm_;
    std::optional<Scope> scope_;
};

}  // namespace gantry::mcp
