#include "bad_clients/bystander.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

#include "bad_clients/process_memory.hpp"
#include "bad_clients/raw_client.hpp"
#include "bad_clients/requests.hpp"
#include "support/child.hpp"
#include "support/sanitized.hpp"

namespace gantry::testing {
namespace {

using std::chrono::milliseconds;

/// With fewer calls, the share of slow ones would be meaningless.
constexpr int kLeastCalls = 20;
/// Pause between calls: the bystander must not be a load itself.
constexpr milliseconds kPause(2);
/// Generous for two busy cores: a call takes less than a millisecond, a stalled loop takes seconds.
constexpr milliseconds kUsual(250);
constexpr milliseconds kLongest(5000);

}  // namespace

Bystander::Bystander(int port, int pid) : port_(port), pid_(pid) {
    forget_peak(pid_);
    before_ = process_memory(pid_, "VmRSS:");
    thread_ = std::thread([this] { call_on_and_on(); });
}

Bystander::~Bystander() {
    stop();
}

void Bystander::stop() {
    stopping_ = true;
    if (thread_.joinable()) thread_.join();
}

void Bystander::call_on_and_on() {
    RawClient client(port_);
    client.send(request("POST", "/mcp", initialize_body("2025-11-25")));
    const std::string session = client.reply().header("mcp-session-id");
    const Fields fields{{"Mcp-Session-Id", session}};
    client.send(request("POST", "/mcp", R"({"jsonrpc":"2.0","method":"notifications/initialized"})", fields));
    static_cast<void>(client.reply());
    while (wrong_.empty() && (!stopping_ || calls_ < kLeastCalls)) {
        const std::string word = "bystander " + std::to_string(calls_);
        const auto began = Clock::now();
        client.send(request("POST", "/mcp", legacy("1", "tools/call", echo_params(word)), fields));
        const RawReply reply = client.reply();
        took_.push_back(std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - began));
        if (const std::string text = reply.text(); text != word) wrong_ = "instead of " + word + ": " + text;
        ++calls_;
        std::this_thread::sleep_for(kPause);
    }
}

void Bystander::expect_unharmed(std::size_t bytes) {
    stop();
    EXPECT_EQ(wrong_, "") << "after " << calls_ << " calls";
    EXPECT_GE(calls_, kLeastCalls);
    if (took_.empty()) return;
    std::ranges::sort(took_);
    const auto ninth = took_[took_.size() * 9 / 10];
    const std::size_t peak = process_memory(pid_, "VmHWM:");
    const std::size_t grown = peak - std::min(peak, before_);
    ::testing::Test::RecordProperty("bystander_calls", calls_);
    ::testing::Test::RecordProperty("bystander_p90_us", static_cast<int>(ninth.count()));
    ::testing::Test::RecordProperty("bystander_max_us", static_cast<int>(took_.back().count()));
    ::testing::Test::RecordProperty("grown_kb", static_cast<int>(grown >> 10));
    if (kSanitized) return;
    EXPECT_LT(ninth, kUsual) << "of " << took_.size() << " calls of an uninvolved client one in ten took longer";
    EXPECT_LT(took_.back(), kLongest) << "the slowest call of an uninvolved client";
    EXPECT_LT(grown, bytes) << "the gateway's memory grew by " << (grown >> 20) << " MB";
}

}  // namespace gantry::testing
