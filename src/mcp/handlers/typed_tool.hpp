#pragma once

#include <concepts>
#include <functional>
#include <string>
#include <type_traits>
#include <utility>

#include "gantry/describe.hpp"
#include "mcp/handlers/server_call.hpp"

// Makes tools from described structs and functions; see Server::add_tool.

namespace gantry::mcp::typed {

/// The value in Result<V> or Task<Result<V>>.
template <class R>
struct Returned;
template <class V>
struct Returned<Result<V>> {
    using Value = V;
    static constexpr bool kTask = false;
};
template <class V>
struct Returned<Task<Result<V>>> {
    using Value = V;
    static constexpr bool kTask = true;
};

template <class F>
struct Signature : Signature<decltype(&F::operator())> {};
template <class R, class A>
struct Signature<R (*)(A)> : Returned<R> {
    using Arguments = std::remove_cvref_t<A>;
    static constexpr bool kWithCall = false;
};
template <class R, class A>
struct Signature<R (*)(const Context&, ServerCall&, A)> : Returned<R> {
    using Arguments = std::remove_cvref_t<A>;
    static constexpr bool kWithCall = true;
};
template <class F, class R, class... A>
struct Signature<R (F::*)(A...) const> : Signature<R (*)(A...)> {};
template <class F, class R, class... A>
struct Signature<R (F::*)(A...)> : Signature<R (*)(A...)> {};

template <class V>
concept Free = std::same_as<V, CallToolResult> || std::same_as<V, std::string> || std::same_as<V, Json>;

template <class V>
CallToolResult result_of(V value) {
    CallToolResult result;
    if constexpr (std::same_as<V, CallToolResult>) {
        result = std::move(value);
    } else if constexpr (std::same_as<V, std::string>) {
        result.content.push_back(TextContent{.text = std::move(value)});
    } else {
        result.structured_content = gantry::to_json<V>(value);  // the server adds the text form
    }
    return result;
}

/// The arguments already satisfy the schema; what only C++ can check (e.g. a range) is reported like a schema error.
template <class F>
Task<Result<CallToolResult>> run(const Context& ctx, ServerCall& call, F function, JsonObject given) {
    using S = Signature<F>;
    auto arguments = gantry::from_json<typename S::Arguments>(Json(std::move(given)));
    if (!arguments) co_return fail(arguments.error().within("invalid arguments"));
    if constexpr (S::kTask && S::kWithCall) {
        auto value = co_await function(ctx, call, *std::move(arguments));
        if (!value) co_return fail(value.error());
        co_return result_of(*std::move(value));
    } else if constexpr (S::kTask) {
        auto value = co_await function(*std::move(arguments));
        if (!value) co_return fail(value.error());
        co_return result_of(*std::move(value));
    } else if constexpr (S::kWithCall) {
        auto value = function(ctx, call, *std::move(arguments));
        if (!value) co_return fail(value.error());
        co_return result_of(*std::move(value));
    } else {
        auto value = function(*std::move(arguments));
        if (!value) co_return fail(value.error());
        co_return result_of(*std::move(value));
    }
}

}  // namespace gantry::mcp::typed
