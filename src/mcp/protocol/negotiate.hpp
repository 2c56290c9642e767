#pragma once

#include <chrono>
#include <expected>
#include <span>

#include "gantry/error.hpp"
#include "gantry/json.hpp"
#include "gantry/mcp/lifecycle.hpp"
#include "gantry/mcp/revision.hpp"

// Decides a server's era and the revision to use from the result of a server/discover probe. Pure functions;
// sending, waiting and caching the verdict are the client's job.

namespace gantry::mcp {

inline constexpr std::chrono::seconds kStdioProbeTimeout{10};
/// A wrong modern verdict fails loudly, a wrong legacy one works silently forever: hence it expires.
inline constexpr std::chrono::hours kVerdictLifetime{24};

struct Verdict {
    enum class Kind : std::uint8_t {
        kModern,        ///< speak `revision` without a handshake
        kLegacy,        ///< open with initialize
        kRetry,         ///< probe once more with `revision`
        kAuthFirst,     ///< no verdict until the caller is authorized
        kInconclusive,  ///< make one legacy attempt and do not cache the verdict
        kFatal,         ///< no revision in common
    };
    Kind kind = Kind::kInconclusive;
    Revision revision = kLatestRevision;
    /// Reason, for the log and, if fatal, for the user.
    std::string reason = {};
    /// The server's self-description, if it sent one.
    std::optional<DiscoverResult> discovered = {};
    /// stdio: the process exited; start a new one before initialize.
    bool restart = false;

    /// May be cached for kVerdictLifetime.
    bool cacheable() const noexcept { return kind == Kind::kModern || kind == Kind::kLegacy; }
};

/// A JSON-RPC answer: its result or its error.
using RpcOutcome = std::expected<Json, RpcError>;

/// The result of a probe over HTTP.
struct HttpProbe {
    enum class ProbeOutcome : std::uint8_t { kAnswered, kUnreachable, kTimedOut };
    ProbeOutcome outcome = ProbeOutcome::kAnswered;
    int status = 0;
    /// The JSON-RPC answer in the body, whatever the status; empty if there was none.
    std::optional<RpcOutcome> answer = {};
};

/// The result of a probe over stdio.
struct StdioProbe {
    enum class ProbeOutcome : std::uint8_t { kAnswered, kExited, kTimedOut };
    ProbeOutcome outcome = ProbeOutcome::kAnswered;
    std::optional<RpcOutcome> answer = {};
};

/// State of the probe: the offered revision, and those we support.
struct ProbeState {
    Revision offered = kLatestRevision;
    bool retried = false;
    std::span<const Revision> ours = kAllRevisions;
};

Verdict judge(const HttpProbe& probe, const ProbeState& state = {});
Verdict judge(const StdioProbe& probe, const ProbeState& state = {});

/// The JSON-RPC answer in an HTTP body, for HttpProbe::answer. `id` is not checked, because a server that rejects a
/// request often cannot name it.
std::optional<RpcOutcome> answer_in_body(std::string_view body);

/// Judges a discover answer that arrived after stdio had fallen back: a valid result means modern, an error nothing.
std::optional<Verdict> judge_late(const RpcOutcome& answer, const ProbeState& state = {});

/// An initialize error that names a modern version we support means that the server is modern.
std::optional<Verdict> judge_initialize_error(const RpcError& error, const ProbeState& state = {});

/// The version to offer in initialize: the newest legacy one of `ours`. Empty if there is none.
std::optional<Revision> initialize_revision(std::span<const Revision> ours = kAllRevisions) noexcept;

/// Validates the version a server answered to initialize. Fails (kUnsupported) for a version that is unknown or not
/// in `ours`, and for a modern one, which no handshake can negotiate.
Result<Revision> accept_initialize_version(std::string_view answered, std::span<const Revision> ours = kAllRevisions);

/// The server's side: the requested version if it is a known legacy one, else the newest legacy one.
Revision answer_initialize_version(std::string_view requested) noexcept;

}  // namespace gantry::mcp
