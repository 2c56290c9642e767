// Catalogs that are built on a thread of their own, while the sources keep changing.

#include <gtest/gtest.h>

#include <atomic>
#include <semaphore>

#include "gateway/registry/test_talking_source.hpp"
#include "io/loop.hpp"
#include "io/worker.hpp"

namespace gantry::gateway {
namespace {

/// Starting, and offering nothing, until it answers.
class LateSource final : public TalkingSource {
public:
    using TalkingSource::TalkingSource;
    SourceState state() const noexcept override { return answered_ ? SourceState::kReady : SourceState::kStarting; }
    InventoryPtr inventory() const override {
        return answered_ ? TalkingSource::inventory() : std::make_shared<const Inventory>();
    }
    void start() override {}
    void answer() {
        answered_ = true;
        publish();
    }

private:
    bool answered_ = false;
};

/// Holds builds up when told to.
struct Hold {
    std::atomic<bool> wanted = false;
    std::binary_semaphore inside{0};
    std::binary_semaphore released{0};

    CatalogBuilderOptions builder() {
        return {.inspect =
                    [this](const std::string& source, InventoryPtr offered) {
                        if (source == "early" && wanted.exchange(false)) {
                            inside.release();
                            released.acquire();
                        }
                        return offered;
                    },
                .worker = std::make_unique<Worker>()};
    }
    Task<void> begun() {
        while (!inside.try_acquire()) co_await sleep_for(Context::background(), milliseconds(1));
    }
};

struct Pair {
    Hold hold;
    std::shared_ptr<TalkingSource> early = std::make_shared<TalkingSource>("early");
    std::shared_ptr<LateSource> late = std::make_shared<LateSource>("late");
    Registry registry{{{.source = early, .prefix = "early"}, {.source = late, .prefix = "late"}},
                      {.gather = milliseconds(1), .building = hold.builder()}};

    /// Both have answered.
    Task<void> open() {
        late->answer();
        registry.start();
        EXPECT_TRUE(co_await registry.settled(Context::background().within(seconds(30))));
    }
    bool offers(std::string_view tool) const { return registry.catalog()->find(ItemKind::kTool, "", tool).has_value(); }
};

TEST(Building, ASourceThatAnswersDuringABuildIsSettledOnlyWithItsItems) {
    Loop loop;
    loop.run_until_done([]() -> Task<void> {
        Pair pair;
        pair.hold.wanted = true;
        pair.registry.start();
        co_await pair.hold.begun();
        pair.late->answer();
        pair.hold.released.release();
        EXPECT_TRUE(co_await pair.registry.settled(Context::background().within(seconds(30))));
        EXPECT_TRUE(pair.offers("late_first")) << "a client that waited for it may call it now";
        co_await pair.registry.stop();
    }());
}

TEST(Building, AConfigurationThatComesInDuringABuildIsNotUndoneByIt) {
    Loop loop;
    loop.run_until_done([]() -> Task<void> {
        Pair pair;
        co_await pair.open();
        auto next = co_await pair.registry.prepare(Context::background(),
                                                   {.sources = {{.source = pair.early, .prefix = "renamed"}}});
        pair.hold.wanted = true;
        pair.early->offer("second");
        pair.early->publish();
        co_await pair.hold.begun();
        EXPECT_EQ(pair.registry.commit(*std::move(next)).size(), 1u);
        EXPECT_TRUE(pair.offers("renamed_first")) << "in force at once";
        pair.hold.released.release();
        co_await pair.registry.catch_up(Context::background().within(seconds(30)));
        EXPECT_TRUE(pair.offers("renamed_second"));
        EXPECT_FALSE(pair.offers("early_second") || pair.offers("late_first"));
        co_await pair.registry.stop();
    }());
}

TEST(Building, SourcesComeAndGoOneByOne) {
    Loop loop;
    loop.run_until_done([]() -> Task<void> {
        Pair pair;
        co_await pair.open();
        const Context ctx = Context::background().within(seconds(30));
        const auto third = std::make_shared<TalkingSource>("third");
        const auto none = co_await pair.registry.upsert(ctx, {.source = third, .prefix = "third"});
        EXPECT_TRUE(none && *none == nullptr);
        EXPECT_TRUE(pair.offers("third_first") && pair.offers("early_first"));
        const auto again = std::make_shared<TalkingSource>("third");
        again->offer("second");
        const auto replaced = co_await pair.registry.upsert(ctx, {.source = again, .prefix = "third"});
        EXPECT_TRUE(replaced && *replaced == third);
        EXPECT_TRUE(pair.offers("third_second") && !pair.offers("third_first"));
        const auto removed = co_await pair.registry.remove(ctx, "late");
        EXPECT_TRUE(removed && *removed == pair.late);
        EXPECT_FALSE(pair.offers("late_first"));
        EXPECT_EQ((co_await pair.registry.remove(ctx, "late")).error().code(), ErrorCode::kNotFound);
        co_await pair.registry.stop();
    }());
}

}  // namespace
}  // namespace gantry::gateway
