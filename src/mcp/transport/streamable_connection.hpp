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
#include "mcp/transport/streamable_http.hpp"

namespace gantry::mcp {

/// The connection behind StreamableHttpTransport: streamable_write.cpp sends, streamable_read.cpp follows streams.
class StreamableConnection final : public Connection {
public:
    explicit StreamableConnection(StreamableHttpConfig config);

    Task<Result<std::optional<Incoming>>> read(const Context& ctx) override;
    Task<Result<void>> write(const Context& ctx, Outgoing outgoing) override;
    Task<void> abandon(const RequestId& id) override;
    void set_revision(Revision revision) override { revision_ = revision; }
    Task<void> close() override;

private:
    /// One message on its way, or the GET stream, and what has come back so far.
    struct Exchange {
        std::optional<RequestId> id = {};  // empty unless a request
        CancelSource cancel = {};
        bool modern = false;
        bool initialize = false;
        bool answered = false;
        std::string session = {};          // the session id it was sent with
        std::string offered_session = {};  // the one its response head brought
        std::string last_event_id = {};    // where to resume
        std::optional<std::chrono::milliseconds> retry = {};
        std::optional<Error> unreadable = {};  // the last event that was no message
    };
    using ExchangePtr = std::shared_ptr<Exchange>;

    // Sending.
    ExchangePtr begin(const Message& message);
    void forget(const Exchange& exchange);
    http::Headers headers_for(const Message& message, const Exchange& exchange) const;
    Task<Result<void>> post(Context ctx, Outgoing& outgoing, ExchangePtr exchange);
    Task<Result<void>> take_json(Context ctx, Outgoing& outgoing, Exchange& exchange, http::Response response);
    Task<Result<void>> take_refusal(Context ctx, Outgoing& outgoing, Exchange& exchange, http::Response response);
    void start_listening();
    Task<void> end_session();

    // Receiving.
    Task<void> deliver(Exchange& exchange, std::vector<Message> messages, int status);
    Task<Result<void>> follow(Context ctx, Exchange& exchange, EventSource& source, bool& progress);
    Task<void> follow_post(ExchangePtr exchange, http::Response response);
    Task<void> listen(ExchangePtr exchange);
    Task<Result<EventSource>> reopen(Context ctx, Exchange& exchange, HttpFailure& failure);
    Task<void> report_lost(const Exchange& exchange, Error error);
    Duration delay_before(const Exchange& exchange, int attempt) const;

    StreamableHttpConfig config_;
    HttpCaller caller_;
    Inbox inbox_;
    std::optional<Revision> revision_;
    std::string session_;
    std::map<std::string, ExchangePtr> exchanges_;  // unanswered requests by to_text(id)
    ExchangePtr listener_;
    std::size_t writing_ = 0;
    bool closing_ = false;
    Event idle_;
    Event closed_;
    Scope scope_;
};

}  // namespace gantry::mcp
