#pragma once

#include <concepts>
#include <functional>
#include <string>
#include <type_traits>
#include <utility>

#include "gantry/client.hpp"
#include "gantry/describe.hpp"

// A tool implemented by this program, as a struct and a function:
//
//     struct AddArgs { double a; double b; };
//     GANTRY_DESCRIBE(AddArgs, (a, "first summand"), (b, "second summand"))
//
//     gantry::Tool add = gantry::make_tool("add", "Adds two numbers",
//                                          [](const AddArgs& args) -> gantry::Result<double> { return args.a + args.b;
//                                          });
//
// It is called like a server's tool; an agent cannot tell the difference.

namespace gantry {

namespace detail {

/// Runs `body` on a thread of its own and delivers its result.
Pending<mcp::CallToolResult> run_locally(std::function<Result<mcp::CallToolResult>()> body);
/// The value as structured content, and as text for people and models.
mcp::CallToolResult result_of(Json value);

template <class T>
struct ArgumentsOf;
template <class F, class R, class A>
struct ArgumentsOf<R (F::*)(const A&) const> {
    using Arguments = A;
    using Returned = R;
};
template <class F, class R, class A>
struct ArgumentsOf<R (F::*)(const A&)> : ArgumentsOf<R (F::*)(const A&) const> {};

}  // namespace detail

/// `function` takes a described struct and returns Result of a described value, of std::string (plain text) or of
/// mcp::CallToolResult. It runs on a thread of its own and may block; several calls may run concurrently.
///
/// Arguments that do not match the schema fail with kSchema, naming the place. An Error returned by the function
/// becomes a result with is_error set, as with a server's tool.
template <class Function>
Tool make_tool(std::string name, std::string description, Function function) {
    using Signature = detail::ArgumentsOf<decltype(&Function::operator())>;
    using Arguments = typename Signature::Arguments;
    using Value = typename Signature::Returned::value_type;

    mcp::Tool definition;
    definition.name = name;
    definition.description = std::move(description);
    definition.input_schema = schema_of<Arguments>();
    constexpr bool plain = std::same_as<Value, std::string> || std::same_as<Value, mcp::CallToolResult>;
    if constexpr (!plain) {
        Json schema = schema_of<Value>();
        // Revisions before 2026-07-28 know only objects as structured results.
        if (schema.string_at("type") == "object") definition.output_schema = std::move(schema);
    }

    auto run = [function](JsonObject arguments, CallOptions) {
        return detail::run_locally([function, arguments = Json(std::move(arguments))]() -> Result<mcp::CallToolResult> {
            auto decoded = from_json<Arguments>(arguments);
            if (!decoded) return std::unexpected(decoded.error());
            auto returned = function(*decoded);
            if (!returned) {
                mcp::CallToolResult failed;
                failed.is_error = true;
                failed.content.push_back(mcp::TextContent{.text = returned.error().message()});
                return failed;
            }
            if constexpr (std::same_as<Value, mcp::CallToolResult>) {
                return *std::move(returned);
            } else if constexpr (std::same_as<Value, std::string>) {
                mcp::CallToolResult text;
                text.content.push_back(mcp::TextContent{.text = *std::move(returned)});
                return text;
            } else {
                return detail::result_of(to_json(*returned));
            }
        });
    };
    return Tool(std::move(name), std::move(definition), std::move(run));
}

}  // namespace gantry
