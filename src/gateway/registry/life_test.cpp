// The status of the registry's sources, and the order in which they stop.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gateway/registry/registry.hpp"
#include "io/loop.hpp"

namespace gantry::gateway {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

/// A source whose status the test sets.
class StandingSource final : public Source {
public:
    StandingSource(std::string name, std::vector<std::string>& stopped) : name_(std::move(name)), stopped_(stopped) {}

    const std::string& name() const noexcept override { return name_; }
    SourceState state() const noexcept override { return standing_; }
    std::string trouble() const override { return standing_ == SourceState::kDown ? "for the test" : ""; }
    void start() override {}
    Task<void> stop() override {
        stopped_.push_back(name_);
        // A slow source does not delay the others.
        for (int i = 0; i < 3; ++i) co_await one_turn();
        stopped_.push_back("/" + name_);
    }
    void retry_now() override { ++retried; }
    InventoryPtr inventory() const override { return inventory_; }
    Task<Result<Output>> execute(const Context&, const AdmittedCall&, ReplyLine&) override {
        co_return fail(ErrorCode::kUnsupported, "nothing is called here");
    }
    Task<std::set<std::string>> follow(const Context&, std::set<std::string>) override {
        co_return std::set<std::string>();
    }
    void client_gone(const std::string&) override {}
    void watch(std::function<void(const SourceChange&)> tell) override { tell_ = std::move(tell); }

    void stand(SourceState state) {
        standing_ = state;
        if (tell_) tell_({.kind = SourceChange::Kind::kState});
    }
    int retried = 0;

private:
    std::string name_;
    std::vector<std::string>& stopped_;
    SourceState standing_ = SourceState::kStarting;
    InventoryPtr inventory_ = std::make_shared<const Inventory>();
    std::function<void(const SourceChange&)> tell_;
};

struct Street {
    Loop loop;
    std::vector<std::string> stopped;
    std::shared_ptr<StandingSource> a = std::make_shared<StandingSource>("a", stopped);
    std::shared_ptr<StandingSource> b = std::make_shared<StandingSource>("b", stopped);
    std::shared_ptr<StandingSource> c = std::make_shared<StandingSource>("c", stopped);
    Registry registry{{{.source = a}, {.source = b, .required = true}, {.source = c}}, {}};

    void start() {
        loop.run_until_done([](Registry& sources) -> Task<void> {
            sources.start();
            co_return;
        }(registry));
    }
    void end() { loop.run_until_done(registry.stop()); }
};

TEST(RegistryLife, SourcesEndInReverseOrderAndNoneWaitsForAnother) {
    Street street;
    street.start();
    street.end();
    EXPECT_THAT(street.stopped, ElementsAre("c", "b", "a", "/c", "/b", "/a"));
}

TEST(RegistryLife, ActiveAndConnectedAreToldApart) {
    Street street;
    street.start();
    street.a->stand(SourceState::kReady);
    street.b->stand(SourceState::kAsleep);
    street.c->stand(SourceState::kDown);
    const auto standing = street.registry.standing();
    ASSERT_EQ(standing.size(), 3u);
    EXPECT_TRUE(standing[0].active && standing[0].connected);
    EXPECT_TRUE(standing[1].active && !standing[1].connected);
    EXPECT_FALSE(standing[2].active || standing[2].connected);
    EXPECT_EQ(standing[2].trouble, "for the test");
    street.end();
}

TEST(RegistryLife, ReconnectHurriesOnlyWhoIsNotConnected) {
    Street street;
    street.start();
    street.a->stand(SourceState::kReady);
    street.b->stand(SourceState::kAsleep);
    street.c->stand(SourceState::kDown);
    EXPECT_EQ(street.registry.reconnect(), 1u);
    EXPECT_EQ(street.a->retried + street.b->retried, 0);
    EXPECT_EQ(street.c->retried, 1);
    street.end();
}

TEST(RegistryLife, OnlyWhatIsRequiredKeepsTheGatewayFromStarting) {
    Street street;
    street.start();
    street.c->stand(SourceState::kDown);
    street.b->stand(SourceState::kReady);
    EXPECT_TRUE(street.loop.run_until_done(street.registry.require(Context::background())).has_value());
    street.b->stand(SourceState::kDown);
    const auto refused = street.loop.run_until_done(street.registry.require(Context::background()));
    ASSERT_FALSE(refused.has_value());
    EXPECT_THAT(refused.error().message(), HasSubstr("b: for the test"));
    street.end();
}

TEST(RegistryLife, AServersOwnScopeWaitsForThatServerAlone) {
    Street street;
    street.start();
    EXPECT_FALSE(street.registry.is_settled("servers/a"));
    street.a->stand(SourceState::kReady);
    EXPECT_TRUE(street.loop.run_until_done(street.registry.settled(Context::background(), "servers/a")).has_value());
    EXPECT_FALSE(street.registry.is_settled("servers/c"));
    EXPECT_FALSE(street.registry.is_settled(""));
    EXPECT_THAT(street.registry.starting(), ElementsAre("b", "c"));
    street.end();
}

TEST(RegistryLife, ASourceThatAReloadRemovesIsNotRequiredAnyMore) {
    Street street;
    street.start();
    street.loop.run_until_done([](Street& s) -> Task<void> {
        Scope waiting(Context::background());
        bool started = false;
        waiting.spawn([](Street& inner, bool& done) -> Task<void> {
            done = (co_await inner.registry.require(Context::background())).has_value();
        }(s, started));
        co_await yield_now();
        auto prepared =
            co_await s.registry.prepare(Context::background(), {.sources = {{.source = s.a}, {.source = s.c}}});
        const auto gone = s.registry.commit(*std::move(prepared));
        EXPECT_EQ(gone.size(), 1u);
        co_await waiting.join();
        EXPECT_TRUE(started) << "it waited for a server that is gone";
    }(street));
    street.end();
}

}  // namespace
}  // namespace gantry::gateway
