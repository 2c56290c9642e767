#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "gateway/sources/mcp/kept_call.hpp"
#include "io/scope.hpp"

namespace gantry::gateway {

/// Calls that wait for their client to come back with answers. Bounded, per principal too; who never comes back is
/// given up after a while.
class ParkedCalls {
public:
    struct Limits {
        std::size_t total = 256;
        std::size_t per_principal = 16;
        Duration ttl = std::chrono::minutes(5);
    };
    explicit ParkedCalls(Limits limits);
    ~ParkedCalls();

    /// Takes the call in; the text that resumes it, good for one round. kLimit gives the call up.
    Result<std::string> park(std::shared_ptr<KeptCall> call);
    /// The call that state resumes, still parked. -32602 if there is none, or it is somebody else's, or about
    /// something else.
    Result<std::shared_ptr<KeptCall>> find(std::string_view state, std::string_view principal,
                                           std::string_view about) const;
    /// Takes it out: its client is back.
    void take(std::string_view state);

    static bool is_state(std::string_view state) noexcept { return state.starts_with(kPrefix); }
    std::size_t size() const noexcept { return parked_.size(); }

    /// Gives all of them up; required before destruction.
    Task<void> close();

private:
    static constexpr std::string_view kPrefix = "park:";
    struct Entry {
        std::shared_ptr<KeptCall> call;
        TimePoint expires;
    };
    Task<void> expire_old();

    Limits limits_;
    /// A new name each round, so a state cannot be used twice.
    std::map<std::string, Entry, std::less<>> parked_;
    Event changed_;
    bool closed_ = false;
    Scope scope_;
};

}  // namespace gantry::gateway
