#include <utility>

#include "base/try.hpp"
#include "io/http/pool.hpp"
#include "io/http/write_head.hpp"
#include "mcp/transport/http_answer.hpp"
#include "mcp/transport/streamable_connection.hpp"

namespace gantry::mcp {
namespace {

// How long an answered stream may stay open; then its connection is dropped.
constexpr Duration kLinger = seconds(2);

Task<Result<http::Response>> unsent(Error why) {
    co_return fail(std::move(why));
}

/// The headers a modern request mirrors from its body, and those this request adds in any era.
template <class Put>
Result<void> mirror(const RawPost& post, bool modern, Put put) {
    if (modern) {
        GANTRY_CHECK(put(header::kMethod, post.method));
        if (!post.name.empty()) {
            GANTRY_CHECK(put(header::kName, encode_header_value(post.name)));
        }
    }
    if (post.headers == nullptr) return {};
    for (const auto& [name, value] : *post.headers) {
        GANTRY_CHECK(put(name, value));
    }
    return {};
}

bool brings_headers(const RawPost& post) noexcept {
    return post.headers != nullptr && !post.headers->empty();
}

}  // namespace

RawHttpExchange::Slot::Slot(RawHttpExchange& lane, CancelSource stop)
    : lane_(lane), stop_(std::move(stop)), next_(lane.first_) {
    if (next_) next_->previous_ = this;
    lane_.first_ = this;
}

RawHttpExchange::Slot::~Slot() {
    if (next_) next_->previous_ = previous_;
    (previous_ ? previous_->next_ : lane_.first_) = next_;
    if (lane_.leaving_) lane_.slot_released();
}

/// Their holders notice on a later turn of the loop, so the list does not change meanwhile.
void RawHttpExchange::ask_to_leave() {
    leaving_ = true;
    for (Slot* slot = first_; slot != nullptr; slot = slot->next_) slot->stop_.cancel();
}

Result<void> StreamableConnection::make_lane_fields() {
    const bool made = !lane_lines_.empty();
    if (made && lane_revision_ == revision_ && lane_session_ == session_) return {};
    if (!made) {
        lane_to_ = std::make_shared<const http::Destination>(config_.http.url);
        lane_target_ = config_.http.url.target();
    }
    lane_revision_ = revision_;
    lane_session_ = session_;
    lane_fields_ = {};
    lane_lines_.clear();
    // HttpCaller adds the configured headers itself.
    if (!config_.http.authorization && !config_.http.tap) {
        for (const auto& [name, value] : config_.http.headers) lane_fields_.add(name, value);
    }
    // These differ per request.
    lane_fields_.erase(header::kMethod);
    lane_fields_.erase(header::kName);
    lane_fields_.erase(header::kCorrelationId);
    lane_fields_.set("Content-Type", kJson);
    lane_fields_.set("Accept", "application/json, text/event-stream");
    if (revision_) {
        if (*revision_ >= Revision::k2025_06_18) lane_fields_.set(header::kProtocolVersion, to_string(*revision_));
        if (!is_modern(*revision_) && !session_.empty()) lane_fields_.set(header::kSessionId, session_);
    }
    return http::append_request_lines(lane_lines_,
                                      {.method = "POST",
                                       .target = lane_target_,
                                       .authority = lane_to_->authority,
                                       .user_agent = config_.http.client->pool()->options().user_agent},
                                      lane_fields_);
}

Task<Result<http::Response>> StreamableConnection::post(const Context& ctx, RawPost& post) {
    if (auto made = make_lane_fields(); !made) return unsent(std::move(made).error());
    const bool modern = revision_ && is_modern(*revision_);
    if (!modern) post.session = session_;
    if (config_.http.authorization || config_.http.tap) return post_carefully(ctx, post);
    constexpr std::size_t kRoom = 160;
    post.lines.reserve(lane_lines_.size() + post.name.size() + post.correlation_id.size() + kRoom);
    post.lines = lane_lines_;
    if (!post.correlation_id.empty()) {
        constexpr std::string_view kField = "X-Correlation-Id: ";
        static_assert(kField.starts_with(header::kCorrelationId));
        post.lines.append(kField).append(post.correlation_id).append("\r\n");
    }
    if (modern || brings_headers(post)) {
        auto mirrored = mirror(post, modern, [&post](std::string_view name, std::string_view value) {
            return http::append_field(post.lines, name, value);
        });
        if (!mirrored) return unsent(std::move(mirrored).error());
    }
    post.head.emplace(
        http::OutgoingHead{.method = "POST", .target = lane_target_, .headers = lane_fields_, .ready = post.lines});
    return http::exchange(ctx, config_.http.client->pool(), lane_to_, *post.head, post.body);
}

Task<Result<http::Response>> StreamableConnection::post_carefully(const Context& ctx, RawPost& post) {
    HttpCaller::Call call{.method = "POST",
                          .url = config_.http.url,
                          .headers = lane_fields_,
                          .body = post.body,
                          .on_login = post.on_login};
    if (!post.correlation_id.empty()) call.headers.set(header::kCorrelationId, post.correlation_id);
    const bool modern = revision_ && is_modern(*revision_);
    if (modern || brings_headers(post)) {
        auto mirrored = mirror(post, modern, [&call](std::string_view name, std::string_view value) -> Result<void> {
            call.headers.set(name, value);
            return {};
        });
        if (!mirrored) return unsent(std::move(mirrored).error());
    }
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
