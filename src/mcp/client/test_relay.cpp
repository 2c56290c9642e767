#include "mcp/client/test_relay.hpp"

#include <algorithm>

namespace gantry::mcp::testing {

ClientRequest::ClientRequest(std::string method_, std::string params)
    : method(std::move(method_)), text(params.empty() ? "{}" : R"({"params":)" + std::move(params) + "}") {
    const auto view = json::scan_envelope(text);
    if (!view) {
        ADD_FAILURE() << view.error().to_string();
        return;
    }
    request.method = method;
    if (view->params) request.params = view->params.raw();
    request.view = view->in_params;
    request.times = {.idle = seconds(60), .total = seconds(60)};
}

namespace {

constexpr std::string_view kDiscovered =
    R"({"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{}},"ttlMs":0,)"
    R"("cacheScope":"private"})";
constexpr std::string_view kInitialized =
    R"({"protocolVersion":"2025-11-25","capabilities":{"tools":{},"logging":{}},"serverInfo":{"name":"s","version":"1"}})";

Task<void> connected(HttpRig& http, Revision revision, RelayBody body, ConfigChange change) {
    RelayRig rig(http);
    StreamableHttpConfig config = http.config();
    if (change) change(config);
    ClientSettings settings;
    settings.era = is_modern(revision) ? EraChoice::kAuto : EraChoice::kLegacy;
    settings.reconnect_first = milliseconds(1);
    settings.declare.emplace();
    settings.declare->elicitation.emplace();
    settings.handlers.on_oddity = [&rig](const Error& error) { rig.oddities.push_back(error.message()); };
    rig.client =
        std::make_unique<Client>(Route{.transport = std::make_unique<StreamableHttpTransport>(std::move(config)),
                                       .wire = Wire::kHttp,
                                       .http_sse = {}},
                                 std::move(settings));
    if (auto made = co_await rig.client->connect(watchdog()); made) {
        EXPECT_EQ(rig.client->server().revision, revision);
        co_await body(rig);
    } else {
        ADD_FAILURE() << made.error().to_string();
    }
    co_await rig.client->close();
}

// The rig takes plain functions, which cannot capture; one test runs at a time.
Revision wanted = kLatestRevision;
RelayBody current = nullptr;
ConfigChange current_change = nullptr;

Task<void> run_current(HttpRig& rig) {
    return connected(rig, wanted, current, current_change);
}

}  // namespace

Task<bool> served(HttpRig& rig, const Context& ctx, http::Exchange& exchange, const Seen& seen) {
    if (seen.method == "GET") {
        (void)co_await exchange.respond(ctx, 405, {}, "");
        co_return true;
    }
    if (seen.method == "DELETE" || (seen.method == "POST" && (!seen.json.find("id") || !seen.json.find("method")))) {
        (void)co_await exchange.respond(ctx, 202, {}, "");
        co_return true;
    }
    if (seen.rpc_method() == "server/discover") {
        co_await say_json(ctx, exchange, 200, result_for(seen, std::string(kDiscovered)));
        co_return true;
    }
    if (seen.rpc_method() == "initialize") {
        const auto number = seen_of(rig, "initialize").size();
        co_await say_json(ctx, exchange, 200, result_for(seen, std::string(kInitialized)),
                          {{"Mcp-Session-Id", "s" + std::to_string(number)}});
        co_return true;
    }
    co_return false;
}

std::vector<Seen> seen_of(const HttpRig& rig, const std::string& method) {
    std::vector<Seen> out;
    std::ranges::copy_if(rig.seen, std::back_inserter(out),
                         [&](const Seen& one) { return one.rpc_method() == method; });
    return out;
}

Task<Result<std::string>> drain(RelayStream& stream) {
    std::string all;
    for (;;) {
        auto piece = co_await stream.next(watchdog());
        if (!piece) co_return std::unexpected(std::move(piece).error());
        if (!*piece) co_return all;
        all += **piece;
    }
}

void run_relay(Revision revision, Script script, RelayBody body, ConfigChange change) {
    current_change = change;
    wanted = revision;
    current = body;
    run_rig(script, run_current, false);
}

Task<void> run_beside(RelayRig& rig, const RelayRequest& request, std::shared_ptr<RunningRelay> running) {
    running->result = co_await rig.client->relay(watchdog().stopped_by(running->stop), request, false);
    rig.http.changed.pulse();
}

}  // namespace gantry::mcp::testing
