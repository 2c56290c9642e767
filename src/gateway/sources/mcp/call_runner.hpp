#pragma once

#include <memory>

#include "gateway/sources/mcp/connection_sharing.hpp"
#include "gateway/sources/mcp/legacy_tasks.hpp"
#include "gateway/sources/mcp/modern_tasks.hpp"
#include "gateway/sources/mcp/parked_calls.hpp"
#include "gateway/sources/mcp/placement.hpp"
#include "io/scope.hpp"

namespace gantry::gateway {

/// Runs calls at a connected server: what is sent on which connection, and how the answer is read.
class CallRunner {
public:
    /// All references must outlive it; calls that may be parked run in `scope`.
    struct Parts {
        const McpServerSpec& spec;
        const McpSourceOptions& options;
        Scope& scope;
        const Upstream& upstream;
        const SharedConnection& connection;
        ConnectionSharing& sharing;
        Placer& placer;
        ParkedCalls& parked;
        LegacyTasks& legacy_tasks;
        ModernTasks& modern_tasks;
    };
    explicit CallRunner(const Parts& parts) : parts_(parts) {}

    /// One attempt. An Error with rpc() is the server's own refusal.
    Task<Result<Output>> run(const Context& ctx, const AdmittedCall& call, ReplyLine& line);

    /// The error as the caller gets it: with the server, and the tool.
    Error placed(const Error& error, const AdmittedCall& call) const;

private:
    // Small steps are plain functions that return another function's task: most calls need only one coroutine here.
    Task<Result<Output>> run_at(const Context& ctx, const AdmittedCall& call, ReplyLine& line,
                                ForwardedCapabilitiesPtr forwarded, Placement placement);
    Task<Result<Output>> run_on_lane(const Context& ctx, const AdmittedCall& call, ReplyLine& line,
                                     ForwardedCapabilitiesPtr forwarded);
    Task<Result<Output>> not_visited(Verb verb);
    Task<Result<Output>> run_modern(const Context& ctx, const AdmittedCall& call, ReplyLine& line,
                                    ForwardedCapabilitiesPtr forwarded, Placement placement);
    Task<Result<Output>> run_legacy(const Context& ctx, const AdmittedCall& call, ReplyLine& line,
                                    ForwardedCapabilitiesPtr forwarded, Placement placement);
    /// One exchange with the client about a call that may ask: returns its answer, or its questions with the call
    /// parked.
    Task<Result<Output>> run_kept(const Context& ctx, const AdmittedCall& call, ReplyLine& line,
                                  ForwardedCapabilitiesPtr forwarded, std::shared_ptr<SuspendableCall> kept);
    Task<Result<Output>> resume_parked(const Context& ctx, const AdmittedCall& call, ReplyLine& line);

    Parts parts_;
};

}  // namespace gantry::gateway
