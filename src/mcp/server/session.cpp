#include "mcp/server/session.hpp"

#include <algorithm>

#include "base/try.hpp"
#include "mcp/server/wire.hpp"

namespace gantry::mcp {

Interest interest_in(const ServerProfile& profile) {
    const ServerCapabilities& can = profile.capabilities;
    return {.tools = can.tools && can.tools->list_changed.value_or(false),
            .prompts = can.prompts && can.prompts->list_changed.value_or(false),
            .resources = can.resources && can.resources->list_changed.value_or(false)};
}

bool covers(const std::set<std::string>& uris, std::string_view uri) {
    return std::ranges::any_of(uris, [&](const std::string& one) {
        if (!uri.starts_with(one)) return false;
        return uri.size() == one.size() || one.ends_with('/') || uri[one.size()] == '/';
    });
}

Task<Result<void>> LegacySession::watch(const Context& ctx) {
    while (opening_) GANTRY_CO_CHECK(co_await opened_.wait(ctx));
    if (watch_ || over_) co_return Result<void>();
    opening_ = true;
    const auto profile = co_await backend.profile(ctx, *peer);
    auto made =
        co_await backend.watch(ctx, peer, interest_in(*profile), [this](const Change& change) { changed(change); });
    opening_ = false;
    opened_.pulse();
    if (!made) co_return fail(std::move(made).error());
    if (!over_) watch_ = *std::move(made);
    co_return Result<void>();
}

void LegacySession::unwatch() {
    if (uris_.empty()) watch_.reset();
}

Task<Result<void>> LegacySession::subscribe(const Context& ctx, std::string uri) {
    GANTRY_CO_CHECK(co_await watch(ctx));
    const std::shared_ptr<Watch> watch = watch_;
    if (!watch) co_return fail(ErrorCode::kUnsupported, "the session is over");
    const bool fresh = uris_.insert(uri).second;  // first, so that no change is missed
    auto added = co_await watch->add(ctx, uri);
    if (!added && fresh) uris_.erase(uri);
    co_return added;
}

Task<Result<void>> LegacySession::unsubscribe(const Context& ctx, std::string uri) {
    const std::shared_ptr<Watch> watch = watch_;
    if (uris_.erase(uri) != 0 && watch) co_await watch->remove(ctx, uri);
    co_return Result<void>();
}

void LegacySession::end() {
    over_ = true;
    watch_.reset();
    uris_.clear();
    calls.cancel_all();
    asks.abandon();
}

void LegacySession::changed(const Change& change) {
    if (over_) return;
    if (change.kind == Change::Kind::kUpdated && !covers(uris_, change.uri)) return;
    if (std::string message = wire::change(change, {}); !message.empty()) tell(std::move(message));
}

}  // namespace gantry::mcp
