#pragma once

#include <chrono>
#include <expected>
#include <span>

#include "gantry/error.hpp"
#include "gantry/json.hpp"
#include "gantry/mcp/lifecycle.hpp"
#include "gantry/mcp/revision.hpp"

// Which era a server belongs to, and which revision to speak: pure decisions on what a probe with
// server/discover brought back. Sending it, waiting and remembering the verdict belong to the client.

namespace gantry::mcp {

inline constexpr std::chrono::seconds kStdioProbeTimeout{10};
/// A wrong modern verdict fails loudly, a wrong legacy one works for ever: so it is asked again.
inline constexpr std::chrono::hours kVerdictLifetime{24};

struct Verdict {
    enum class Kind : std::uint8_t {
        kModern,        ///< speak `revision` without a handshake
        kLegacy,        ///< open with initialize
        kRetry,         ///< probe once more with `revision`
        kAuthFirst,     ///< no verdict before the caller is authorized
        kInconclusive,  ///< one legacy attempt, and remember nothing
        kFatal,         ///< no revision in common
    };
    Kind kind = Kind::kInconclusive;
    Revision revision = kLatestRevision;
    /// For the log and, if fatal, for the person: why.
    std::string reason = {};
    /// What the server said about itself, when it did.
    std::optional<DiscoverResult> discovered = {};
    /// stdio: the process is gone, start a fresh one before initialize.
    bool restart = false;

    /// Worth remembering for kVerdictLifetime.
    bool cacheable() const noexcept { return kind == Kind::kModern || kind == Kind::kLegacy; }
};

/// A JSON-RPC answer: its result or its error.
using RpcOutcome = std::expected<Json, RpcError>;

/// What a probe over HTTP brought back.
struct HttpProbe {
    enum class Fate : std::uint8_t { kAnswered, kUnreachable, kTimedOut };
    Fate fate = Fate::kAnswered;
    int status = 0;
    /// The JSON-RPC answer in the body, of whatever status; empty if there was none.
    std::optional<RpcOutcome> answer = {};
};

/// What a probe over stdio brought back.
struct StdioProbe {
    enum class Fate : std::uint8_t { kAnswered, kExited, kTimedOut };
    Fate fate = Fate::kAnswered;
    std::optional<RpcOutcome> answer = {};
};

/// Where the probing stands: what was offered, and what we could speak.
struct ProbeState {
    Revision offered = kLatestRevision;
    bool retried = false;
    std::span<const Revision> ours = kAllRevisions;
};

Verdict judge(const HttpProbe& probe, const ProbeState& state = {});
Verdict judge(const StdioProbe& probe, const ProbeState& state = {});

/// The JSON-RPC answer an HTTP body holds, for HttpProbe::answer. `id` is not checked: a server that
/// refuses a request often cannot name it.
std::optional<RpcOutcome> answer_in_body(std::string_view body);

/// A discover answer that came after stdio had fallen back: modern if it is a good result; a late error
/// says nothing.
std::optional<Verdict> judge_late(const RpcOutcome& answer, const ProbeState& state = {});

/// initialize was refused with an error that names a modern version we speak: the server is modern.
std::optional<Verdict> judge_initialize_error(const RpcError& error, const ProbeState& state = {});

/// The version to name in initialize: the newest legacy one of `ours`. Empty if there is none.
std::optional<Revision> initialize_revision(std::span<const Revision> ours = kAllRevisions) noexcept;

/// What the server answered to initialize, as ours to speak. Fails (kUnsupported) for a version we do not
/// know or did not allow, and for a modern one, which no handshake can agree on.
Result<Revision> accept_initialize_version(std::string_view answered, std::span<const Revision> ours = kAllRevisions);

/// A server's side of it: the requested version if legacy and known, else the newest legacy one.
Revision answer_initialize_version(std::string_view requested) noexcept;

}  // namespace gantry::mcp
