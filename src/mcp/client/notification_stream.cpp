#include "mcp/client/notification_stream.hpp"

#include <algorithm>

#include "base/try.hpp"
#include "io/loop.hpp"
#include "mcp/client/time_limit.hpp"
#include "mcp/protocol/codec.hpp"
#include "mcp/protocol/meta.hpp"
#include "mcp/protocol/method.hpp"

namespace gantry::mcp {

namespace {

constexpr Duration kFirstPause = milliseconds(250);
constexpr Duration kLongestPause = seconds(60);
constexpr Duration kAcknowledgeWithin = seconds(30);

/// Task notifications are sent only to clients that declare the tasks extension.
void declare_tasks(Json& params) {
    Json* meta = params.find("_meta");
    Json* capabilities = meta != nullptr ? meta->find(meta_key::kClientCapabilities) : nullptr;
    if (capabilities == nullptr || !capabilities->is_object()) return;
    JsonObject& members = *capabilities->if_object();
    if (members.find("extensions") == nullptr) members.set("extensions", JsonObject{});
    JsonObject& extensions = *members.find("extensions")->if_object();
    if (!extensions.contains(kTasksExtension)) extensions.set(std::string(kTasksExtension), JsonObject{});
}

}  // namespace

struct NotificationStream::Stream {
    SubscriptionFilter filter;
    std::optional<Result<SubscriptionFilter>> acknowledged;
    Event settled;
    CancelSource stop;

    void settle(Result<SubscriptionFilter> result) {
        if (acknowledged) return;
        acknowledged = std::move(result);
        settled.set();
    }
};

NotificationStream::NotificationStream(std::shared_ptr<Session> session, OnNotification on_notification,
                                       std::function<void()> on_gap)
    : session_(std::move(session)),
      on_notification_(std::move(on_notification)),
      on_gap_(std::move(on_gap)),
      scope_(Context::background()) {}

NotificationStream::~NotificationStream() = default;

Task<Result<SubscriptionFilter>> NotificationStream::listen(const Context& ctx, SubscriptionFilter filter) {
    auto stream = std::make_shared<Stream>();
    stream->filter = std::move(filter);
    stream->stop = CancelSource(scope_.context().cancel());
    scope_.spawn(run(stream));
    const Context limited = ctx.within(kAcknowledgeWithin);
    if (auto waited = co_await stream->settled.wait(limited); !waited) {
        stream->stop.cancel();
        co_return fail(
            naming_limit(waited.error(), kAcknowledgeWithin, limited.deadline(), ctx).within("subscriptions/listen"));
    }
    if (!*stream->acknowledged) co_return *stream->acknowledged;
    if (current_) current_->stop.cancel();
    current_ = stream;
    co_return *stream->acknowledged;
}

Task<void> NotificationStream::run(std::shared_ptr<Stream> stream) {
    const Context ctx = scope_.context().stopped_by(stream->stop);
    Duration pause = kFirstPause;
    bool broken = false;
    for (;;) {
        ListenParams params;
        params.notifications = stream->filter;
        bool stood = false;
        RpcCall call{.method = std::string(method::kListen),
                     .params = session_->stamped(encode(params, session_->revision()))};
        if (!stream->filter.task_ids.empty()) declare_tasks(call.params);
        call.times = {.idle = Duration::max(), .total = Duration::max()};
        call.on_notification = [this, stream, &stood, &broken](const NotificationMessage& notification) {
            if (notification.method != method::kAcknowledged) return on_notification_(notification);
            auto honoured = decode<SubscriptionsAcknowledged>(notification.params, session_->revision());
            if (!honoured) return stream->settle(fail(honoured.error()));
            stood = true;
            stream->settle(std::move(honoured->notifications));
            if (std::exchange(broken, false)) on_gap_();
        };
        auto ended = co_await session_->rpc().request(ctx, std::move(call));
        if (ctx.cancel().cancelled() || session_->rpc().is_closed()) break;
        if (!stream->acknowledged) {
            // Rejected on the first attempt: the caller decides how to proceed without it.
            stream->settle(
                fail(ended ? Error(ErrorCode::kProtocol, "the server ended the subscription before acknowledging it")
                           : ended.error()));
            co_return;
        }
        if (!ended && ended.error().rpc() != nullptr) break;
        broken = true;
        if (stood) pause = kFirstPause;
        if (!co_await sleep_for(ctx, pause)) break;
        pause = std::min(pause * 2, kLongestPause);
    }
    stream->settle(fail(ErrorCode::kConnection, "the connection ended before the subscription was acknowledged"));
}

Task<void> NotificationStream::stop() {
    scope_.cancel();
    co_await scope_.join();
}

}  // namespace gantry::mcp
