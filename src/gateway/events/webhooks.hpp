#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "gateway/events/journal.hpp"
#include "gateway/events/options.hpp"
#include "gateway/events/webhook_signature.hpp"
#include "gateway/events/writer.hpp"
#include "io/http/client.hpp"
#include "io/net/egress.hpp"
#include "io/scope.hpp"
#include "io/sync.hpp"

namespace gantry::gateway::events {

/// Delivers events from the journal to the configured URLs: in order, at least once, signed, one at a time per URL. A
/// refused delivery is retried with growing back-off and finally becomes a dead letter. A receiver that is down affects
/// no other. Belongs to one loop.
class Webhooks {
public:
    struct Parts {
        Writer& writer;
        std::function<void(std::string_view)> note = {};
    };
    /// kInvalidArgument names the webhook and the problem.
    static Result<std::unique_ptr<Webhooks>> make(Loop& loop, std::vector<WebhookOptions> options, Parts parts);
    ~Webhooks();

    /// The consumers that the journal has to keep deliveries for.
    static std::vector<Consumer> consumers(const std::vector<WebhookOptions>& options);

    /// `alone`: no other process uses the journal, so deliveries that were in progress when the last process died are
    /// retried at once; otherwise only when they are stale.
    void start(bool alone);
    /// Hints that there may be something to deliver.
    void news() { news_.pulse(); }
    /// Retries failing receivers at once, even though their back-off has not elapsed.
    void try_now();
    std::vector<std::string> names() const;
    Task<void> stop();

    std::uint64_t delivered() const noexcept { return delivered_; }
    std::uint64_t failed() const noexcept { return failed_; }

private:
    struct Hook {
        Hook(Loop& loop, WebhookOptions options, Url url, WebhookSigner signer);
        WebhookOptions options;
        Url url;
        WebhookSigner signer;
        net::EgressGuard guard;
        http::Client client;
        int failures = 0;  // in a row
    };
    Webhooks(Parts parts);

    Task<void> serve(Hook& hook);
    Task<void> recover(bool alone);
    Task<Result<void>> round(const Context& ctx, Hook& hook);
    Task<Result<void>> pause(const Context& ctx, Duration length);
    Task<Result<void>> wait_for_work(const Context& ctx, Hook& hook);
    Task<Result<void>> deliver(const Context& ctx, Hook& hook, const Delivery& delivery);
    Task<Result<int>> post(const Context& ctx, Hook& hook, const Delivery& delivery);
    Task<Result<void>> settle(const Context& ctx, Hook& hook, const Delivery& delivery, const Result<int>& status);
    Task<void> hand_back(Hook& hook, std::vector<std::int64_t> seqs);
    Task<Result<void>> release(const Context& ctx, Hook& hook, std::vector<std::int64_t> seqs);

    Parts parts_;
    std::vector<std::unique_ptr<Hook>> hooks_;
    std::uint64_t delivered_ = 0;
    std::uint64_t failed_ = 0;
    Event news_;
    Event hurry_;
    Scope scope_;
};

}  // namespace gantry::gateway::events
