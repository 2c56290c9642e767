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

/// What can be asked of a source. Everything takes the same street.
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
/// The verb as MCP spells it: "tools/call".
std::string_view method_of(Verb verb) noexcept;

/// The program that calls, as far as a source may have to know.
struct ClientTraits {
    mcp::Revision revision = mcp::kLatestRevision;
    mcp::ClientCapabilities capabilities = {};
    /// The same as canonical JSON: calls of clients with different sets never share a legacy session.
    std::string capabilities_text = "{}";
    /// Names the client's own session where it has one.
    std::string session = {};
    /// What the client program calls itself; empty when it does not say.
    std::string name = {};

    bool modern() const noexcept { return mcp::is_modern(revision); }
    /// Offers elicitation, sampling or roots: a legacy server may ask it something.
    bool can_be_asked() const noexcept {
        return capabilities.elicitation || capabilities.sampling || capabilities.roots;
    }
};

/// A call as a surface decoded it. Views live until the outcome.
struct IncomingCall {
    Verb verb = Verb::kCallTool;
    /// As the caller knows it: public tool or prompt name, URI, task id; of a completion the prompt or template.
    std::string_view name;
    /// What the name stands for; a completion is about a prompt or a template. Meaningless for task verbs.
    ItemKind about = ItemKind::kTool;
    /// The params object as it came, checked JSON, and where its parts stand in it.
    std::string_view params;
    json::ParamsView view = {};
    const ClientTraits& client;
    /// The part of the catalog the caller came in by: "" all, "servers/NAME", "groups/NAME".
    std::string_view scope = {};
    /// The header fields it came with; null where there are none, as on a pipe. Arguments may have to agree with them.
    const mcp::HeaderLookup* headers = nullptr;
    /// Travels with the call through every record.
    std::string correlation_id = {};
    TraceIds trace = {};
};

/// + who calls. What came in stays where the surface has it until the outcome.
struct IdentifiedCall {
    const IncomingCall& incoming;
    std::shared_ptr<const Principal> principal;
};

class Source;  // gateway/ports

/// + what it is about. The item and its source stay alive as long as the call, whatever happens to the catalog.
struct ResolvedCall {
    IdentifiedCall identified;
    std::shared_ptr<Source> source;
    ItemPtr item;  // null for task verbs, and for a resource only a template covers
    /// The source's own name or id for what the caller named; lives with the call.
    std::string own_name;
    /// The answer to what the source asked earlier, in the source's own words.
    std::optional<std::string> resume_state = {};
};

/// A call that passed every guard. Whoever holds one need not ask again.
class AdmittedCall {
public:
    const IncomingCall& incoming() const noexcept { return call_.identified.incoming; }
    const ClientTraits& client() const noexcept { return call_.identified.incoming.client; }
    const Principal& principal() const noexcept { return *call_.identified.principal; }
    Verb verb() const noexcept { return incoming().verb; }
    Source& source() const noexcept { return *call_.source; }
    const ItemPtr& item() const noexcept { return call_.item; }
    const std::string& own_name() const noexcept { return call_.own_name; }
    const std::optional<std::string>& resume_state() const noexcept { return call_.resume_state; }

private:
    friend class Guard;  // gateway/pipeline: the only maker, so an unguarded call does not compile
    explicit AdmittedCall(ResolvedCall&& call) noexcept : call_(std::move(call)) {}
    ResolvedCall call_;
};

}  // namespace gantry::gateway
