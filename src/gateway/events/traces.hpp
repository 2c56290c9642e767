#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <random>
#include <string>

#include "gateway/events/bus.hpp"
#include "gateway/events/options.hpp"
#include "gateway/events/otlp.hpp"
#include "gateway/ports/tracer.hpp"
#include "io/http/client.hpp"
#include "io/net/egress.hpp"
#include "io/scope.hpp"
#include "io/sync.hpp"

namespace gantry::gateway::events {

/// Exports calls as spans to an OTLP/HTTP collector, in batches. An unavailable collector never delays a call: spans
/// wait in a bounded queue and are dropped and counted when it is full. Belongs to one loop.
class Traces final : public Tracer, public EventListener {
public:
    /// kInvalidArgument when the collector's URL or headers are unusable.
    static Result<std::unique_ptr<Traces>> make(Loop& loop, TraceOptions options, std::string instance,
                                                std::function<void(std::string_view)> note);
    ~Traces() override;

    void start();
    /// Makes one last attempt to flush the queue, in bounded time.
    Task<void> stop(Context grace = Context::background());

    TraceIds begin(std::string_view traceparent) noexcept override;
    void heard(const Record& record) noexcept override;

    std::uint64_t sent() const noexcept { return sent_; }
    std::uint64_t dropped() const noexcept { return dropped_; }

private:
    Traces(Loop& loop, TraceOptions options, Url url, std::string instance, std::function<void(std::string_view)> note);
    Task<void> run();
    Task<void> send_all(const Context& ctx);
    Task<Result<int>> send(const Context& ctx, std::size_t count);
    void take_stock(const Result<int>& status, std::size_t count);

    TraceOptions options_;
    Url url_;
    std::string instance_;
    std::function<void(std::string_view)> note_;
    net::EgressGuard guard_;
    http::Client client_;
    std::mt19937_64 random_;
    std::deque<CallSpan> waiting_;
    std::uint64_t sent_ = 0;
    std::uint64_t dropped_ = 0;
    bool failing_ = false;
    Event full_;
    Scope scope_;
};

}  // namespace gantry::gateway::events
