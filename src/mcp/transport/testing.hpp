#pragma once
// Shared by the tests of this folder; not part of the library.

#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "io/loop.hpp"
#include "mcp/transport/connection.hpp"

// EXPECT that also leaves the coroutine; gtest's ASSERT would `return` from it.
#define CO_ASSERT(condition)                     \
    if (!(condition)) {                          \
        ADD_FAILURE() << "expected " #condition; \
        co_return;                               \
    }

namespace gantry::mcp::testing {

/// Generous for a slow machine; a test that exceeds it hangs.
inline Context watchdog() {
    return Context::background().within(seconds(60));
}

inline Outgoing request(RequestId id, std::string method, Json params = nullptr) {
    return {.message = RequestMessage{.id = std::move(id), .method = std::move(method), .params = std::move(params)}};
}
inline Outgoing notification(std::string method, Json params = nullptr) {
    return {.message = NotificationMessage{.method = std::move(method), .params = std::move(params)}};
}
inline Json modern_params(JsonObject more = {}) {
    more.set("_meta", JsonObject{{"io.modelcontextprotocol/protocolVersion", "2026-07-28"}});
    return more;
}

/// "request 1 ping", "notification x", "result 1 {…}", "error 1 -32601", "lost 1 timeout", "fatal connection: …".
inline std::string text_of(const Result<std::optional<Incoming>>& got) {
    if (!got) {
        return (got.error().fatal() ? "fatal " : "error ") + std::string(to_string(got.error().code())) + ": " +
               got.error().message();
    }
    if (!*got) return "end";
    const Incoming& incoming = **got;
    if (incoming.lost)
        return "lost " + to_text(*incoming.on_stream_of) + " " + std::string(to_string(incoming.lost->code()));
    if (const auto* r = std::get_if<RequestMessage>(&incoming.message))
        return "request " + to_text(r->id) + " " + r->method;
    if (const auto* n = std::get_if<NotificationMessage>(&incoming.message)) return "notification " + n->method;
    const auto& response = std::get<ResponseMessage>(incoming.message);
    const std::string id = response.id ? to_text(*response.id) : "none";
    return response.outcome ? "result " + id + " " + response.outcome->dump()
                            : "error " + id + " " + std::to_string(response.outcome.error().code);
}

}  // namespace gantry::mcp::testing
