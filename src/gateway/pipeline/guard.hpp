#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <unordered_map>

#include "gateway/model/call.hpp"
#include "gateway/ports/approver.hpp"
#include "gateway/ports/policy.hpp"
#include "gateway/resilience/gates.hpp"

namespace gantry::gateway {

struct GuardLimits {
    /// Validates arguments against the tool's schema before the server sees them.
    bool validate_arguments = true;
    /// Arguments that need more steps than this, or are longer, are not validated on the loop (see CostlyChecks).
    std::uint64_t loop_steps = 20'000;
    std::size_t loop_bytes = 64u << 10;
    /// Lower step limit that applies to a source for `costly_for` after one of its calls exceeded loop_steps: spending
    /// the full budget again on every call would delay other callers.
    std::uint64_t loop_steps_if_costly = 1000;
    Duration costly_for = std::chrono::seconds(10);
    /// Steps after which arguments are refused.
    std::uint64_t max_steps = 10'000'000;
    /// Concurrent calls per principal.
    std::size_t max_running = 4096;
};

/// Call params that own their text.
struct OwnIncoming;

/// The only component that admits calls; nothing else can construct an AdmittedCall. Belongs to one loop.
class Guard {
public:
    /// All of them must outlive the guard; without an approver no call needs approval.
    Guard(const Policy& policy, Gates& gates, GuardLimits limits, Approver* approver = nullptr)
        : policy_(policy), gates_(gates), limits_(limits), approver_(approver) {}

    void set_limits(GuardLimits limits) noexcept { limits_ = limits; }

    /// Passkey: restricts who can construct a Pass.
    class Maker {
        friend class Guard;
        Maker() = default;
    };
    /// Counts the call as running until it is destroyed.
    class Pass {
    public:
        Pass(Maker, ResolvedCall&& call, std::shared_ptr<std::size_t> running) noexcept;
        Pass(Pass&& other) noexcept;
        Pass& operator=(Pass&&) = delete;
        ~Pass();
        const AdmittedCall& call() const noexcept { return call_; }

    private:
        friend class Guard;
        std::unique_ptr<OwnIncoming> own_;  // backing storage, when the call's params had to be changed
        AdmittedCall call_;
        std::shared_ptr<std::size_t> running_;
    };

    /// A call that needs a person's approval. It cannot be run before Guard::ask() has returned a pass.
    class Held {
    public:
        Held(Maker, ResolvedCall&& call, std::shared_ptr<std::size_t> running) noexcept
            : pass_(Maker(), std::move(call), std::move(running)) {}
        const ResolvedCall& call() const noexcept { return pass_.call_.call_; }

    private:
        friend class Guard;
        Pass pass_;
    };
    /// The result of admission: a pass, a held call, or neither. Every call has one, so it is constructed in place.
    struct Entry {
        std::optional<Pass> pass = {};
        std::optional<Held> held = {};
        /// Neither yet: the arguments have to be validated off the loop; continue with admit_checked().
        std::unique_ptr<ResolvedCall> costly = {};
    };

    /// On success `call` has been moved into `entry`. kNotFound: the caller may not use it; worded exactly like an item
    /// that does not exist. kSchema: the arguments do not satisfy the schema; the message names the place, never a
    /// value. kProtocol: they disagree with the header fields. kLimit: too many calls at once, or too often; then it
    /// says when to retry.
    Result<void> admit(ResolvedCall& call, TimePoint now, Entry& entry);
    /// Continues the admission of `entry.costly`, whose arguments have been validated.
    Result<void> admit_checked(Entry& entry);
    /// The text of a call's arguments; "{}" when there are none.
    static std::string_view arguments_of(const ResolvedCall& call) noexcept;

    /// The result of asking for approval.
    struct Decision {
        std::optional<Pass> pass = {};
        /// Set when there is no pass: the question to return to the caller.
        Output asks = {};
    };
    /// Waits for a person's decision, ignoring the context's deadline. kDenied: not approved.
    Task<Result<Decision>> ask(const Context& ctx, Held held, ReplyLine& line);

    /// The same call again, with the caller's answers in its params and the state they belong to. Needs no new
    /// admission, since the arguments are the same. `with_answers` must outlive the result.
    static AdmittedCall again(const AdmittedCall& call, const IncomingCall& with_answers,
                              std::optional<std::string> state);

private:
    static Result<Pass> agreed(Pass pass);
    Result<void> check_arguments(const ResolvedCall& call, TimePoint now, bool& costly);
    std::uint64_t loop_steps_of(const std::string& source, TimePoint now);
    Result<void> let_in(ResolvedCall& call, Entry& entry);
    std::shared_ptr<std::size_t> running_of(const Principal& principal);

    const Policy& policy_;
    Gates& gates_;
    GuardLimits limits_;
    Approver* approver_;
    std::unordered_map<std::string, std::shared_ptr<std::size_t>> running_;
    std::unordered_map<std::string, TimePoint> costly_until_;  // by source; at most one entry for each
};

}  // namespace gantry::gateway
