#pragma once

#include <utility>

#include "gantry/error.hpp"

// Unwrap a Result or return its error from the function:
//
//     GANTRY_TRY(auto head, parse_head(bytes));                   // plain function
//     GANTRY_CO_TRY(auto reply, co_await client.send(ctx, req));  // coroutine
//     GANTRY_CO_CHECK(co_await stream.flush(ctx));                // Result<void>
//
// Macros because the library's std::expected has no and_then, and so that plain functions
// and coroutines look alike.
#define GANTRY_CONCAT_(a, b) a##b
#define GANTRY_CONCAT(a, b) GANTRY_CONCAT_(a, b)

#define GANTRY_TRY_IMPL_(leave, result, declaration, expression)   \
    auto result = (expression);                                    \
    if (!result) leave std::unexpected(std::move(result).error()); \
    declaration = *std::move(result)

#define GANTRY_TRY(declaration, expression) \
    GANTRY_TRY_IMPL_(return, GANTRY_CONCAT(gantry_try_, __LINE__), declaration, expression)
#define GANTRY_CO_TRY(declaration, expression) \
    GANTRY_TRY_IMPL_(co_return, GANTRY_CONCAT(gantry_try_, __LINE__), declaration, expression)

#define GANTRY_CHECK(expression) \
    if (auto gantry_check = (expression); !gantry_check) return std::unexpected(std::move(gantry_check).error())
#define GANTRY_CO_CHECK(expression) \
    if (auto gantry_check = (expression); !gantry_check) co_return std::unexpected(std::move(gantry_check).error())
