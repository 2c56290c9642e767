// Results that are still being read: their end counts for the breaker.
#include <gtest/gtest.h>

#include "gateway/resilience/gates.hpp"
#include "io/loop.hpp"

namespace gantry::gateway {
namespace {

/// Always ready; never called.
class ReadySource final : public Source {
public:
    const std::string& name() const noexcept override { return name_; }
    SourceState state() const noexcept override { return SourceState::kReady; }
    std::string trouble() const override { return {}; }
    void start() override {}
    Task<void> stop() override { co_return; }
    InventoryPtr inventory() const override { return std::make_shared<const Inventory>(); }
    Task<Result<Output>> execute(const Context&, const AdmittedCall&, ReplyLine&) override {
        co_return fail(ErrorCode::kUnsupported, "nothing is called here");
    }
    Task<std::set<std::string>> follow(const Context&, std::set<std::string>) override {
        co_return std::set<std::string>();
    }
    void client_gone(const std::string&) override {}
    void watch(std::function<void(const SourceChange&)>) override {}

private:
    std::string name_ = "big";
};

/// One piece, then its end.
class Piece final : public OutputStream {
public:
    explicit Piece(std::optional<Error> end) : end_(std::move(end)) {}
    Task<Result<std::optional<std::string_view>>> next(const Context&) override {
        if (std::exchange(begun_, true)) {
            if (end_) co_return fail(*end_);
            co_return std::optional<std::string_view>();
        }
        co_return std::optional<std::string_view>("{");
    }

private:
    std::optional<Error> end_;
    bool begun_ = false;
};

struct Scene {
    Loop loop;
    ReadySource source;
    Gates gates{{.others = {.breaker = {.threshold = 2, .recovery = std::chrono::hours(1), .successes = 1}}}};
    SourceGate& gate = gates.of("big");

    /// A call whose result is read for `pieces` pieces and ends in `end`.
    void call(const std::optional<Error>& end, int pieces) { loop.run_until_done(read(end, pieces)); }
    Task<void> read(std::optional<Error> end, int pieces) {
        auto permit = gate.try_enter(source);
        if (!permit) co_return;
        Result<Output> output = Output{};
        output->stream = std::make_unique<Piece>(std::move(end));
        permit.settle(output);
        EXPECT_EQ(gate.status().running, 1u) << "as long as it is read";
        for (int i = 0; i < pieces; ++i) {
            auto piece = co_await output->stream->next(Context::background());
            static_cast<void>(piece);
        }
        output->stream.reset();
        EXPECT_EQ(gate.status().running, 0u);
    }
};

const Error kBroken(ErrorCode::kOutcomeUnknown, "the connection broke");

TEST(StreamedResults, ThoseThatBreakOffOpenTheBreaker) {
    Scene scene;
    scene.call(kBroken, 2);
    EXPECT_EQ(scene.gate.status().failures, 1u);
    scene.call(kBroken, 2);
    EXPECT_EQ(scene.gate.status().breaker, BreakerState::kOpen);
}

TEST(StreamedResults, AWholeOneIsASignOfHealth) {
    Scene scene;
    scene.call(kBroken, 2);
    scene.call(std::nullopt, 2);
    EXPECT_EQ(scene.gate.status().failures, 0u);
}

TEST(StreamedResults, WhoStopsReadingSaysNothingAboutTheSource) {
    Scene scene;
    scene.call(kBroken, 2);
    scene.call(std::nullopt, 1);
    scene.call(Error(ErrorCode::kCancelled, "the client went away"), 2);
    EXPECT_EQ(scene.gate.status().failures, 1u);
    EXPECT_EQ(scene.gate.status().breaker, BreakerState::kClosed);
}

}  // namespace
}  // namespace gantry::gateway
