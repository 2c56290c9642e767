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

/// Takes events from the journal to the URLs that want them: in order, at least once, signed, one at a time for each.
/// What is refused is tried again, later and later; at last it is a dead letter. A receiver that is down costs nobody
/// else anything. Belongs to one loop.
class Webhooks {
public:
    struct Parts {
        Writer& writer;
        std::function<void(std::string_view)> note = {};
    };
    /// kInvalidArgument names the webhook and what is wrong with it.
    static Result<std::unique_ptr<Webhooks>> make(Loop& loop, std::vector<WebhookOptions> options, Parts parts);
    ~Webhooks();

    /// What the journal has to keep for whom.
    static std::vector<Consumer> consumers(const std::vector<WebhookOptions>& options);

    /// `alone`: no other process uses the journal, so that whatever was being delivered when the last one died comes
    /// again at once; otherwise when it is stale.
    void start(bool alone);
    /// There may be something to deliver.
    void news() { news_.pulse(); }
    /// Those that were down are tried at once, though their pause is not over.
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
