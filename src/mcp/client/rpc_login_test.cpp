#include <gtest/gtest.h>

#include "mcp/client/rpc.hpp"
#include "mcp/transport/testing.hpp"

namespace gantry::mcp {
namespace {

using namespace testing;

/// A peer that requires a login before it accepts a request; the test plays the user.
class LoginConnection final : public Connection {
public:
    Task<Result<std::optional<Incoming>>> read(const Context& ctx) override {
        auto waited = co_await changed_.wait(ctx);
        if (!waited) co_return std::unexpected(waited.error());
        if (closed_) co_return Result<std::optional<Incoming>>(std::nullopt);
        changed_.reset();
        Incoming answer{.message = ResponseMessage{.id = RequestId(1), .outcome = Json(JsonObject{{"done", true}})}};
        co_return Result<std::optional<Incoming>>(std::move(answer));
    }
    Task<Result<void>> write(const Context& ctx, Outgoing outgoing) override {
        if (!outgoing.on_login) co_return Result<void>();  // not a request
        outgoing.on_login(true);
        asked.set();
        auto waited = co_await logged_in.wait(ctx);
        if (answers) changed_.set();
        outgoing.on_login(false);
        co_return waited;
    }
    Task<void> abandon(const RequestId&) override {
        abandoned.set();
        logged_in.set();
        co_return;
    }
    void set_revision(Revision) override {}
    Task<void> close() override {
        closed_ = true;
        changed_.set();
        co_return;
    }

    Event asked, logged_in, abandoned;
    bool answers = true;

private:
    Event changed_;
    bool closed_ = false;
};

constexpr CallTimes kShort{.idle = milliseconds(100), .total = milliseconds(200)};

Task<void> request(Rpc& rpc, Context ctx, std::optional<Result<Json>>& out) {
    RpcCall call;
    call.method = "tools/call";
    call.times = kShort;
    out = co_await rpc.request(ctx, std::move(call));
}

struct LoginRig {
    std::unique_ptr<LoginConnection> made = std::make_unique<LoginConnection>();
    LoginConnection& connection = *made;
    Rpc rpc{std::move(made), {}, true};
    std::optional<Result<Json>> result;
};

Task<void> slow_person() {
    LoginRig rig;
    Scope scope(watchdog());
    scope.spawn(request(rig.rpc, Context(), rig.result));
    (void)co_await rig.connection.asked.wait(watchdog());
    (void)co_await sleep_for(watchdog(), kShort.idle + kShort.total);  // a user takes longer than any call may
    EXPECT_FALSE(rig.result) << "the call's time limit cut the login";
    rig.connection.logged_in.set();
    co_await scope.join();
    EXPECT_TRUE(rig.result->has_value()) << rig.result->error().to_string();
    co_await rig.rpc.close();
}
TEST(RpcLogin, TheCallsTimeLimitsDoNotCountWhileAPersonLogsIn) {
    Loop loop;
    loop.run_until_done(slow_person());
}

Task<void> silent_server() {
    LoginRig rig;
    rig.connection.answers = false;
    rig.connection.logged_in.set();
    Scope scope(watchdog());
    scope.spawn(request(rig.rpc, Context(), rig.result));
    co_await scope.join();
    EXPECT_EQ(rig.result->error().code(), ErrorCode::kTimeout);
    co_await rig.rpc.close();
}
TEST(RpcLogin, TheyCountAgainAfterwards) {
    Loop loop;
    loop.run_until_done(silent_server());
}

Task<void> impatient_caller() {
    LoginRig rig;
    Scope scope(watchdog());
    CancelSource source;
    scope.spawn(request(rig.rpc, Context().stopped_by(source), rig.result));
    (void)co_await rig.connection.asked.wait(watchdog());
    source.cancel();
    co_await scope.join();
    EXPECT_EQ(rig.result->error().code(), ErrorCode::kCancelled);
    EXPECT_TRUE(co_await rig.connection.abandoned.wait(watchdog())) << "the transport goes on waiting";
    co_await rig.rpc.close();
}
TEST(RpcLogin, CancellingEndsTheWaitForThePerson) {
    Loop loop;
    loop.run_until_done(impatient_caller());
}

}  // namespace
}  // namespace gantry::mcp
