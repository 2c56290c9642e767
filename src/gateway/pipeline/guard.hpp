#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <unordered_map>

#include "gateway/model/call.hpp"
#include "gateway/ports/policy.hpp"

namespace gantry::gateway {

struct GuardLimits {
    /// Hold arguments against the tool's schema before anybody sees them.
    bool validate_arguments = true;
    /// Calls one principal may have running at once.
    std::size_t max_running = 4096;
};

/// The one place that admits calls; nothing else can make an AdmittedCall. Belongs to one loop.
class Guard {
public:
    Guard(const Policy& policy, GuardLimits limits) : policy_(policy), limits_(limits) {}

    /// Counts the call as running until it goes away.
    class Pass {
    public:
        Pass(Pass&& other) noexcept : call_(std::move(other.call_)), running_(std::move(other.running_)) {}
        Pass& operator=(Pass&&) = delete;
        ~Pass() {
            if (running_) --*running_;
        }
        const AdmittedCall& call() const noexcept { return call_; }

    private:
        friend class Guard;
        Pass(AdmittedCall call, std::shared_ptr<std::size_t> running)
            : call_(std::move(call)), running_(std::move(running)) {}
        AdmittedCall call_;
        std::shared_ptr<std::size_t> running_;
    };

    /// kNotFound: not for this caller, in the words of what does not exist. kSchema: the arguments do not fit; names
    /// the place, never a value. kProtocol: they disagree with the header fields. kLimit: too many at once.
    Result<Pass> admit(ResolvedCall call);

    /// The same call once more, with the caller's answers in its params and the state they belong to. Nothing that was
    /// decided can have changed, since arguments are the same. `with_answers` must outlive it.
    static AdmittedCall again(const AdmittedCall& call, const IncomingCall& with_answers,
                              std::optional<std::string> state);

private:
    Result<void> check_arguments(const ResolvedCall& call) const;
    std::shared_ptr<std::size_t> running_of(const Principal& principal);

    const Policy& policy_;
    GuardLimits limits_;
    std::unordered_map<std::string, std::shared_ptr<std::size_t>> running_;
};

}  // namespace gantry::gateway
