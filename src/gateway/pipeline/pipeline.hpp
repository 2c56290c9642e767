#pragma once

#include <functional>
#include <memory>
#include <string>

#include "gateway/catalog/catalog.hpp"
#include "gateway/pipeline/guard.hpp"
#include "gateway/pipeline/input_loop.hpp"
#include "gateway/pipeline/resolve.hpp"
#include "gateway/ports/authenticator.hpp"
#include "gateway/ports/output.hpp"
#include "gateway/ports/recorder.hpp"
#include "gateway/ports/reply_line.hpp"

namespace gantry::gateway {

/// What the street needs from the rest; everything must outlive the pipeline.
struct PipelineParts {
    Authenticator& authenticator;
    /// The catalog as it is now; taken once per call.
    std::function<CatalogPtr()> catalog;
    FindSource find_source;
    const Policy& policy;
    auth::Sealer& sealer;
    Recorder& recorder;
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
    Task<Result<Output>> run(const Context& ctx, const IncomingCall& call, std::shared_ptr<const Principal> principal,
                             ReplyLine& line);

    /// Whose task an id is that run() gave out: for its owner only, so that it may be followed. kInvalidArgument.
    Result<TaskHandle> open_task(std::string_view id, const Principal& principal) {
        return seals_.open_task(id, principal);
    }

private:
    /// Resolve and guard, which wait for nothing. `source`: whose it is, also when it is refused.
    Result<Guard::Pass> enter(IdentifiedCall call, std::string& source);
    Task<Result<Output>> ask_back(const Context& ctx, const AdmittedCall& call, Output output, ReplyLine& line);
    Result<void> seal(const AdmittedCall& call, Output& output);

    PipelineParts parts_;
    PipelineOptions options_;
    Guard guard_;
    Seals seals_;
};

}  // namespace gantry::gateway
