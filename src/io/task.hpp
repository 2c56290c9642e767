#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>

namespace gantry {

/// The one executor type. Spelled out, because any_io_executor costs an allocation and a
/// virtual call per operation on the hot path.
using Executor = boost::asio::io_context::executor_type;

/// A lazy coroutine: nothing runs until it is awaited or spawned into a Scope.
///
/// A reference parameter of a Task function must outlive the await; what is spawned takes
/// its parameters by value. Lambdas with captures are never coroutines here.
template <class T = void>
using Task = boost::asio::awaitable<T, Executor>;

}  // namespace gantry
