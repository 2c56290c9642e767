#pragma once

#include <chrono>
#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "io/scope.hpp"
#include "io/sse/parser.hpp"
#include "io/sync.hpp"
#include "mcp/transport/event_source.hpp"
#include "mcp/transport/http_caller.hpp"
#include "mcp/transport/inbox.hpp"
#include "mcp/transport/raw_http_exchange.hpp"
#include "mcp/transport/streamable_http.hpp"

namespace gantry::mcp {

/// The connection behind StreamableHttpTransport: streamable_write.cpp sends, streamable_read.cpp follows streams,
/// streamable_lane.cpp serves callers that read their streams themselves.
class StreamableConnection final : public Connection, public RawHttpExchange {
public:
    explicit StreamableConnection(StreamableHttpConfig config);

    Task<Result<std::optional<Incoming>>> read(const Context& ctx) override;
    Task<Result<void>> write(const Context& ctx, Outgoing outgoing) override;
    Task<void> abandon(const RequestId& id) override;
    void set_revision(Revision revision) override { revision_ = revision; }
    RawHttpExchange* lane() noexcept override { return this; }
    Task<void> close() override;

    // RawHttpExchange.
    Task<Result<http::Response>> post(const Context& ctx, RawPost& post) override;
    Task<Result<http::Response>> post_carefully(const Context& ctx, RawPost& post) override;
    Task<Result<EventSource>> resume(const Context& ctx, const ResumePoint& at, HttpFailure& failure) override;
    Duration resume_delay(const ResumePoint& at, int failures) const override { return delay_before(at, failures); }
    void forget_session(const std::string& session) override;
    void linger(EventSource source) override;
    void show_received(std::string_view text) const override { caller_.show_received(text); }
    const StreamableHttpConfig& config() const noexcept override { return config_; }

private:
    /// One message in flight, or the GET stream, with what has been received so far.
    struct PendingPost : ResumePoint {
        std::optional<RequestId> id = {};  // empty unless a request
        CancelSource cancel = {};
        bool modern = false;
        bool initialize = false;
        bool answered = false;
        std::string offered_session = {};      // the session id of its response head
        std::optional<Error> unreadable = {};  // the last event that was not a message
    };
    using PendingPostPtr = std::shared_ptr<PendingPost>;

    // Sending.
    PendingPostPtr begin(const Message& message);
    void forget(const PendingPost& pending);
    http::Headers headers_for(const Message& message, const PendingPost& pending) const;
    Task<Result<void>> post(Context ctx, Outgoing& outgoing, PendingPostPtr pending);
    Task<Result<void>> take_json(Context ctx, Outgoing& outgoing, PendingPost& pending, http::Response response);
    Task<Result<void>> take_refusal(Context ctx, Outgoing& outgoing, PendingPost& pending, http::Response response);
    void start_listening();
    Task<void> end_session();

    // Receiving.
    Task<void> deliver(PendingPost& pending, std::vector<Message> messages, int status, std::size_t bytes);
    Task<Result<void>> follow(Context ctx, PendingPost& pending, EventSource& source, bool& progress);
    Task<void> follow_post(PendingPostPtr pending, http::Response response);
    Task<void> listen(PendingPostPtr pending);
    Task<Result<EventSource>> reopen(Context ctx, const ResumePoint& at, HttpFailure& failure);
    Task<void> report_lost(const PendingPost& pending, Error error);
    Duration delay_before(const ResumePoint& at, int attempt) const;

    // The lane.
    void slot_released() noexcept override { idle_.pulse(); }
    bool has_session() const noexcept override { return !session_.empty(); }
    Result<void> make_lane_fields();
    Task<void> follow_to_end(EventSource source);

    StreamableHttpConfig config_;
    HttpCaller caller_;
    Inbox inbox_;
    std::optional<Revision> revision_;
    std::string session_;
    std::map<std::string, PendingPostPtr> pending_;  // unanswered requests by to_text(id)
    PendingPostPtr listener_;
    /// Fields of every request on the lane, made for the revision and the session beside it.
    http::Headers lane_fields_;
    std::string lane_lines_;  // the same as sent after the request line
    std::optional<Revision> lane_revision_;
    std::string lane_session_;
    std::shared_ptr<const http::Destination> lane_to_;
    std::string lane_target_;
    std::size_t writing_ = 0;
    bool closing_ = false;
    Event idle_;
    Event closed_;
    Scope scope_;
};

}  // namespace gantry::mcp
