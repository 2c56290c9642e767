#include "mcp/client/open.hpp"

#include "base/try.hpp"
#include "mcp/client/era_cache.hpp"
#include "mcp/client/initialize.hpp"
#include "mcp/client/inputs.hpp"
#include "mcp/protocol/codec.hpp"
#include "mcp/protocol/errors.hpp"
#include "mcp/protocol/meta.hpp"
#include "mcp/protocol/method.hpp"
#include "mcp/protocol/negotiate.hpp"

namespace gantry::mcp {

namespace {

using OnNotification = std::function<void(const NotificationMessage&)>;
using SharedRevision = std::shared_ptr<Revision>;

Task<Result<Json>> refuse(RequestMessage request) {
    co_return fail(to_error(method_not_found(request.method), "request of the server"));
}

/// State of one open_session(); lives on its stack.
struct Opening {
    Route& route;
    const ClientSettings& settings;
    const OnNotification& on_notification;
    /// Requests of the server are decoded for the revision that will be negotiated.
    SharedRevision revision = std::make_shared<Revision>(Revision::k2025_11_25);

    std::unique_ptr<Rpc> rpc_over(std::unique_ptr<Connection> connection) const {
        RpcHooks hooks;
        hooks.on_notification = on_notification;
        hooks.on_oddity = settings.handlers.on_oddity;
        hooks.on_request = [handlers = &settings.handlers, agreed = revision](const Context& ctx,
                                                                              RequestMessage request) {
            // A modern server must not send requests: it asks through its results.
            if (is_modern(*agreed)) return refuse(std::move(request));
            return serve_input(ctx, *handlers, *agreed, std::move(request.method), std::move(request.params));
        };
        return std::make_unique<Rpc>(std::move(connection), std::move(hooks), false, settings.unsent,
                                     settings.hold_bytes);
    }
    Wire wire_of(const Rpc& rpc) const noexcept {
        if (route.wire == Wire::kPipe) return Wire::kPipe;
        return rpc.lane() != nullptr ? Wire::kHttp : Wire::kHttpSse;
    }
    std::string server_key() const { return route.identity.empty() ? route.transport->describe() : route.identity; }
    void remember(Revision agreed) const {
        if (settings.era_cache) settings.era_cache->remember(server_key(), agreed);
    }
};

std::optional<RpcOutcome> outcome_of(const Result<Json>& answer) {
    if (answer) return RpcOutcome(*answer);
    if (answer.error().rpc() != nullptr) return RpcOutcome(std::unexpected(*answer.error().rpc()));
    return std::nullopt;
}

HttpProbe http_probe(const Result<Json>& answer, const HttpFailure& failure, int status) {
    HttpProbe probe{.status = status != 0 ? status : failure.status, .answer = outcome_of(answer)};
    if (probe.answer) {
        if (probe.status == 0) probe.status = 200;
    } else if (failure.status != 0) {
        probe.answer = answer_in_body(failure.body_excerpt);
    } else {
        probe.outcome = answer.error().code() == ErrorCode::kTimeout ? HttpProbe::ProbeOutcome::kTimedOut
                                                                     : HttpProbe::ProbeOutcome::kUnreachable;
    }
    return probe;
}

StdioProbe stdio_probe(const Result<Json>& answer) {
    StdioProbe probe{.answer = outcome_of(answer)};
    if (!probe.answer) {
        probe.outcome = answer.error().code() == ErrorCode::kTimeout ? StdioProbe::ProbeOutcome::kTimedOut
                                                                     : StdioProbe::ProbeOutcome::kExited;
    }
    return probe;
}

struct Probed {
    Verdict verdict;
    /// Set if there was no answer at all; the reason for the user.
    std::optional<Error> why;
    bool silent = false;
};

Task<Probed> probe_once(const Context& ctx, const Opening& opening, Rpc& rpc, ProbeState state) {
    Json params;
    stamp_meta(
        params, state.offered,
        {.capabilities = capabilities_of(opening.settings, state.offered), .client_info = opening.settings.self});
    HttpFailure failure;
    int status = 0;
    const CallTimes times{.idle = opening.settings.probe_timeout, .total = opening.settings.probe_timeout};
    RpcCall call{.method = std::string(method::kDiscover), .params = std::move(params), .times = times};
    // A legacy server must not get a cancellation for a request it did not understand.
    call.cancellable = false;
    call.failure = &failure;
    call.http_status = &status;
    const auto answer = co_await rpc.request(ctx, std::move(call));

    Probed probed;
    probed.silent = !answer && answer.error().code() == ErrorCode::kTimeout;
    probed.verdict = opening.route.wire == Wire::kHttp ? judge(http_probe(answer, failure, status), state)
                                                       : judge(stdio_probe(answer), state);
    if (!answer) probed.why = answer.error();
    co_return probed;
}

Task<Probed> probe(const Context& ctx, const Opening& opening, Rpc& rpc) {
    ProbeState state;
    Probed probed = co_await probe_once(ctx, opening, rpc, state);
    if (probed.verdict.kind == Verdict::Kind::kRetry) {
        state.offered = probed.verdict.revision;
        state.retried = true;
        probed = co_await probe_once(ctx, opening, rpc, state);
    }
    co_return probed;
}

std::shared_ptr<Session> modern_session(const Opening& opening, std::unique_ptr<Rpc> rpc, Verdict verdict) {
    ServerDescription server{.revision = verdict.revision};
    if (verdict.discovered) {
        server.info = read_server_info(verdict.discovered->meta).value_or(Implementation{});
        server.capabilities = std::move(verdict.discovered->capabilities);
        server.instructions = std::move(verdict.discovered->instructions);
    }
    *opening.revision = verdict.revision;
    rpc->set_revision(verdict.revision);
    rpc->set_cancel_by_closing(opening.route.wire == Wire::kHttp);
    const Wire wire = opening.wire_of(*rpc);
    return std::make_shared<Session>(std::move(rpc), opening.settings, std::move(server), wire);
}

Task<Error> give_up(std::unique_ptr<Rpc> rpc, Error why) {
    co_await rpc->close();
    co_return why;
}

/// HTTP+SSE is tried if the URL does not accept a POSTed initialize.
bool speaks_only_sse(const Opening& opening, const HttpFailure& failure) {
    return opening.route.http_sse != nullptr &&
           (failure.status == 400 || failure.status == 404 || failure.status == 405);
}

Task<Result<std::shared_ptr<Session>>> legacy_session(const Context& ctx, const Opening& opening,
                                                      std::unique_ptr<Rpc> rpc, bool probed_in_silence) {
    HttpFailure failure;
    auto described = co_await initialize(ctx, *rpc, opening.settings, &failure);
    if (!described && described.error().rpc() != nullptr && opening.settings.era == EraChoice::kAuto) {
        // A slow modern server may have missed the probe timeout: its error says so now, or it answers a second probe.
        auto verdict = judge_initialize_error(*described.error().rpc());
        if (verdict || probed_in_silence) {
            Probed again = co_await probe(ctx, opening, *rpc);
            if (again.verdict.kind == Verdict::Kind::kModern)
                co_return modern_session(opening, std::move(rpc), std::move(again.verdict));
        }
    }
    if (!described && speaks_only_sse(opening, failure)) {
        co_await rpc->close();
        auto connection = co_await opening.route.http_sse->connect(ctx);
        if (!connection) {
            co_return fail(Error(described.error()).caused_by(connection.error().within("HTTP+SSE was tried too")));
        }
        rpc = opening.rpc_over(*std::move(connection));
        described = co_await initialize(ctx, *rpc, opening.settings);
    }
    if (!described) co_return fail(co_await give_up(std::move(rpc), described.error()));
    *opening.revision = described->revision;
    const Wire wire = opening.wire_of(*rpc);
    co_return std::make_shared<Session>(std::move(rpc), opening.settings, *std::move(described), wire);
}

bool is_known_legacy(const Opening& opening) {
    if (opening.settings.era != EraChoice::kAuto) return opening.settings.era == EraChoice::kLegacy;
    const auto known =
        opening.settings.era_cache ? opening.settings.era_cache->find(opening.server_key()) : std::nullopt;
    return known && !is_modern(*known);
}

}  // namespace

Task<Result<std::shared_ptr<Session>>> open_session(const Context& ctx, Route& route, const ClientSettings& settings,
                                                    std::function<void(const NotificationMessage&)> on_notification) {
    const Opening opening{.route = route, .settings = settings, .on_notification = on_notification};
    GANTRY_CO_TRY(auto connection, co_await route.transport->connect(ctx));
    auto rpc = opening.rpc_over(std::move(connection));
    if (is_known_legacy(opening)) {
        auto session = co_await legacy_session(ctx, opening, std::move(rpc), false);
        if (session || !settings.era_cache || settings.era != EraChoice::kAuto) co_return session;
        // The cached verdict may be stale: a server that answered, but with an error, is probed again at once.
        settings.era_cache->forget(opening.server_key());
        if (session.error().rpc() == nullptr) co_return session;
        GANTRY_CO_TRY(auto fresh, co_await route.transport->connect(ctx));
        rpc = opening.rpc_over(std::move(fresh));
    }

    Probed probed = co_await probe(ctx, opening, *rpc);
    switch (probed.verdict.kind) {
        case Verdict::Kind::kModern:
            opening.remember(probed.verdict.revision);
            co_return modern_session(opening, std::move(rpc), std::move(probed.verdict));
        case Verdict::Kind::kAuthFirst:
            co_return fail(co_await give_up(
                std::move(rpc), probed.why.value_or(Error(ErrorCode::kUnauthorized, probed.verdict.reason))));
        case Verdict::Kind::kRetry:
        case Verdict::Kind::kFatal:
            co_return fail(co_await give_up(std::move(rpc), Error(ErrorCode::kUnsupported, probed.verdict.reason)));
        case Verdict::Kind::kLegacy:
        case Verdict::Kind::kInconclusive: break;
    }
    if (settings.era == EraChoice::kModern) {
        Error why(
            ErrorCode::kUnsupported,
            "the server is configured as modern but does not answer server/discover as one: " + probed.verdict.reason);
        if (probed.why) why = std::move(why).caused_by(*probed.why);
        co_return fail(co_await give_up(std::move(rpc), std::move(why)));
    }
    if (probed.verdict.restart || rpc->is_closed()) {
        co_await rpc->close();
        GANTRY_CO_TRY(auto fresh, co_await route.transport->connect(ctx));
        rpc = opening.rpc_over(std::move(fresh));
    }
    auto session = co_await legacy_session(ctx, opening, std::move(rpc), probed.silent);
    if (session && probed.verdict.cacheable()) opening.remember((*session)->revision());
    co_return session;
}

}  // namespace gantry::mcp
