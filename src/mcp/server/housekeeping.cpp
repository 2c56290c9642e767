#include "mcp/server/housekeeping.hpp"

#include "mcp/protocol/codec.hpp"
#include "mcp/protocol/errors.hpp"
#include "mcp/protocol/method.hpp"
#include "mcp/server/request_validation.hpp"

namespace gantry::mcp {
namespace {

Task<Answer> set_level(const Context& ctx, const Call& call, Backend& backend, LegacySession* session) {
    const auto profile = co_await backend.profile(ctx, *call.peer);
    if (!declares(profile->capabilities, Capability::kLogging))
        co_return Answer::failure(call, method_not_found(call.method));
    const auto params = decode<SetLevelParams>(call.params(), call.peer->revision);
    if (!params) co_return Answer::failure(call, invalid_params(params.error().message()));
    const auto level = params->level.known();
    if (!level) co_return Answer::failure(call, invalid_params("level is not a log level"));
    if (session != nullptr) session->level = *level;
    co_return Answer::result(call, std::string_view("{}"));
}

Task<Answer> subscription(const Context& ctx, const Call& call, Backend& backend, LegacySession* session) {
    const auto profile = co_await backend.profile(ctx, *call.peer);
    if (session == nullptr || !declares(profile->capabilities, Capability::kResourceSubscriptions)) {
        co_return Answer::failure(call, method_not_found(call.method));
    }
    auto uri = call.view.in_params.uri.text();
    if (!uri || uri->empty()) co_return Answer::failure(call, invalid_params("uri is missing"));
    const bool begin = call.method == method::kSubscribe;
    const std::string name = *uri;
    auto done =
        begin ? co_await session->subscribe(ctx, *std::move(uri)) : co_await session->unsubscribe(ctx, *std::move(uri));
    if (done) co_return Answer::result(call, std::string_view("{}"));
    if (done.error().code() == ErrorCode::kNotFound) {
        co_return Answer::failure(call, resource_not_found(name, call.peer->revision));
    }
    co_return Answer::failure(call, done.error());
}

}  // namespace

bool is_housekeeping(const Call& call) noexcept {
    return call.method == method::kPing || call.method == method::kSetLevel || call.method == method::kSubscribe ||
           call.method == method::kUnsubscribe || misplaced(call.method, call.info);
}

Task<Answer> keep_house(const Context& ctx, const Call& call, Backend& backend, LegacySession* session) {
    if (call.method == method::kPing) co_return Answer::result(call, std::string_view("{}"));
    if (call.method == method::kSetLevel) co_return co_await set_level(ctx, call, backend, session);
    if (call.method == method::kSubscribe || call.method == method::kUnsubscribe) {
        co_return co_await subscription(ctx, call, backend, session);
    }
    co_return Answer::failure(call, method_not_found(call.method));
}

void take_notification(const json::EnvelopeView& view, std::string_view method, Backend& backend, const Peer& peer,
                       CallList* calls) {
    if (method == method::kCancelled) {
        if (calls != nullptr && view.in_params.request_id) calls->cancel(view.in_params.request_id.raw());
        return;
    }
    if (method == method::kInitialized) return;
    Json params;
    if (view.params && view.params.is_object()) {
        auto parsed = Json::parse(view.params.raw(), {.max_bytes = view.params.raw().size(), .max_depth = 1024});
        if (parsed) params = *std::move(parsed);
    }
    backend.heard(peer, method, params);
}

}  // namespace gantry::mcp
