#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <unordered_map>

#include "gateway/model/call.hpp"
#include "gateway/ports/approver.hpp"
#include "gateway/resilience/gates.hpp"
#include "gateway/runtime/snapshot.hpp"

namespace gantry::gateway {

/// Call params that own their text.
struct OwnIncoming;

/// The only component that admits calls; nothing else can construct an AdmittedCall. Belongs to one loop.
class Guard {
public:
    /// Both must outlive the guard; without an approver no call needs approval.
    explicit Guard(Gates& gates, Approver* approver = nullptr) : gates_(gates), approver_(approver) {}

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
    /// The result of admission: a refusal, a pass or a held call. Every call has one, so it is constructed in place.
    struct Entry {
        Result<void> verdict = {};
        std::optional<Pass> pass = {};
        std::optional<Held> held = {};
        /// Neither yet: the arguments have to be validated off the loop; continue with admit_checked().
        std::unique_ptr<ResolvedCall> costly = {};
    };

    /// Applies the settings of the call's snapshot; unless it is refused, `call` has been moved into the entry.
    /// kNotFound: the caller may not use it; worded exactly like an item that does not exist. kSchema: the arguments do
    /// not satisfy the schema; the message names the place, never a value. kProtocol: they disagree with the header
    /// fields. kLimit: too many calls at once, or too often; then it says when to retry.
    Entry admit(ResolvedCall& call, TimePoint now);
    /// Continues the admission of `entry.costly`, whose arguments have been validated since.
    void admit_checked(Entry& entry);
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
    /// How checking the arguments ended, short of an error.
    enum class Checked : std::uint8_t { kFine, kTooCostlyHere };
    static Result<Pass> agreed(Pass pass);
    Result<Checked> check_arguments(const ResolvedCall& call, TimePoint now);
    Result<Checked> check_by_schema(const ResolvedCall& call, std::string_view arguments, TimePoint now);
    std::uint64_t loop_steps_of(const GuardLimits& limits, const std::string& source, TimePoint now);
    Result<Checked> check(const ResolvedCall& call, TimePoint now);
    void let_in(ResolvedCall& call, Entry& entry);
    bool needs_person(const ResolvedCall& call) const noexcept;
    std::shared_ptr<std::size_t> running_of(const Principal& principal);

    Gates& gates_;
    Approver* approver_;
    std::unordered_map<std::string, std::shared_ptr<std::size_t>> running_;
    std::unordered_map<std::string, TimePoint> costly_until_;  // by source; at most one entry for each
};

}  // namespace gantry::gateway
