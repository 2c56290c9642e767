#include "mcp/server/asks.hpp"

#include <optional>

#include "io/sync.hpp"
#include "mcp/protocol/errors.hpp"
#include "mcp/server/wire.hpp"

namespace gantry::mcp {

struct Asks::Pending {
    Asks& owner;
    std::string id;  // as spelt on the wire
    std::string method;
    std::optional<Result<std::string>> outcome = {};
    Event done = {};
    Pending* next = nullptr;
    Pending* previous = nullptr;

    Pending(Asks& asks, std::string raw_id, std::string name)
        : owner(asks), id(std::move(raw_id)), method(std::move(name)), next(asks.first_) {
        if (next != nullptr) next->previous = this;
        owner.first_ = this;
    }
    ~Pending() {
        if (next != nullptr) next->previous = previous;
        (previous != nullptr ? previous->next : owner.first_) = next;
    }
    Pending(const Pending&) = delete;
    Pending& operator=(const Pending&) = delete;

    void settle(Result<std::string> with) {
        if (outcome) return;
        outcome = std::move(with);
        done.set();
    }
};

namespace {

RpcError read_error(std::string_view text) {
    const auto json = Json::parse(text, {.max_bytes = text.size(), .max_depth = 1024});
    const Json* code = json ? json->find("code") : nullptr;
    const Json* data = json ? json->find("data") : nullptr;
    return {.code = code != nullptr ? code->as_int().value_or(rpc_code::kInternal) : rpc_code::kInternal,
            .message = json ? std::string(json->string_at("message")) : std::string(),
            .data = data != nullptr ? data->dump() : std::string()};
}

}  // namespace

Task<Result<std::string>> Asks::ask(const Context& ctx, Duration timeout, std::string method, std::string params,
                                    Send send) {
    Pending pending(*this, "\"ask-" + std::to_string(next_++) + "\"", std::move(method));
    send(wire::request(pending.id, pending.method, params));
    const auto waited = co_await pending.done.wait(ctx.within(timeout));
    if (pending.outcome) co_return *std::move(pending.outcome);
    send(wire::cancelled(pending.id, ctx.check() ? "no answer in time" : "no longer needed"));
    co_return fail(waited.error().within(pending.method));
}

bool Asks::answer(const json::EnvelopeView& response) {
    for (Pending* pending = first_; pending != nullptr; pending = pending->next) {
        if (!response.id || response.id.raw() != pending->id) continue;
        if (response.error && !response.error.is_null()) {
            pending->settle(fail(to_error(read_error(response.error.raw()), pending->method)));
        } else {
            pending->settle(std::string(response.result.raw()));
        }
        return true;
    }
    return false;
}

void Asks::abandon() {
    for (Pending* pending = first_; pending != nullptr; pending = pending->next) {
        pending->settle(fail(ErrorCode::kConnection, "the client has gone"));
    }
}

}  // namespace gantry::mcp
