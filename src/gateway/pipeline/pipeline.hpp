#pragma once

#include <functional>
#include <memory>
#include <string>

#include "gateway/catalog/catalog.hpp"
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

/// What the street needs from the rest; everything must outlive the pipeline.
struct PipelineParts {
    Authenticator& authenticator;
    /// The catalog as this caller sees it now; looked at once per call, before anything is awaited.
    std::function<const CatalogPtr&(const Audience&)> catalog;
    FindSource find_source;
    const Policy& policy;
    auth::Sealer& sealer;
    Recorder& recorder;
    /// Null: nobody wants to know.
    EventSink* events = nullptr;
    /// Null: gates of its own with the defaults.
    Gates* gates = nullptr;
    /// Null: nobody is asked.
    Approver* approver = nullptr;
};

struct PipelineOptions {
    GuardLimits guard = {};
    InputLimits input = {};
    Seals::Lifetimes lifetimes = {};
};

/// The call street: identify, resolve, guard, execute, record. Every surface and every kind of source takes it; there
/// is no second path. Belongs to one loop; any number of calls at once.
class Pipeline {
public:
    Pipeline(PipelineParts parts, PipelineOptions options);

    /// The first step, apart from the others because a surface may have to know who calls before it can read the call.
    Task<Result<std::shared_ptr<const Principal>>> identify(const Context& ctx, const Credentials& credentials);
    /// Null where that takes waiting.
    std::shared_ptr<const Principal> known(const Credentials& credentials) const {
        return parts_.authenticator.known(credentials);
    }

    /// The other steps. What the source asks comes back as kInputRequired with a sealed state, unless the line can ask;
    /// a task comes back with a sealed id in Output::state. Errors: kNotFound, kInvalidArgument, kSchema, kProtocol,
    /// kLimit before anything ran; then the source's.
    Task<Result<Output>> run(const Context& ctx, const IncomingCall& call,
                             const std::shared_ptr<const Principal>& principal, ReplyLine& line);

    /// Other limits for the calls that come from now on.
    void set_limits(GuardLimits limits) {
        guard_.set_limits(limits);
        costly_.set_max_steps(limits.max_steps);
    }
    const CostlyChecks& costly_checks() const noexcept { return costly_; }
    /// A call that a surface could not even read leaves the same record.
    void turned_away(const IncomingCall& call, const Principal& principal, const Error& why);
    /// Calls that have no outcome yet.
    std::size_t running() const noexcept { return running_; }

    /// Whose task an id is that run() gave out: for its owner only, so that it may be followed. kInvalidArgument.
    Result<TaskHandle> open_task(std::string_view id, const Principal& principal) {
        return seals_.open_task(id, principal);
    }

private:
    Task<Result<std::shared_ptr<const Principal>>> identify_aloud(const Context& ctx, const Credentials& credentials);
    /// Resolve and guard, which wait for nothing. Where it is refused `refusing` is the source it was for, if any.
    Result<void> enter(IdentifiedCall call, bool reachable, TimePoint now, Guard::Entry& entry,
                       std::shared_ptr<Source>& refusing);
    /// The rest of the guard for a call whose arguments take long to validate; other calls go on meanwhile.
    Task<Result<void>> enter_checked(const Context& ctx, Guard::Entry& entry, std::shared_ptr<Source>& refusing);
    /// The call at its source, behind the source's gate; waits where that has to be, and repeats what may be repeated.
    Task<Result<Output>> execute(const Context& ctx, const AdmittedCall& call, ReplyLine& line);
    /// A call a person has to agree to first. `attempts`: how many it took.
    Task<Result<Output>> run_held(const Context& ctx, Guard::Held held, ReplyLine& line, std::uint32_t& attempts);
    Task<Result<Output>> repeat(const Context& ctx, const AdmittedCall& call, ReplyLine& line, Error first,
                                std::uint32_t& attempts);
    Task<Result<Output>> ask_back(const Context& ctx, const AdmittedCall& call, Output output, ReplyLine& line);
    Result<void> seal(const AdmittedCall& call, Output& output);
    Result<void> seal_question(const ResolvedCall& call, Output& output);
    /// The last step. What has to be kept before the answer goes out is, or there is none.
    Recorder::Ticket note_down(Outcome& outcome, const IncomingCall& call, const Result<Output>& output,
                               TimePoint began);

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
