#pragma once

#include <memory>
#include <string>

#include "gateway/pipeline/costly_checks.hpp"
#include "gateway/pipeline/guard.hpp"
#include "gateway/pipeline/input_loop.hpp"
#include "gateway/pipeline/resolve.hpp"
#include "gateway/ports/authenticator.hpp"
#include "gateway/ports/event_sink.hpp"
#include "gateway/ports/output.hpp"
#include "gateway/ports/recorder.hpp"
#include "gateway/ports/reply_line.hpp"
#include "gateway/ports/source.hpp"
#include "gateway/resilience/gates.hpp"

namespace gantry::gateway {

/// The pipeline's dependencies; all must outlive it.
struct PipelineParts {
    Authenticator& authenticator;
    auth::Sealer& sealer;
    Recorder& recorder;
    /// Null: no events are published.
    EventSink* events = nullptr;
    /// Null: the pipeline has its own, with the defaults.
    Gates* gates = nullptr;
    /// Null: no approvals are requested.
    Approver* approver = nullptr;
};

struct PipelineOptions {
    InputLimits input = {};
    Seals::Lifetimes lifetimes = {};
};

/// The way of every call: identify, resolve, guard, execute, record. All surfaces and all kinds of sources use it;
/// there is no second path. Bound to one loop; any number of concurrent calls.
class Pipeline {
public:
    Pipeline(PipelineParts parts, PipelineOptions options);

    /// The first step, separate because a surface may need the principal before it can read the call.
    Task<Result<std::shared_ptr<const Principal>>> identify(const Context& ctx, const Credentials& credentials);
    /// Fast path of identify() that never suspends; null if identify() is needed.
    std::shared_ptr<const Principal> known(const Credentials& credentials) const {
        return parts_.authenticator.known(credentials);
    }

    /// The other steps. Questions of the source are returned as kInputRequired with a sealed state, unless the line can
    /// ask; a task is returned with a sealed id in Output::state. Errors: kNotFound, kInvalidArgument, kSchema,
    /// kProtocol, kLimit before anything ran; then the source's.
    Task<Result<Output>> run(const Context& ctx, const IncomingCall& call,
                             const std::shared_ptr<const Principal>& principal, ReplyLine& line);

    const CostlyChecks& costly_checks() const noexcept { return costly_; }
    /// Records a call that a surface could not read, like any other refused call.
    void turned_away(const IncomingCall& call, const Principal& principal, const Error& why);
    /// Number of calls in flight.
    std::size_t running() const noexcept { return running_; }

    /// Opens a task id that run() issued, for its owner only, so that the task may be followed. Fails with
    /// kInvalidArgument.
    Result<TaskHandle> open_task(std::string_view id, const Principal& principal) {
        return seals_.open_task(id, principal);
    }

private:
    /// The result of resolving and guarding a call, and what the call is about as far as the record may say it.
    struct Admission {
        Guard::Entry entry = {};
        const Source* source = nullptr;
        const Item* item = nullptr;
        std::string_view own_name = {};
    };
    /// The result of executing a call.
    struct Execution {
        Result<Output> output = {};
        std::uint32_t attempts = 1;
    };

    Task<Result<std::shared_ptr<const Principal>>> identify_and_publish(const Context& ctx,
                                                                        const Credentials& credentials);
    /// Resolve and guard, without suspending.
    Admission admit(IdentifiedCall call, TimePoint now);
    static void note_admitted(Admission& admission) noexcept;
    /// The rest of the guard for a call whose arguments take long to validate; other calls continue meanwhile.
    Task<void> check_costly(const Context& ctx, Admission& admission);

    /// Runs the call once at its source, behind the source's gate; waits if necessary.
    Task<Result<Output>> attempt(const Context& ctx, const AdmittedCall& call, ReplyLine& line);
    /// Runs a call that needs a person's approval first.
    Task<Execution> execute_held(const Context& ctx, Guard::Held held, ReplyLine& line);
    bool is_final(const Result<Output>& output, const AdmittedCall& call);
    /// What remains to be done after an attempt that is not final: retries, then questions and sealing.
    Task<Execution> finish(const Context& ctx, const AdmittedCall& call, Execution first, ReplyLine& line);
    Task<Execution> repeat(const Context& ctx, const AdmittedCall& call, ReplyLine& line, Error first);
    Task<Result<Output>> ask_back(const Context& ctx, const AdmittedCall& call, Output output, ReplyLine& line);
    Result<void> seal(const AdmittedCall& call, Output& output);
    Result<void> seal_question(const ResolvedCall& call, Output& output);

    /// The last step. A ticket means that the record has to be durable before the answer is sent; without it there is
    /// no answer.
    Recorder::Ticket record(const IncomingCall& call, const Principal& principal, const Admission& admission,
                            const Execution& done, TimePoint began);

    PipelineParts parts_;
    PipelineOptions options_;
    Gates own_gates_;
    Gates& gates_;
    Guard guard_;
    Seals seals_;
    CostlyChecks costly_;
    std::size_t running_ = 0;
};

}  // namespace gantry::gateway
