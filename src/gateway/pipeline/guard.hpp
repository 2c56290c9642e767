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
    /// Hold arguments against the tool's schema before the server sees them.
    bool validate_arguments = true;
    /// What takes more steps than this, or is longer, is not validated on the loop (see CostlyChecks).
    std::uint64_t loop_steps = 20'000;
    std::size_t loop_bytes = 64u << 10;
    /// The steps a source has instead for as long after one of its calls took more: finding that out again with every
    /// call would be at the expense of others.
    std::uint64_t loop_steps_if_costly = 1000;
    Duration costly_for = std::chrono::seconds(10);
    /// Steps after which arguments are refused.
    std::uint64_t max_steps = 10'000'000;
    /// Calls one principal may have running at once.
    std::size_t max_running = 4096;
};

/// A call's params with a text of their own.
struct OwnIncoming;

/// The one place that admits calls; nothing else can make an AdmittedCall. Belongs to one loop.
class Guard {
public:
    /// All must outlive it; without an approver nobody is asked.
    Guard(const Policy& policy, Gates& gates, GuardLimits limits, Approver* approver = nullptr)
        : policy_(policy), gates_(gates), limits_(limits), approver_(approver) {}

    void set_limits(GuardLimits limits) noexcept { limits_ = limits; }

    /// Who may make a pass.
    class Maker {
        friend class Guard;
        Maker() = default;
    };
    /// Counts the call as running until it goes away.
    class Pass {
    public:
        Pass(Maker, ResolvedCall&& call, std::shared_ptr<std::size_t> running) noexcept;
        Pass(Pass&& other) noexcept;
        Pass& operator=(Pass&&) = delete;
        ~Pass();
        const AdmittedCall& call() const noexcept { return call_; }

    private:
        friend class Guard;
        std::unique_ptr<OwnIncoming> own_;  // what the call refers to, where it had to be changed
        AdmittedCall call_;
        std::shared_ptr<std::size_t> running_;
    };

    /// A call that would be admitted if a person agreed. Nobody can run it.
    class Held {
    public:
        Held(Maker, ResolvedCall&& call, std::shared_ptr<std::size_t> running) noexcept
            : pass_(Maker(), std::move(call), std::move(running)) {}
        const ResolvedCall& call() const noexcept { return pass_.call_.call_; }

    private:
        friend class Guard;
        Pass pass_;
    };
    /// One of both, or nothing. Every call has one, so it is made where it stays.
    struct Entry {
        std::optional<Pass> pass = {};
        std::optional<Held> held = {};
        /// Neither yet: its arguments have to be validated off the loop, then admit_checked() goes on with it.
        std::unique_ptr<ResolvedCall> costly = {};
    };

    /// kNotFound: not for this caller, in the words of what does not exist. kSchema: the arguments do not fit; names
    /// the place, never a value. kProtocol: they disagree with the header fields. kLimit: too many at once, or too
    /// often; then it says when to come back. Otherwise `call` has gone into `entry`.
    Result<void> admit(ResolvedCall& call, TimePoint now, Entry& entry);
    /// The rest of it for `entry.costly`, whose arguments fit.
    Result<void> admit_checked(Entry& entry);
    /// The text of a call's arguments, "{}" where there are none.
    static std::string_view arguments_of(const ResolvedCall& call) noexcept;

    /// What a person made of it.
    struct Decision {
        std::optional<Pass> pass = {};
        /// Without a pass: the question for the caller.
        Output asks = {};
    };
    /// Waits for a person, not for the context's deadline. kDenied: nobody agreed.
    Task<Result<Decision>> ask(const Context& ctx, Held held, ReplyLine& line);

    /// The same call once more, with the caller's answers in its params and the state they belong to. Nothing that was
    /// decided can have changed, since arguments are the same. `with_answers` must outlive it.
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
