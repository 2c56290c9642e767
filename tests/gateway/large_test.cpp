// Results too large to hold: over every transport, the gateway's memory does not grow with them, and an invalid one is
// never passed on as a complete answer.
#include <gmock/gmock.h>

#include <atomic>
#include <thread>

#include "gateway/large_rig.hpp"
#include "support/sanitized.hpp"

namespace gantry::testing {
namespace {

using ::testing::HasSubstr;

constexpr std::size_t kMegabyte = 1u << 20;
constexpr std::size_t kMost = 64 * kMegabyte;
/// Allowed memory growth for a large result. The goal is 2 MB over HTTP; see `make bench`. A sanitizer keeps freed
/// memory.
constexpr std::size_t kGrowth = (kSanitized ? 1024 : 8) * kMegabyte;

struct Path {
    const char* upstream;
    bool modern_upstream;
    Caller caller;
};

std::string name_of(const ::testing::TestParamInfo<Path>& info) {
    const Path& path = info.param;
    return std::string(path.upstream) + (path.modern_upstream ? "_modern" : "_legacy") + "_to_" +
           (path.caller.modern ? "modern" : "legacy") + (path.caller.progress ? "_progress" : "");
}

/// The gateway with its server, and an initialized client.
struct Stage {
    explicit Stage(const Path& path)
        : upstream(path.upstream, path.modern_upstream), gateway("servers:\n" + upstream.entry()), caller(path.caller) {
        if (!caller.modern) caller.session = open_session(gateway.port());
    }
    Download call(std::size_t bytes, const std::string& how = "whole",
                  const std::function<void(std::size_t)>& pace = {}) {
        return post(gateway.port(), caller, call_large(caller, bytes, how), "up_large", pace);
    }
    int pid() { return gateway.child().pid(); }

