#pragma once

#include <optional>
#include <type_traits>
#include <utility>

#include "io/loop.hpp"

namespace gantry {

namespace detail {

template <class T>
Task<void> store_value(Task<T> task, std::optional<T>& into) {
    into.emplace(co_await std::move(task));
}

}  // namespace detail

template <class T>
T Loop::run_until_done(Task<T> task) {
    if constexpr (std::is_void_v<T>) {
        drive(std::move(task));
    } else {
        std::optional<T> value;
        drive(detail::store_value(std::move(task), value));
        return *std::move(value);
    }
}

}  // namespace gantry
