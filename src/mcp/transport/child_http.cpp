#include "mcp/transport/child_http.hpp"

#include <utility>

#include "base/try.hpp"
#include "io/scope.hpp"
#include "mcp/transport/wire_tap.hpp"

namespace gantry::mcp {
namespace {

/// How long messages sent before the exit may take to be read, and how long the end of a stream waits for the exit
/// that explains it.
constexpr Duration kDrain = milliseconds(50);
constexpr Duration kExitGrace = seconds(1);

class ChildHttpConnection final : public Connection {
public:
    ChildHttpConnection(std::shared_ptr<SharedChild> child, std::shared_ptr<ChildServer> server,
                        std::unique_ptr<Connection> inner)
        : child_(std::move(child)),
          server_(std::move(server)),
          inner_(std::move(inner)),
          scope_(Context::background()) {
        scope_.spawn(follow_end(scope_.context()));
    }

    Task<Result<std::optional<Incoming>>> read(const Context& ctx) override {
        const CancelSource either(ctx.cancel());
        Result<std::optional<Incoming>> got;
        {
            // Without a stream of its own the inner connection would not notice that the child is gone.
            const CancelCallback on_end(child_ended_.token(), [&either] { either.cancel(); });
            got = co_await inner_->read(ctx.stopped_by(either));
        }
        if (got || closing_ || !ctx.check()) co_return got;
        if (got.error().fatal()) {
            (void)co_await server_->wait_for_end(ctx.within(kExitGrace));
            if (server_->has_ended() && !closing_) co_return fail(server_->end().caused_by(std::move(got).error()));
            co_return got;
        }
        if (!server_->has_ended()) co_return got;
        auto last = co_await inner_->read(ctx.within(kDrain));
        if (last || closing_) co_return last;
        co_return fail(server_->end());
    }

    Task<Result<void>> write(const Context& ctx, Outgoing outgoing) override {
        return inner_->write(ctx, std::move(outgoing));
    }
    Task<void> abandon(const RequestId& id) override { return inner_->abandon(id); }
    void set_revision(Revision revision) override { inner_->set_revision(revision); }
    void prefer_raw(std::size_t hold_bytes) override { inner_->prefer_raw(hold_bytes); }
    RawHttpExchange* lane() noexcept override { return inner_->lane(); }

    Task<void> close() override {
        if (closing_) {
            (void)co_await closed_.wait(Context::background());
            co_return;
        }
        closing_ = true;
        scope_.cancel();
        co_await scope_.join();
        co_await inner_->close();
        co_await child_->release(server_);
        closed_.set();
    }

private:
    Task<void> follow_end(Context ctx) {
        if (co_await server_->wait_for_end(ctx)) child_ended_.cancel();
    }

    std::shared_ptr<SharedChild> child_;
    std::shared_ptr<ChildServer> server_;
    std::unique_ptr<Connection> inner_;
    CancelSource child_ended_;
    bool closing_ = false;
    Event closed_;
    Scope scope_;
};

}  // namespace

ChildHttpTransport::ChildHttpTransport(std::shared_ptr<SharedChild> child, Make make)
    : child_(std::move(child)), make_(std::move(make)) {}

Task<Result<std::unique_ptr<Connection>>> ChildHttpTransport::connect(const Context& ctx) {
    GANTRY_CO_TRY(auto server, co_await child_->acquire(ctx));
    auto inner = co_await make_(server->http(), server->url())->connect(ctx);
    if (!inner) {
        Error why = std::move(inner).error();
        if (why.code() == ErrorCode::kConnection || why.code() == ErrorCode::kOutcomeUnknown)
            (void)co_await server->wait_for_end(ctx.within(kExitGrace));
        if (server->has_ended()) why = server->end().caused_by(std::move(why));
        co_await child_->release(std::move(server));
        co_return fail(std::move(why));
    }
    co_return std::make_unique<ChildHttpConnection>(child_, std::move(server), *std::move(inner));
}

std::string ChildHttpTransport::describe() const {
    return "http child " + masked_command(child_->config().command, child_->config().args);
}

}  // namespace gantry::mcp
