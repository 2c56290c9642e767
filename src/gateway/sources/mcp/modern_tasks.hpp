#pragma once

#include <set>
#include <string>
#include <string_view>

#include "gateway/sources/mcp/connection_sharing.hpp"
#include "gateway/sources/mcp/placement.hpp"

namespace gantry::gateway {

/// Tasks of a modern server: the extension, relayed to clients that support it and followed to their end for those that
/// do not. A task is known to clients by the prefix and the server's own id.
class ModernTasks {
public:
    static constexpr std::string_view kPrefix = "m.";

    /// All references must outlive it.
    ModernTasks(const McpServerSpec& spec, const SharedConnection& connection, ConnectionSharing& sharing,
                Placer& placer)
        : spec_(spec), connection_(connection), sharing_(sharing), placer_(placer) {}

    /// Serves tasks/get, update, cancel and result.
    Task<Result<Output>> serve(const Context& ctx, const AdmittedCall& call, ReplyLine& line);
    /// Follows the task to its end for a client without task support.
    Task<Result<Output>> finish(const Context& ctx, const AdmittedCall& call, ReplyLine& line,
                                ForwardedCapabilitiesPtr forwarded, Placement placement, std::string task_id);
    /// The state of a task, by the server's id.
    Task<Result<Json>> look_at(const Context& ctx, Link& link, const std::string& task_id);

private:
    Task<Result<void>> answer(const Context& ctx, const AdmittedCall& call, ReplyLine& line,
                              const ForwardedCapabilities& forwarded, Link& link, const Json& task,
                              std::set<std::string>& answered);
    /// `correlation_id`: of the call that this is done for; empty: for none.
    Task<Result<Json>> ask_about(const Context& ctx, Link& link, const ForwardedCapabilities& forwarded,
                                 std::string_view method, std::string params, std::string_view correlation_id = {});

    const McpServerSpec& spec_;
    const SharedConnection& connection_;
    ConnectionSharing& sharing_;
    Placer& placer_;
};

/// Timeouts of a call to that server.
inline mcp::CallTimes times_of(const McpServerSpec& spec) noexcept {
    return {.idle = spec.timeout, .total = spec.total_timeout};
}

}  // namespace gantry::gateway
