#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "gateway/sources/mcp/suspendable_call.hpp"
#include "io/scope.hpp"

namespace gantry::gateway {

/// Calls that wait for their client to come back with answers. Bounded in total and per principal; calls whose client
/// never comes back expire.
class ParkedCalls {
public:
    struct Limits {
        std::size_t total = 256;
        std::size_t per_principal = 16;
        Duration ttl = std::chrono::minutes(5);
    };
    explicit ParkedCalls(Limits limits);
    ~ParkedCalls();

    /// Parks the call and returns the state that resumes it, valid for one round. Fails with kLimit, which abandons the
    /// call.
    Result<std::string> park(std::shared_ptr<SuspendableCall> call);
    /// Finds the call that `state` resumes; it stays parked. Fails with -32602 if there is none, if it belongs to
    /// another principal, or if it is about something else.
    Result<std::shared_ptr<SuspendableCall>> find(std::string_view state, std::string_view principal,
                                                  std::string_view about) const;
    /// Removes the call, because its client is back.
    void take(std::string_view state);

    static bool is_state(std::string_view state) noexcept { return state.starts_with(kPrefix); }
    std::size_t size() const noexcept { return parked_.size(); }

    /// Abandons all of them; required before destruction.
    Task<void> close();

private:
    static constexpr std::string_view kPrefix = "park:";
    struct Entry {
        std::shared_ptr<SuspendableCall> call;
        TimePoint expires;
    };
    Task<void> expire_old();

    Limits limits_;
    /// Keys change every round, so a state cannot be used twice.
    std::map<std::string, Entry, std::less<>> parked_;
    Event changed_;
    bool closed_ = false;
    Scope scope_;
};

}  // namespace gantry::gateway
