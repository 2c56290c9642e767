#include <utility>

#include "base/try.hpp"
#include "io/http/pool.hpp"
#include "mcp/transport/http_answer.hpp"
#include "mcp/transport/streamable_connection.hpp"

namespace gantry::mcp {
namespace {

// How long an answered stream may stay open; then its connection is dropped.
constexpr Duration kLinger = seconds(2);

}  // namespace

HttpLane::Seat::Seat(HttpLane& lane, CancelSource stop) : lane_(lane), stop_(std::move(stop)), next_(lane.first_) {
    if (next_) next_->previous_ = this;
    lane_.first_ = this;
}

HttpLane::Seat::~Seat() {
    if (next_) next_->previous_ = previous_;
    (previous_ ? previous_->next_ : lane_.first_) = next_;
    if (lane_.leaving_) lane_.seat_left();
}

/// Whoever sits there notices on a later turn of the loop, so the list stays as it is meanwhile.
void HttpLane::ask_to_leave() {
    leaving_ = true;
    for (Seat* seat = first_; seat != nullptr; seat = seat->next_) seat->stop_.cancel();
}

void StreamableConnection::make_lane_fields() {
    const bool made = lane_to_ != nullptr;
    if (made && lane_revision_ == revision_ && lane_session_ == session_) return;
    if (!made) {
        lane_to_ = std::make_shared<const http::Destination>(config_.http.url);
        lane_target_ = config_.http.url.target();
    }
    lane_revision_ = revision_;
    lane_session_ = session_;
    lane_fields_ = {};
    // HttpCaller adds the configured ones itself.
    if (!config_.http.authorization && !config_.http.tap) {
        for (const auto& [name, value] : config_.http.headers) lane_fields_.add(name, value);
    }
    lane_fields_.set("Content-Type", kJson);
    lane_fields_.set("Accept", "application/json, text/event-stream");
    if (!revision_) return;
    if (*revision_ >= Revision::k2025_06_18) lane_fields_.set(header::kProtocolVersion, to_string(*revision_));
    if (!is_modern(*revision_) && !session_.empty()) lane_fields_.set(header::kSessionId, session_);
}

Task<Result<http::Response>> StreamableConnection::post(const Context& ctx, LanePost& post) {
    make_lane_fields();
    post.fields = lane_fields_;
    if (revision_ && is_modern(*revision_)) {
        post.fields.set(header::kMethod, post.method);
        if (!post.name.empty()) post.fields.set(header::kName, encode_header_value(post.name));
        if (post.headers) {
            for (const auto& [name, value] : *post.headers) post.fields.set(name, value);
        }
    } else {
        post.session = session_;
    }
    if (config_.http.authorization || config_.http.tap) return post_carefully(ctx, post);
    post.head.emplace(http::OutgoingHead{.method = "POST", .target = lane_target_, .headers = post.fields});
    return http::exchange(ctx, config_.http.client->pool(), lane_to_, *post.head, post.body);
}

Task<Result<http::Response>> StreamableConnection::post_carefully(const Context& ctx, LanePost& post) {
    HttpCaller::Call call{.method = "POST",
                          .url = config_.http.url,
                          .headers = post.fields,
                          .body = post.body,
                          .on_login = post.on_login};
    return caller_.send(ctx, std::move(call), post.failure);
}

Task<Result<EventSource>> StreamableConnection::resume(const Context& ctx, const ResumePoint& at,
                                                       HttpFailure& failure) {
    return reopen(ctx, at, failure);
}

void StreamableConnection::forget_session(const std::string& session) {
    if (session_ != session) return;
    session_.clear();
    if (listener_) listener_->cancel.cancel();
}

void StreamableConnection::linger(EventSource source) {
    if (closing_ || source.ended()) return;
    scope_.spawn(follow_to_end(std::move(source)));
}

Task<void> StreamableConnection::follow_to_end(EventSource source) {
    const Context ctx = scope_.context().within(kLinger);
    for (;;) {
        auto event = co_await source.next(ctx);
        if (!event || !*event) co_return;
    }
}

}  // namespace gantry::mcp
