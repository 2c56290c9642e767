#include "app/gateway/control_channel.hpp"

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <ranges>

#include "app/gateway/observability.hpp"
#include "app/instances/instances.hpp"
#include "base/try.hpp"
#include "gateway/approvals/approvals.hpp"
#include "gateway/events/cloud_event.hpp"
#include "gateway/events/log.hpp"
#include "gateway/resilience/gates.hpp"
#include "io/scope.hpp"

namespace gantry::app {
namespace {

using surface::OperationCall;

/// Connecting new servers takes a while, and the operator waits for it.
constexpr Duration kReloadTime = std::chrono::minutes(2);
/// The journal answers between two commits; a hanging store must not block the operator.
constexpr Duration kAskTime = seconds(30);

Json texts(const std::vector<std::string>& names) {
    JsonArray array;
    for (const std::string& name : names) array.emplace_back(name);
    return array;
}

const JsonArray& servers_of(const Json& status) {
    return *status.find("servers")->if_array();
}

/// The state of the servers that were reconnected.
Json trouble_of(const Json& status, const ReloadPlan& plan) {
    JsonObject trouble;
    for (const Json& server : servers_of(status)) {
        const std::string name(server.string_at("name"));
        const auto among = [&name](const std::vector<std::string>& names) {
            return std::ranges::find(names, name) != names.end();
        };
        const bool fresh = among(plan.added) || among(plan.changed);
        if (fresh && !server.find("trouble")->is_null()) trouble.set(name, *server.find("trouble"));
    }
    return trouble;
}

Task<Result<Json>> tell_status(GatewayApp& app) {
    co_return app.status();
}

Task<Result<Json>> do_reload(const Context& ctx, GatewayApp& app, Reloader* reloader) {
    if (reloader == nullptr) {
        co_return fail(ErrorCode::kInvalidArgument, "this gateway runs without a configuration file");
    }
    GANTRY_CO_TRY(const ReloadPlan plan, co_await reloader->reload(ctx.within(kReloadTime)));
    co_return Json(JsonObject{{"added", texts(plan.added)},
                              {"changed", texts(plan.changed)},
                              {"removed", texts(plan.removed)},
                              {"settings", texts(plan.settings)},
                              {"later", texts(plan.later)},
                              {"trouble", trouble_of(app.status(), plan)}});
}

Task<Result<Json>> do_refresh(const Context& ctx, GatewayApp& app, OperationCall call) {
    co_return co_await app.refresh(ctx.within(kReloadTime), std::string(call.value("server")));
}

Task<Result<Json>> do_restart(const Context& ctx, GatewayApp& app, OperationCall call) {
    const std::string server(call.value("server"));
    GANTRY_CO_CHECK(co_await app.restart(ctx.within(kReloadTime), server));
    const Json status = app.status();
    for (const Json& one : servers_of(status)) {
        if (one.string_at("name") == server) co_return one;
    }
    co_return fail(ErrorCode::kNotFound, "server '" + server + "' was removed meanwhile");
}

/// Sends one event of a login's stream. Takes everything by value: it may be spawned.
Task<void> say_event(Context ctx, http::Exchange& exchange, std::string type, Json data) {
    auto sent = co_await exchange.write(ctx, "event: " + type + "\ndata: " + data.dump() + "\n\n");
    static_cast<void>(sent);
}

/// Cancels the login when the command that began it disconnects.
Task<void> cancel_when_gone(Context ctx, http::Exchange& exchange, const CancelSource& login) {
    const auto left = co_await exchange.wait_for_disconnect(ctx);
    if (!left && left.error().code() == ErrorCode::kConnection) login.cancel();
}

gateway::LoginRequest wish_of(const OperationCall& call) {
    gateway::LoginRequest wish{.client_id = std::string(call.value("client_id"))};
    for (const auto range : std::views::split(call.value("scopes"), ' ')) {
        if (!range.empty()) wish.scopes.emplace_back(range.begin(), range.end());
    }
    return wish;
}

/// Events: `visit` with the URL to open, then `done` with the server's status or `failed`.
Task<void> do_login(const Context& ctx, http::Exchange& exchange, GatewayApp& app, OperationCall call) {
    const http::Headers headers{{"Content-Type", "text/event-stream"}, {"Cache-Control", "no-store"}};
    if (auto started = co_await exchange.start(ctx, 200, headers); !started) co_return;
    const std::string server(call.value("server"));
    Scope telling(ctx);
    const auto show = [&](const std::string& url) {
        telling.spawn(say_event(telling.context(), exchange, "visit", JsonObject{{"url", url}}));
    };
    const CancelSource login(ctx.cancel());
    Scope watching(ctx);
    watching.spawn(cancel_when_gone(watching.context(), exchange, login));
    const auto done = co_await app.log_in(ctx.stopped_by(login), server, wish_of(call), show);
    watching.cancel();
    co_await watching.join();
    co_await telling.join();
    Json outcome = JsonObject{{"message", done ? std::string("the server is gone") : done.error().message()}};
    const Json status = app.status();
    for (const Json& one : servers_of(status)) {
        if (done && one.string_at("name") == server) outcome = one;
    }
    co_await say_event(ctx, exchange, done ? "done" : "failed", outcome);
    auto finished = co_await exchange.finish(ctx);
    static_cast<void>(finished);
}

Task<Result<Json>> tell_breakers(GatewayApp& app) {
    const Json status = app.status();
    JsonArray breakers;
    for (const Json& server : servers_of(status)) {
        breakers.emplace_back(JsonObject{{"server", *server.find("name")},
                                         {"state", *server.find("breaker")},
                                         {"failures", *server.find("breaker_failures")},
                                         {"retry_seconds", *server.find("breaker_retry_seconds")},
                                         {"cause", *server.find("breaker_cause")}});
    }
    co_return Json(JsonObject{{"breakers", std::move(breakers)}});
}

Task<Result<Json>> reset_breaker(GatewayApp& app, OperationCall call) {
    const std::string server(call.value("server"));
    GANTRY_CO_CHECK(app.gates().reset(server));
    co_return Json(JsonObject{{"server", server}, {"state", "closed"}});
}

std::int64_t now_ms() {
    return std::chrono::duration_cast<milliseconds>(std::chrono::system_clock::now().time_since_epoch()).count();
}

/// With the exact arguments: the approver must see what the approval is for.
Json shown(const gateway::PendingApproval& approval) {
    auto arguments = Json::parse(approval.arguments);
    const std::int64_t now = now_ms();
    return JsonObject{{"id", approval.id},
                      {"server", approval.source},
                      {"tool", approval.tool},
                      {"principal", approval.principal},
                      {"request_id", approval.request_id},
                      {"arguments", arguments ? *std::move(arguments) : Json(approval.arguments)},
                      {"asked_ms", approval.asked_ms},
                      {"expires_ms", approval.expires_ms},
                      {"age_seconds", std::max<std::int64_t>(0, now - approval.asked_ms) / 1000},
                      {"expires_in_seconds", std::max<std::int64_t>(0, approval.expires_ms - now) / 1000}};
}

Task<Result<Json>> tell_approvals(GatewayApp& app) {
    // Include what other instances have just asked.
    GANTRY_CO_CHECK(co_await app.approvals().refresh(Context::background()));
    JsonArray waiting;
    for (const gateway::PendingApproval& one : app.approvals().list()) waiting.push_back(shown(one));
    co_return Json(JsonObject{{"approvals", std::move(waiting)}});
}

Task<Result<Json>> tell_approval(GatewayApp& app, OperationCall call) {
    GANTRY_CO_CHECK(co_await app.approvals().refresh(Context::background()));
    const std::string_view id = call.value("id");
    for (const gateway::PendingApproval& one : app.approvals().list()) {
        if (one.id == id) co_return shown(one);
    }
    co_return fail(ErrorCode::kNotFound, "no call is waiting for approval '" + std::string(id) +
                                             "'; it was answered or has expired; gantry approvals lists what waits");
}

Task<Result<Json>> answer_approval(GatewayApp& app, OperationCall call) {
    const Json* const approve = call.body.find("approve");
    if (approve == nullptr || !approve->is_bool()) {
        co_return fail(ErrorCode::kInvalidArgument, R"(the body says {"approve":true} or {"approve":false})");
    }
    const std::string id(call.value("id"));
    GANTRY_CO_CHECK(co_await app.approvals().answer(id, {.approved = *approve->if_bool(),
                                                         .channel = gateway::AnswerChannel::kOperator,
                                                         .reason = std::string(call.body.string_at("reason"))}));
    co_return Json(JsonObject{{"id", id}, {"approved", *approve}});
}

Task<Result<Json>> tell_changed_tools(GatewayApp& app) {
    JsonArray tools;
    for (const auto& place : app.changed_tools()) {
        tools.emplace_back(JsonObject{{"server", place.source}, {"tool", place.tool}});
    }
    co_return Json(JsonObject{{"tools", std::move(tools)}});
}

Task<Result<Json>> accept_tool(GatewayApp& app, OperationCall call) {
    GANTRY_CO_CHECK(app.accept_tool(std::string(call.value("server")), std::string(call.value("tool"))));
    co_return Json(JsonObject{{"server", call.value("server")}, {"tool", call.value("tool")}});
}

/// The latest are enough for a diagnosis; the count says how many there are.
constexpr std::size_t kMostLetters = 1000;

Task<Result<Json>> tell_dead_letters(const Context& ctx, GatewayApp& app) {
    GANTRY_CO_TRY(const auto letters, co_await app.watching().dead_letters(ctx.within(kAskTime), kMostLetters));
    const auto known = app.watching().webhooks();
    JsonArray latest;
    for (const auto& letter : letters.latest) {
        latest.emplace_back(JsonObject{{"webhook", letter.consumer},
                                       {"configured", std::ranges::find(known, letter.consumer) != known.end()},
                                       {"id", letter.id},
                                       {"type", letter.type},
                                       {"subject", letter.subject},
                                       {"sequence", letter.seq},
                                       {"attempts", letter.attempts},
                                       {"error", letter.error},
                                       {"time", gateway::events::timestamp(letter.at)},
                                       {"dead_since", gateway::events::timestamp(letter.since)}});
    }
    co_return Json(JsonObject{{"count", letters.count}, {"dead_letters", std::move(latest)}});
}

/// {"id":"…"} or {"all":true}, optionally with {"webhook":"…"}
Task<Result<Json>> revive_letters(const Context& ctx, GatewayApp& app, OperationCall call) {
    const Json* const all = call.body.find("all");
    const bool every_one = all != nullptr && *all == Json(true);
    std::string id(call.body.string_at("id"));
    if (every_one != id.empty())
        co_return fail(ErrorCode::kInvalidArgument, R"(the body says {"id":"…"} or {"all":true})");
    GANTRY_CO_TRY(const std::int64_t revived,
                  co_await app.watching().revive(ctx.within(kAskTime), std::move(id),
                                                 std::string(call.body.string_at("webhook"))));
    co_return Json(JsonObject{{"revived", revived}});
}

constexpr std::string_view kNoLog = R"({"error":{"code":"not_found","message":"this gateway keeps no log"}})";
constexpr std::string_view kBadLevel =
    R"({"error":{"code":"invalid_argument","message":"level is debug, info, warning or error"}})";
constexpr std::string_view kBadLast =
    R"({"error":{"code":"invalid_argument","message":"last is a number from 0 to 100000"}})";
constexpr std::size_t kMostLines = 100'000;

Task<void> refuse(const Context& ctx, http::Exchange& exchange, int status, std::string_view body) {
    const http::Headers headers{{"Content-Type", "application/json"}};
    auto sent = co_await exchange.respond(ctx, status, headers, body);
    static_cast<void>(sent);
}

/// ?last=100&level=warning&server=files&follow=yes
Task<void> tell_log(const Context& ctx, http::Exchange& exchange, gateway::events::Log* log, OperationCall call) {
    if (log == nullptr) co_return co_await refuse(ctx, exchange, 404, kNoLog);
    gateway::events::LogTail::Wanted wanted{.server = std::string(call.value("server")),
                                            .follow = call.value("follow") == "yes"};
    if (const std::string_view last = call.value("last"); !last.empty()) {
        const auto [end, error] = std::from_chars(last.data(), last.data() + last.size(), wanted.last);
        if (error != std::errc() || end != last.data() + last.size() || wanted.last > kMostLines)
            co_return co_await refuse(ctx, exchange, 400, kBadLast);
    }
    if (const std::string_view word = call.value("level"); !word.empty()) {
        const auto level = gateway::events::log_level_from(word);
        if (!level) co_return co_await refuse(ctx, exchange, 400, kBadLevel);
        wanted.level = *level;
    }
    co_await log->tail().serve(ctx, exchange, std::move(wanted));
}

}  // namespace

ControlChannel::ControlChannel(Loop& loop, Parts parts)
    : loop_(loop), app_(parts.app), reloader_(parts.reloader), log_(parts.log) {
    // Read-only operations first, then those that change something.
    const auto tell = [this](std::string path, Task<Result<Json>> (*answer)(GatewayApp&)) {
        operations_.add({.method = "GET",
                         .path = std::move(path),
                         .run = [this, answer](const Context&, OperationCall) { return answer(app_); }});
    };
    tell("/v1/status", tell_status);
    tell("/v1/breakers", tell_breakers);
    tell("/v1/approvals", tell_approvals);
    tell("/v1/tools/changed", tell_changed_tools);
    const auto act = [this](std::string path, Task<Result<Json>> (*answer)(GatewayApp&, OperationCall)) {
        operations_.add(
            {.method = "POST", .path = std::move(path), .run = [this, answer](const Context&, OperationCall call) {
                 return answer(app_, std::move(call));
             }});
    };
    operations_.add({.method = "GET", .path = "/v1/approvals/{id}", .run = [this](const Context&, OperationCall call) {
                         return tell_approval(app_, std::move(call));
                     }});
    act("/v1/breakers/{server}/reset", reset_breaker);
    act("/v1/approvals/{id}", answer_approval);
    act("/v1/tools/changed/{server}/{tool}", accept_tool);
    operations_.add({.method = "POST", .path = "/v1/reload", .run = [this](const Context& ctx, OperationCall) {
                         return do_reload(ctx, app_, reloader_);
                     }});
    operations_.add({.method = "GET", .path = "/v1/events/dead", .run = [this](const Context& ctx, OperationCall) {
                         return tell_dead_letters(ctx, app_);
                     }});
    operations_.add(
        {.method = "POST", .path = "/v1/events/dead/revive", .run = [this](const Context& ctx, OperationCall call) {
             return revive_letters(ctx, app_, std::move(call));
         }});
    for (const char* const path : {"/v1/refresh", "/v1/servers/{server}/refresh"}) {
        operations_.add({.method = "POST", .path = path, .run = [this](const Context& ctx, OperationCall call) {
                             return do_refresh(ctx, app_, std::move(call));
                         }});
    }
    operations_.add(
        {.method = "POST",
         .path = "/v1/servers/{server}/restart",
         .run = [this](const Context& ctx, OperationCall call) { return do_restart(ctx, app_, std::move(call)); }});
    operations_.add({.method = "GET",
                     .path = "/v1/servers/{server}/login",
                     .follow = [this](const Context& ctx, http::Exchange& exchange, OperationCall call) {
                         return do_login(ctx, exchange, app_, std::move(call));
                     }});
    operations_.add({.method = "GET",
                     .path = "/v1/events",
                     .follow = [this](const Context& ctx, http::Exchange& exchange, OperationCall) {
                         return feed_(ctx, exchange);
                     }});
    operations_.add({.method = "GET",
                     .path = "/v1/logs",
                     .follow = [this](const Context& ctx, http::Exchange& exchange, OperationCall call) {
                         return tell_log(ctx, exchange, log_, std::move(call));
                     }});
}

Result<void> ControlChannel::start() {
    feed_ = app_.event_feed();
    running_instances(app_.state_dir());  // removes stale sockets of killed gateways, also one with this process id
    server_ = std::make_unique<http::Server>(
        loop_, http::ServerOptions{.unix_path = control_socket(app_.state_dir(), ::getpid()).string()},
        [this](const Context& ctx, http::Exchange& exchange) { return operations_.handle(ctx, exchange); });
    auto started = server_->start();
    if (!started) server_.reset();
    return started;
}

Task<void> ControlChannel::stop() {
    if (log_ != nullptr) log_->tail().hang_up();
    if (server_) co_await server_->stop(milliseconds(500));
    server_.reset();
}

}  // namespace gantry::app
