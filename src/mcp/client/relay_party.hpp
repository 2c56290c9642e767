#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "io/scope.hpp"
#include "mcp/client/relay.hpp"
#include "mcp/client/unsent_answers.hpp"

namespace gantry::mcp {

/// One relayed request in flight, as the one whom the server may tell and ask things meanwhile. What it asks is worked
/// on beside the request, and nothing of that outlives leave().
class RelayParty {
public:
    /// All references must outlive it. `may_ask`: the server is a legacy one.
    RelayParty(Rpc& rpc, const Context& ctx, const RelayRequest& request, std::int64_t id, bool may_ask);
    RelayParty(const RelayParty&) = delete;
    RelayParty& operator=(const RelayParty&) = delete;

    std::int64_t id() const noexcept { return id_; }
    const RelayRequest& request() const noexcept { return request_; }
    /// Questions and logs that name nobody may be given to it.
    bool can_be_asked() const noexcept { return may_ask_ && static_cast<bool>(request_.hooks.on_request); }
    bool hears_logs() const noexcept { return static_cast<bool>(request_.hooks.on_log); }

    /// Progress whose token is this request's id.
    void on_progress(const RawMessage& note);
    void on_log(const RawMessage& note);
    /// A request of the server that belongs to this one: answered here, if only with a refusal.
    void on_request(RawMessage question);
    /// The server takes a question back; false: none of those asked here.
    bool on_cancelled(const RawMessage& note);

    /// Required before destruction once anything was asked: stops what is still being answered.
    bool has_work() const noexcept { return scope_.has_value(); }
    Task<void> leave();

protected:
    ~RelayParty() = default;
    Rpc& rpc() const noexcept { return rpc_; }

private:
    /// The server is alive; it is our turn, or no longer.
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
    std::size_t working_bytes_ = 0;  // size of the questions that are being worked on
    std::vector<std::pair<RequestId, CancelSource>> asked_;
    std::optional<Scope> scope_;  // once there is something to answer
};

/// Whether the text of a scanned value is this number.
bool spells(const json::Span& span, std::int64_t number) noexcept;

}  // namespace gantry::mcp
