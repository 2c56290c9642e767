#include "gateway/registry/refresh.hpp"

#include <algorithm>
#include <deque>

#include "io/scope.hpp"

namespace gantry::gateway {
namespace {

struct Refreshed {
    std::shared_ptr<Source> source;
    Result<void> outcome = {};
};

Task<void> refresh_one(Context ctx, Refreshed& one) {
    one.outcome = co_await one.source->refresh(ctx);
}

std::size_t tools_of(const Inventory& inventory) {
    return static_cast<std::size_t>(
        std::ranges::count_if(inventory.items, [](const ItemPtr& item) { return item->kind == ItemKind::kTool; }));
}

}  // namespace

Task<Result<Json>> refresh_lists(const Context& ctx, Registry& registry, const Redactor& redactor, std::string server) {
    std::deque<Refreshed> all;
    for (const Registered& entry : registry.sources()) {
        if (server.empty() || entry.source->name() == server) all.push_back({.source = entry.source});
    }
    if (all.empty() && !server.empty()) {
        co_return fail(ErrorCode::kNotFound, "there is no server '" + server + "'; gantry status lists them");
    }
    Scope scope(ctx);
    for (Refreshed& one : all) scope.spawn(refresh_one(scope.context(), one));
    co_await scope.join();
    co_await registry.catch_up(ctx);
    JsonArray servers;
    for (const Refreshed& one : all) {
        JsonObject told{{"name", one.source->name()}, {"tools", tools_of(*one.source->inventory())}};
        told.set("trouble", one.outcome ? Json() : Json(redactor.masked(one.outcome.error().message())));
        servers.emplace_back(std::move(told));
    }
    co_return Json(JsonObject{{"servers", std::move(servers)}});
}

}  // namespace gantry::gateway
