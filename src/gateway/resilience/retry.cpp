#include "gateway/resilience/retry.hpp"

#include <algorithm>
#include <random>

namespace gantry::gateway {
namespace {

bool twice_is_like_once(const AdmittedCall& call) noexcept {
    if (call.verb() != Verb::kCallTool) return true;
    return call.item() && (call.item()->hints.read_only || call.item()->hints.idempotent);
}

}  // namespace

bool may_repeat(const RetryOptions& options, const Error& error, const AdmittedCall& call) noexcept {
    // An error with JSON-RPC data is an answer, the gateway's own refusals included: those say when to retry.
    if (options.attempts < 2 || error.rpc() != nullptr) return false;
    if (error.code() == ErrorCode::kLimit) return error.retryable();
    return error.code() == ErrorCode::kTimeout && options.after_timeout && options.trust_hints &&
           twice_is_like_once(call);
}

Duration pause_before(const RetryOptions& options, std::size_t number, double chance) noexcept {
    Duration pause = options.first;
    for (std::size_t i = 2; i < number && pause < options.longest; ++i) pause *= 2;
    pause = std::min(pause, options.longest);
    return pause / 2 + std::chrono::duration_cast<Duration>(pause / 2 * std::clamp(chance, 0.0, 1.0));
}

Duration pause_before(const RetryOptions& options, std::size_t number) noexcept {
    thread_local std::minstd_rand generator{std::random_device{}()};
    return pause_before(options, number, std::uniform_real_distribution<>(0, 1)(generator));
}

}  // namespace gantry::gateway