    LargeUpstream upstream;
    Gateway gateway;
    Caller caller;
};

// The buffer for reading a configuration file, 64 MB, once stayed allocated.
TEST(Memory, AnIdleGatewayIsSmall) {
    if (kSanitized) GTEST_SKIP() << "a sanitizer keeps memory of its own";
    const LargeUpstream upstream("json", true);
    Gateway gateway("servers:\n" + upstream.entry());
    EXPECT_LT(resident(gateway.child().pid()), 32 * kMegabyte);
}

class LargeResult : public ::testing::TestWithParam<Path> {};

TEST_P(LargeResult, PassesInConstantMemory) {
    Stage stage(GetParam());
    ASSERT_TRUE(stage.call(3 * kMegabyte).has(3 * kMegabyte)) << "nothing can be measured";
    const std::size_t before = resident(stage.pid());
    forget_peak(stage.pid());
    const Download got = stage.call(kMost);
    EXPECT_TRUE(got.has(kMost)) << got.status << ", " << got.body << " bytes: " << got.begin.substr(0, 200) << " … "
                                << got.end;
    const bool tells = GetParam().caller.progress && std::string_view(GetParam().upstream) != "json" &&
                       std::string_view(GetParam().upstream) != "chunked";
    EXPECT_EQ(got.events, tells);
    if (tells) EXPECT_THAT(got.begin, HasSubstr("notifications/progress"));
    const std::size_t after = peak(stage.pid());
    EXPECT_LT(after, before + kGrowth);
    RecordProperty("added_kb", static_cast<int>((after - std::min(after, before)) >> 10));
}

TEST_P(LargeResult, ThatIsTooLargeIsRefusedAndTheNextOnePasses) {
    Stage stage(GetParam());
    const Download got = stage.call(kMost + kMegabyte);
    // If the size is known in advance the answer is an error, otherwise the response breaks off.
    if (got.complete) {
        EXPECT_EQ(got.filling / kMegabyte, 0u);
        EXPECT_THAT(got.end, HasSubstr("67108864 bytes"));
        EXPECT_THAT(got.end, HasSubstr(R"("error":)"));
    } else {
        EXPECT_LE(got.filling, kMost);
    }
    EXPECT_TRUE(stage.call(2 * kMegabyte).has(2 * kMegabyte));
    EXPECT_TRUE(stage.call(1000).has(1000));
}

TEST_P(LargeResult, ThatIsWrongAtItsEndIsNeverAWholeAnswer) {
    Stage stage(GetParam());
    for (const char* how : {"bad_utf8", "duplicate", "truncated"}) {
        const Download got = stage.call(4 * kMegabyte, how);
        if (got.complete) {
            EXPECT_THAT(got.end, HasSubstr(R"("error":)")) << how;
            EXPECT_EQ(got.filling / kMegabyte, 0u) << how;
        } else {
            EXPECT_GT(got.filling, kMegabyte) << how << ": it was not even begun";
        }
        EXPECT_TRUE(stage.call(1000).has(1000)) << "after " << how;
    }
}

TEST_P(LargeResult, WaitsForASlowReaderInTheSameMemory) {
    Stage stage(GetParam());
    ASSERT_TRUE(stage.call(3 * kMegabyte).has(3 * kMegabyte));
    const std::size_t before = resident(stage.pid());
    forget_peak(stage.pid());
    std::size_t looked_at = 0;
    // At every eighth the reader stops and another client is served, which works only if nothing waits for the reader.
    const Download got = stage.call(kMost, "whole", [&](std::size_t so_far) {
        if (so_far < looked_at) return;
        looked_at += kMost / 8;
        Caller other = stage.caller;
        if (!other.modern) other.session = open_session(stage.gateway.port());
        EXPECT_TRUE(post(stage.gateway.port(), other, call_large(other, 1000), "up_large").has(1000));
        EXPECT_LT(peak(stage.pid()), before + kGrowth) << "after " << so_far;
    });
    EXPECT_TRUE(got.has(kMost));
}

const Path kPaths[] = {
    {"json", true, {.modern = true}},
    {"json", true, {.modern = false}},
    {"chunked", false, {.modern = true}},
    {"events", true, {.modern = true}},
    {"events", true, {.modern = true, .progress = true}},
    {"events", true, {.modern = false, .progress = true}},
    {"events", false, {.modern = true, .progress = true}},
    {"events", false, {.modern = false}},
    {"stdio", true, {.modern = true}},
    {"stdio", true, {.modern = true, .progress = true}},
    {"stdio", false, {.modern = false, .progress = true}},
    {"sse", false, {.modern = true}},
    {"sse", false, {.modern = false, .progress = true}},
};
INSTANTIATE_TEST_SUITE_P(OnEveryPath, LargeResult, ::testing::ValuesIn(kPaths), name_of);

TEST(LargeResults, ManyAtOnceCostTheirBuffersOnly) {
    Stage stage({"events", true, {.modern = true}});
    ASSERT_TRUE(stage.call(3 * kMegabyte).has(3 * kMegabyte));
    const std::size_t before = resident(stage.pid());
    forget_peak(stage.pid());
    constexpr int kReaders = 8;
    std::atomic<int> half = 0;
    std::atomic<int> whole = 0;
    std::vector<std::thread> readers;
    for (int i = 0; i < kReaders; ++i) {
        readers.emplace_back([&] {
            bool waited = false;
            const Download got = stage.call(16 * kMegabyte, "whole", [&](std::size_t so_far) {
                if (so_far < 8 * kMegabyte || waited) return;
                waited = true;
                // Every reader stops midway.
                ++half;
                eventually([&] { return half == kReaders; });
            });
            if (got.has(16 * kMegabyte)) ++whole;
        });
    }
    for (auto& reader : readers) reader.join();
    EXPECT_EQ(whole, kReaders);
    EXPECT_LT(peak(stage.pid()), before + 3 * kGrowth) << "a megabyte each is held at first";
}

}  // namespace
}  // namespace gantry::testing
