#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "auth/seal/sealer.hpp"
#include "gantry/error.hpp"
#include "gateway/model/call.hpp"

// Tokens that the gateway hands to callers and gets back: the state of a call that waits for input, and the ids of
// tasks. They are sealed so that a source's own state stays between the gateway and the source, and bound to the
// principal who may present them.

namespace gantry::gateway {

/// A call that waits for its caller's input.
struct WaitingCall {
    std::string source;
    std::string principal;
    /// Digest of verb, name and arguments; binds the answer to this call.
    std::string digest;
    /// The state that resumes it, in the source's own form; empty optional: the source provided none.
    std::optional<std::string> inner;
};

struct TaskHandle {
    std::string source;
    std::string principal;
    std::string inner;
};

class Seals {
public:
    struct Lifetimes {
        std::chrono::seconds state = std::chrono::minutes(15);
        std::chrono::seconds task = std::chrono::days(7);
    };

    explicit Seals(auth::Sealer& sealer) : Seals(sealer, Lifetimes()) {}
    Seals(auth::Sealer& sealer, Lifetimes lifetimes) : sealer_(sealer), lifetimes_(lifetimes) {}

    /// kLimit when the source's state is too large to carry.
    Result<std::string> seal_state(const WaitingCall& call);
    /// Opens the state for this principal and digest; anything else is kInvalidArgument, without a reason.
    Result<WaitingCall> open_state(std::string_view token, const Principal& principal, std::string_view digest);

    Result<std::string> seal_task(const TaskHandle& task);
    Result<TaskHandle> open_task(std::string_view token, const Principal& principal);

private:
    auth::Sealer& sealer_;
    Lifetimes lifetimes_;
};

/// Digest of what `params` asks for, without its envelope and answers; independent of spelling and member order.
std::string digest_of(Verb verb, std::string_view own_name, const json::ParamsView& params);

}  // namespace gantry::gateway
