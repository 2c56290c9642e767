#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "io/scope.hpp"
#include "mcp/client/relay.hpp"
#include "mcp/client/unsent_answers.hpp"

namespace gantry::mcp {

/// One relayed request in flight, as the recipient of messages the server sends meanwhile. Questions are answered
/// concurrently with the request, and none of that work outlives leave().
class RelayParty {
public:
    /// All references must outlive it. `may_ask`: the server is legacy.
    RelayParty(Rpc& rpc, const Context& ctx, const RelayRequest& request, std::int64_t id, bool may_ask);
    RelayParty(const RelayParty&) = delete;
    RelayParty& operator=(const RelayParty&) = delete;

    std::int64_t id() const noexcept { return id_; }
    const RelayRequest& request() const noexcept { return request_; }
    /// Whether it can take questions and logs that are not attributed to a request.
    bool can_be_asked() const noexcept { return may_ask_ && static_cast<bool>(request_.hooks.on_request); }
    bool hears_logs() const noexcept { return static_cast<bool>(request_.hooks.on_log); }

    /// Progress for this request's token.
    void on_progress(const RawMessage& note);
    void on_log(const RawMessage& note);
    /// A request of the server that belongs to this one; always answered, if only with an error.
    void on_request(RawMessage question);
    /// The server cancels a question. Returns false if it was not asked here.
    bool on_cancelled(const RawMessage& note);

    /// Stops work on unanswered questions. Required before destruction if there was any question.
    bool has_work() const noexcept { return scope_.has_value(); }
    Task<void> leave();

protected:
    ~RelayParty() = default;
    Rpc& rpc() const noexcept { return rpc_; }

private:
    /// The server is alive; a question starts or stops being answered.
    virtual void revived() = 0;
    virtual void serving(bool begins) = 0;

    Task<void> answer(RawMessage question, CancelSource stop, UnsentAnswers::Entry unsent);
    Task<std::string> answer_text(const Context& ctx, const RawMessage& question, UnsentAnswers::Entry& unsent);

    Rpc& rpc_;
    const Context& ctx_;
    const RelayRequest& request_;
    std::int64_t id_;
    bool may_ask_;
    std::optional<double> progress_;
    std::size_t working_bytes_ = 0;  // total size of the questions being answered
    std::vector<std::pair<RequestId, CancelSource>> asked_;
    std::optional<Scope> scope_;  // created for the first question
};

/// Whether a scanned value is exactly this number.
bool spells(const json::Span& span, std::int64_t number) noexcept;

}  // namespace gantry::mcp
