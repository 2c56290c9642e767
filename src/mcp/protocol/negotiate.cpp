#include "mcp/protocol/negotiate.hpp"

#include <algorithm>

#include "mcp/protocol/codec.hpp"
#include "mcp/protocol/errors.hpp"
#include "mcp/protocol/message.hpp"

namespace gantry::mcp {
namespace {

using Kind = Verdict::Kind;

Verdict verdict(Kind kind, std::string reason, Revision revision = kLatestRevision) {
    return {kind, revision, std::move(reason), {}, false};
}

bool contains(std::span<const Revision> list, Revision revision) {
    return std::ranges::find(list, revision) != list.end();
}

/// The versions that a list has in common with ours.
struct Common {
    std::optional<Revision> modern;  // the newest
    bool legacy = false;
};

Common common_versions(std::span<const std::string> versions, std::span<const Revision> ours) {
    Common common;
    for (const std::string& text : versions) {
        const auto revision = parse_revision(text);
        if (!revision || !contains(ours, *revision)) continue;
        if (!is_modern(*revision)) {
            common.legacy = true;
        } else if (!common.modern || *common.modern < *revision) {
            common.modern = revision;
        }
    }
    return common;
}

Verdict judge_result(const Json& result, const ProbeState& state) {
    auto discovered = decode<DiscoverResult>(result, kLatestRevision);
    if (!discovered) return verdict(Kind::kLegacy, "server/discover was answered with something else");
    const Common common = common_versions(discovered->supported_versions, state.ours);
    Verdict out = common.modern   ? verdict(Kind::kModern, "server/discover names it", *common.modern)
                  : common.legacy ? verdict(Kind::kLegacy, "server/discover names only legacy versions")
                                  : verdict(Kind::kFatal, "server/discover names no version spoken here");
    out.discovered = *std::move(discovered);
    return out;
}

Verdict judge_unsupported(const RpcError& error, const ProbeState& state) {
    const Common common = common_versions(versions_named(error), state.ours);
    // Even if it is the offered version: a server may reject one request and accept the next.
    if (common.modern && !state.retried) {
        return verdict(Kind::kRetry, "the server names a version to ask again with", *common.modern);
    }
    if (common.legacy) return verdict(Kind::kLegacy, "the server supports only legacy versions of ours");
    if (common.modern) return verdict(Kind::kFatal, "the server refuses a version it lists as supported");
    return verdict(Kind::kFatal, "the server supports no version spoken here");
}

Verdict judge_answer(const RpcOutcome& answer, const ProbeState& state) {
    if (answer) return judge_result(*answer, state);
    switch (answer.error().code) {
        case rpc_code::kUnsupportedVersion: return judge_unsupported(answer.error(), state);
        case rpc_code::kHeaderMismatch:
        case rpc_code::kMissingCapability:
            return verdict(Kind::kModern, "only modern servers answer " + std::to_string(answer.error().code),
                           state.offered);
        default: return verdict(Kind::kLegacy, "server/discover was refused");
    }
}

}  // namespace

Verdict judge(const HttpProbe& probe, const ProbeState& state) {
    if (probe.outcome == HttpProbe::ProbeOutcome::kTimedOut) return verdict(Kind::kInconclusive, "no answer in time");
    if (probe.outcome == HttpProbe::ProbeOutcome::kUnreachable) return verdict(Kind::kInconclusive, "no connection");
    const int status = probe.status;
    const std::string said = "HTTP " + std::to_string(status);
    if (status == 401 || status == 403 || status == 407) return verdict(Kind::kAuthFirst, said);
    if (status == 408 || status == 429 || status >= 500) return verdict(Kind::kInconclusive, said);
    if (status >= 300 && status < 400) return verdict(Kind::kInconclusive, said);
    if (!probe.answer) return verdict(Kind::kLegacy, said + " without a JSON-RPC answer");
    if (*probe.answer && status >= 400) return verdict(Kind::kLegacy, said + " with a result");
    return judge_answer(*probe.answer, state);
}

Verdict judge(const StdioProbe& probe, const ProbeState& state) {
    if (probe.outcome == StdioProbe::ProbeOutcome::kTimedOut) return verdict(Kind::kLegacy, "no answer in time");
    if (probe.outcome == StdioProbe::ProbeOutcome::kExited) {
        Verdict out = verdict(Kind::kLegacy, "the server exited on server/discover");
        out.restart = true;
        return out;
    }
    if (!probe.answer) return verdict(Kind::kLegacy, "no usable answer");
    return judge_answer(*probe.answer, state);
}

std::optional<RpcOutcome> answer_in_body(std::string_view body) {
    auto message = decode_message(body);
    if (!message) return {};
    auto* response = std::get_if<ResponseMessage>(&*message);
    if (response == nullptr) return {};
    return std::move(response->outcome);
}

std::optional<Verdict> judge_late(const RpcOutcome& answer, const ProbeState& state) {
    if (!answer) return {};
    Verdict out = judge_result(*answer, state);
    return out.kind == Kind::kModern ? std::optional(std::move(out)) : std::nullopt;
}

std::optional<Verdict> judge_initialize_error(const RpcError& error, const ProbeState& state) {
    const Common common = common_versions(versions_named(error), state.ours);
    if (!common.modern) return {};
    return verdict(Kind::kModern, "initialize was refused in favour of it", *common.modern);
}

std::optional<Revision> initialize_revision(std::span<const Revision> ours) noexcept {
    std::optional<Revision> best;
    for (const Revision revision : ours) {
        if (!is_modern(revision) && (!best || *best < revision)) best = revision;
    }
    return best;
}

Result<Revision> accept_initialize_version(std::string_view answered, std::span<const Revision> ours) {
    const auto revision = parse_revision(answered);
    if (!revision) return fail(ErrorCode::kUnsupported, "the server answered initialize with an unknown version");
    if (is_modern(*revision)) {
        return fail(ErrorCode::kUnsupported, "the server answered initialize with a version that has no initialize");
    }
    if (!contains(ours, *revision)) {
        return fail(ErrorCode::kUnsupported,
                    "the server speaks " + std::string(to_string(*revision)) + ", which is not allowed here");
    }
    return *revision;
}

Revision answer_initialize_version(std::string_view requested) noexcept {
    const auto revision = parse_revision(requested);
    return revision && !is_modern(*revision) ? *revision : kLatestLegacyRevision;
}

}  // namespace gantry::mcp
