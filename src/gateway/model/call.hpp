#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/json/scan.hpp"
#include "gantry/mcp/lifecycle.hpp"
#include "gateway/model/item.hpp"
#include "gateway/model/principal.hpp"
#include "gateway/model/trace.hpp"

namespace gantry::gateway {

/// The operations a source supports. All of them take the same path through the pipeline.
enum class Verb : std::uint8_t {
    kCallTool,
    kGetPrompt,
    kReadResource,
    kComplete,
    kGetTask,
    kUpdateTask,
    kCancelTask,
    kTaskResult,  // 2025-11-25
};
/// About a task that was started earlier, by its id.
constexpr bool is_about_task(Verb verb) noexcept {
    return verb == Verb::kGetTask || verb == Verb::kUpdateTask || verb == Verb::kCancelTask ||
           verb == Verb::kTaskResult;
}
/// The MCP method name, e.g. "tools/call".
std::string_view method_of(Verb verb) noexcept;

/// The calling program, as far as a source may need to know it.
struct ClientTraits {
    mcp::Revision revision = mcp::kLatestRevision;
    mcp::ClientCapabilities capabilities = {};
    /// The same as canonical JSON: clients with different capability sets never share a legacy session.
    std::string capabilities_text = "{}";
    /// Identifies the client's own session; empty when it has none.
    std::string session = {};
    /// The name the client program reports; empty when it reports none.
    std::string name = {};

    bool modern() const noexcept { return mcp::is_modern(revision); }
    /// Offers elicitation, sampling or roots, so a legacy server may send it a request.
    bool can_be_asked() const noexcept {
        return capabilities.elicitation || capabilities.sampling || capabilities.roots;
    }
};

struct Snapshot;  // gateway/runtime

/// A call as decoded by a surface, which keeps everything it refers to alive until the outcome.
struct IncomingCall {
    Verb verb = Verb::kCallTool;
    /// As the caller knows it: public tool or prompt name, URI, task id; for a completion, the prompt or template.
    std::string_view name;
    /// The kind of item the name refers to; for a completion, a prompt or a template. Meaningless for task verbs.
    ItemKind about = ItemKind::kTool;
    /// The params object as received, validated JSON, and the positions of its parts.
    std::string_view params;
    json::ParamsView view = {};
    const ClientTraits& client;
    /// What the caller sees, taken once for the whole call.
    const Snapshot& snapshot;
    /// The part of the catalog the caller connected to: "" all, "servers/NAME", "groups/NAME".
    std::string_view scope = {};
    /// The request's header fields; null on a pipe. Arguments may have to agree with them.
    const mcp::HeaderLookup* headers = nullptr;
    /// Recorded with everything the call causes, and sent on to its server.
    std::string correlation_id = {};
    TraceIds trace = {};
};

/// Adds the caller's principal. The surface keeps the incoming call alive until the outcome.
struct IdentifiedCall {
    const IncomingCall& incoming;
    std::shared_ptr<const Principal> principal;
};

class Source;  // gateway/ports

/// Adds what the call is about, borrowed from its snapshot.
struct ResolvedCall {
    IdentifiedCall identified;
    Source* source = nullptr;
    const Item* item = nullptr;  // null for task verbs, and for a resource only a template covers
    /// The source's own name or id for what the caller named.
    std::string_view own_name;
    /// The text of `own_name` where neither the snapshot nor the call has it: an opened task id.
    std::shared_ptr<const std::string> opened_id = {};
    /// The state with which an earlier input request of the source is resumed, in the source's own form.
    std::optional<std::string> resume_state = {};
};

/// A call that passed every guard; holding one proves that the checks were made.
class AdmittedCall {
public:
    const IncomingCall& incoming() const noexcept { return call_.identified.incoming; }
    const ClientTraits& client() const noexcept { return call_.identified.incoming.client; }
    const Principal& principal() const noexcept { return *call_.identified.principal; }
    Verb verb() const noexcept { return incoming().verb; }
    Source& source() const noexcept { return *call_.source; }
    /// Null for task verbs, and for a resource only a template covers.
    const Item* item() const noexcept { return call_.item; }
    std::string_view own_name() const noexcept { return call_.own_name; }
    const std::optional<std::string>& resume_state() const noexcept { return call_.resume_state; }

private:
    friend class Guard;  // gateway/pipeline: the only factory, so an unguarded call does not compile
    explicit AdmittedCall(ResolvedCall&& call) noexcept : call_(std::move(call)) {}
    ResolvedCall call_;
};

}  // namespace gantry::gateway
