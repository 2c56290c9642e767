#include "mcp/client/client.hpp"

#include <algorithm>

#include "base/try.hpp"
#include "io/loop.hpp"
#include "mcp/client/era_cache.hpp"
#include "mcp/client/notification_stream.hpp"
#include "mcp/client/time_limit.hpp"
#include "mcp/protocol/codec.hpp"
#include "mcp/protocol/errors.hpp"

namespace gantry::mcp {

namespace {

/// The first back-off before resending a request that was never sent.
constexpr Duration kFirstPause = milliseconds(200);

/// The final error of a call. If an earlier attempt may have run, that takes precedence.
Error told(const std::optional<Error>& unknown, Error last) {
    if (!unknown || last.code() != ErrorCode::kConnection) return last;
    return Error(ErrorCode::kOutcomeUnknown, unknown->message()).caused_by(std::move(last));
}

/// The wait for a connection is limited by the call's own timeouts. Their expiry is kConnection: nothing was sent.
Error no_session(const Context& ctx, Error why) {
    if (why.code() != ErrorCode::kTimeout || !ctx.check()) return why;
    return Error(ErrorCode::kConnection, "no connection to the server within the call's time limit")
        .caused_by(std::move(why));
}

}  // namespace

Client::Client(Route route, ClientSettings settings)
    : settings_(std::move(settings)),
      wire_(route.wire),
      supervisor_(
          std::move(route), settings_,
          [this](const NotificationMessage& notification) { on_notification(notification); },
          [this](Context ctx, std::shared_ptr<Session> session) { return on_session(ctx, std::move(session)); }) {}

Client::~Client() = default;

Task<Result<void>> Client::connect(const Context& ctx) {
    if (closed_) co_return fail(ErrorCode::kInvalidArgument, "the client is closed");
    co_return co_await supervisor_.connect(ctx);
}

Task<Result<void>> Client::connect_on_demand(const Context& ctx) {
    if (closed_) co_return fail(ErrorCode::kInvalidArgument, "the client is closed");
    co_return co_await supervisor_.connect_on_demand(ctx);
}

Task<void> Client::close() {
    closed_ = true;
    co_await supervisor_.close();
    // Callers waiting for an acknowledgement hold the lock and leave first; without a session that is soon.
    if (auto guard = co_await listening_.lock(Context::background())) co_await stop_listening();
}

Task<Result<Json>> Client::request(const Context& ctx, SessionRequest request, bool repeatable) {
    RetryBudget budget = supervisor_.begin();
    co_return co_await this->request(ctx, std::move(request), repeatable, budget);
}

Task<Result<Json>> Client::request(const Context& ctx, SessionRequest request, bool repeatable, RetryBudget& budget) {
    // However often it is sent and whatever the server asks meanwhile, the cap applies once.
    const Context capped = ctx.within(request.times.total);
    Duration pause = kFirstPause;
    std::optional<Error> unknown;
    for (;;) {
        if (closed_) co_return fail(ErrorCode::kInvalidArgument, "the client is closed");
        auto session = co_await supervisor_.session(capped.within(request.times.idle), budget);
        if (!session) co_return fail(told(unknown, no_session(capped, session.error())));
        (*session)->set_log_level(settings_.log_level);
        auto answer = co_await (*session)->request(capped, request);
        if (answer || closed_) co_return answer;

        const Error error = naming_limit(answer.error(), request.times.total, capped.deadline(), ctx);
        const bool outdated = error.rpc() != nullptr && error.rpc()->code == rpc_code::kUnsupportedVersion;
        // The server changed and rejected the request; negotiate again.
        if (outdated) supervisor_.renew(*session);
        if (error.code() == ErrorCode::kOutcomeUnknown && repeatable) {
            unknown = error;
        } else if (!outdated && error.code() != ErrorCode::kConnection) {
            co_return fail(error);
        }
        // Reconnecting is the supervisor's job, with its own back-off.
        if (outdated || (*session)->rpc().is_closed()) continue;
        if (supervisor_.spent(budget)) co_return fail(told(unknown, error));
        ++budget.resent;
        GANTRY_CO_CHECK(co_await sleep_for(capped, pause));
        pause *= 2;
    }
}

Task<void> Client::stop_listening() {
    if (auto old = std::move(listener_)) co_await old->stop();
}

Task<void> Client::on_session(Context ctx, std::shared_ptr<Session> session) {
    const bool renewed = connected_before_;
    if (renewed) {
        // Changes may have been missed while there was no connection.
        forget_lists();
        on_gap();
    }
    connected_before_ = true;
    if (session->modern()) {
        // An earlier subscribe() has already opened the stream with the whole filter.
        if (listener_ && listener_->session() == session) co_return;
        if (auto listening = co_await listen(ctx, session); !listening && settings_.handlers.on_oddity) {
            settings_.handlers.on_oddity(listening.error());
        }
        co_return;
    }
    if (auto guard = co_await listening_.lock(ctx)) co_await stop_listening();
    // On the first session every subscription sends its own request.
    if (!renewed) co_return;
    const std::set<std::string> uris = subscribed_;
    for (const std::string& uri : uris) {
        SubscribeParams params;
        params.uri = uri;
        auto asked_again =
            co_await session->request(ctx, {.method = "resources/subscribe",
                                            .params = std::move(*encode(params, session->revision()).if_object()),
                                            .times = settings_.times});
        if (!asked_again && settings_.handlers.on_oddity) settings_.handlers.on_oddity(asked_again.error());
    }
}

Task<Result<void>> Client::listen(const Context& ctx, std::shared_ptr<Session> session) {
    GANTRY_CO_TRY(auto guard, co_await listening_.lock(ctx));
    if (session->rpc().is_closed()) co_return fail(ErrorCode::kConnection, "the connection was lost");
    if (listener_ && listener_->session() != session) co_await stop_listening();
    const ServerCapabilities& offered = session->server().capabilities;
    const bool wants_lists = static_cast<bool>(settings_.handlers.on_list_changed);
    SubscriptionFilter filter;
    if (wants_lists && offered.tools && offered.tools->list_changed.value_or(false)) filter.tools_list_changed = true;
    if (wants_lists && offered.prompts && offered.prompts->list_changed.value_or(false))
        filter.prompts_list_changed = true;
    if (wants_lists && offered.resources && offered.resources->list_changed.value_or(false))
        filter.resources_list_changed = true;
    filter.resource_subscriptions.assign(subscribed_.begin(), subscribed_.end());
    if (offered.extensions.contains(kTasksExtension))
        filter.task_ids.assign(followed_tasks_.begin(), followed_tasks_.end());
    honoured_tasks_.clear();
    if (filter == SubscriptionFilter{}) {
        co_await stop_listening();
        co_return Result<void>();
    }
    if (!listener_) {
        listener_ = std::make_unique<NotificationStream>(
            session, [this](const NotificationMessage& notification) { on_notification(notification); },
            [this] { on_gap(); });
    }
    GANTRY_CO_TRY(const SubscriptionFilter honoured, co_await listener_->listen(ctx, filter));
    honoured_tasks_.insert(honoured.task_ids.begin(), honoured.task_ids.end());
    for (const std::string& uri : filter.resource_subscriptions) {
        if (std::ranges::find(honoured.resource_subscriptions, uri) == honoured.resource_subscriptions.end()) {
            co_return fail(ErrorCode::kUnsupported, "the server does not tell about changes of '" + uri + "'");
        }
    }
    co_return Result<void>();
}

Task<Result<void>> Client::subscribe(const Context& ctx, std::string uri) {
    GANTRY_CO_TRY(auto session, co_await supervisor_.session(ctx));
    if (!subscribed_.insert(uri).second) co_return Result<void>();
    Result<void> done;
    if (session->modern()) {
        done = co_await listen(ctx, session);
    } else {
        SubscribeParams params;
        params.uri = uri;
        auto answer = co_await ask<EmptyResult>(ctx, "resources/subscribe", encode(params, session->revision()));
        if (!answer) done = fail(answer.error());
    }
    if (!done) subscribed_.erase(uri);
    co_return done;
}

Task<Result<void>> Client::unsubscribe(const Context& ctx, std::string uri) {
    GANTRY_CO_TRY(auto session, co_await supervisor_.session(ctx));
    if (subscribed_.erase(uri) == 0) co_return Result<void>();
    if (session->modern()) co_return co_await listen(ctx, session);
    SubscribeParams params;
    params.uri = uri;
    GANTRY_CO_CHECK(co_await ask<EmptyResult>(ctx, "resources/unsubscribe", encode(params, session->revision())));
    co_return Result<void>();
}

Task<Result<std::set<std::string>>> Client::follow_tasks(const Context& ctx, std::set<std::string> ids) {
    GANTRY_CO_TRY(auto session, co_await supervisor_.session(ctx));
    const std::set<std::string> before = std::exchange(followed_tasks_, ids);
    // No new request if the server honours all of them; those it did not know before may be known by now.
    if (session->modern() && (followed_tasks_ != before || honoured_tasks_ != followed_tasks_)) {
        GANTRY_CO_CHECK(co_await listen(ctx, session));
    }
    std::erase_if(ids, [this](const std::string& id) { return !honoured_tasks_.contains(id); });
    co_return ids;
}

void Client::on_notification(const NotificationMessage& notification) {
    const SessionHandlers& handlers = settings_.handlers;
    const Revision revision = server().revision;
    if (notification.method == "notifications/tools/list_changed") return on_list_announced(ListKind::kTools);
    if (notification.method == "notifications/resources/list_changed") return on_list_announced(ListKind::kResources);
    if (notification.method == "notifications/prompts/list_changed") return on_list_announced(ListKind::kPrompts);
    if (notification.method == "notifications/message") {
        if (auto message = decode<LogMessage>(notification.params, revision); message && handlers.on_log)
            handlers.on_log(*message);
        return;
    }
    if (notification.method == "notifications/resources/updated") {
        auto updated = decode<ResourceUpdated>(notification.params, revision);
        if (updated && handlers.on_resource_updated) handlers.on_resource_updated(updated->uri);
        return;
    }
    if (notification.method == "notifications/tasks" || notification.method == "notifications/tasks/status") {
        auto changed = decode<TaskStatusChanged>(notification.params, revision);
        if (changed && handlers.on_task_changed) handlers.on_task_changed(changed->task);
        return;
    }
    if (handlers.on_notification) handlers.on_notification(notification);
}

void Client::on_list_changed(ListKind kind) {
    switch (kind) {
        case ListKind::kTools:
            tools_.invalidate();
            schemas_.clear();
            break;
        case ListKind::kPrompts: prompts_.invalidate(); break;
        case ListKind::kResources:
            resources_.invalidate();
            templates_.invalidate();
            break;
    }
    if (settings_.handlers.on_list_changed) settings_.handlers.on_list_changed(kind);
}

/// Changes may have been missed.
void Client::on_gap() {
    on_list_changed(ListKind::kTools);
    on_list_changed(ListKind::kResources);
    on_list_changed(ListKind::kPrompts);
    if (settings_.handlers.on_gap) settings_.handlers.on_gap();
}

void Client::on_list_announced(ListKind kind) {
    on_list_changed(kind);
    if (settings_.handlers.on_list_announced) settings_.handlers.on_list_announced(kind);
}

void Client::forget_lists() {
    tools_.invalidate();
    resources_.invalidate();
    templates_.invalidate();
    prompts_.invalidate();
}

}  // namespace gantry::mcp
