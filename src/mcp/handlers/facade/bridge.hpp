#pragma once

#include <atomic>
#include <exception>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <thread>

#include "gantry/server.hpp"
#include "io/loop.hpp"
#include "io/scope.hpp"
#include "io/sync.hpp"
#include "mcp/handlers/server.hpp"

namespace gantry::detail {

/// Lets other threads post to the loop as long as there is one.
struct Gate {
    std::mutex mutex;
    Loop* loop = nullptr;  // guarded by mutex; null before and after serving
    std::atomic<std::size_t> running = 0;

    /// Returns false if the function would never run.
    bool post(std::move_only_function<void()> function) {
        const std::lock_guard lock(mutex);
        if (loop == nullptr) return false;
        loop->post(std::move(function));
        return true;
    }
};

/// Connects a handler's thread with the call it serves. The call lives on the loop and may end first.
class CallBridge : public std::enable_shared_from_this<CallBridge> {
public:
    CallBridge(std::shared_ptr<Gate> gate, mcp::PeerPtr peer, mcp::ServerCall& call, Scope& asks)
        : gate(std::move(gate)), peer(std::move(peer)), call(&call), asks(&asks) {}

    std::shared_ptr<Gate> gate;
    mcp::PeerPtr peer;
    std::atomic<bool> cancelled = false;
    // Loop thread only; null once the call is over.
    mcp::ServerCall* call;
    Scope* asks;

    /// Runs `question` on the loop and blocks until it is answered.
    template <class T>
    Result<T> ask(std::function<Task<Result<T>>(const Context&, mcp::ServerCall&)> question) {
        auto promise = std::make_shared<std::promise<Result<T>>>();
        auto answer = promise->get_future();
        const bool posted = gate->post([self = shared_from_this(), promise, question = std::move(question)]() mutable {
            if (self->call == nullptr) return promise->set_value(over());
            self->asks->spawn(put<T>(self->asks->context(), *self->call, std::move(question), std::move(promise)));
        });
        promise.reset();  // so that a loop that drops the question breaks the promise
        if (!posted) return over();
        try {
            return answer.get();
        } catch (const std::future_error&) {
            return over();
        }
    }

private:
    static std::unexpected<Error> over() { return fail(ErrorCode::kCancelled, "nobody waits for this call any more"); }

    template <class T>
    static Task<void> put(Context ctx, mcp::ServerCall& call,
                          std::function<Task<Result<T>>(const Context&, mcp::ServerCall&)> question,
                          std::shared_ptr<std::promise<Result<T>>> promise) {
        promise->set_value(co_await question(ctx, call));
    }
};

/// The result of user code, with exceptions turned into an Error.
template <class T, class Body>
Result<T> guarded(const Body& body, ServedCall& call) {
    try {
        return body(call);
    } catch (const std::exception& thrown) {
        return fail(ErrorCode::kInternal, std::string("the handler failed: ") + thrown.what());
    } catch (...) {
        return fail(ErrorCode::kInternal, "the handler failed");
    }
}

/// Runs `body` on a thread of its own. If the call ends first the thread is abandoned: user code cannot be interrupted,
/// and the call must not wait for it.
template <class T>
Task<Result<T>> run_apart(Context ctx, mcp::ServerCall& call, mcp::PeerPtr peer, std::shared_ptr<Gate> gate,
                          std::size_t limit, std::function<Result<T>(ServedCall&)> body) {
    if (gate->running >= limit) co_return fail(ErrorCode::kLimit, "too many calls at once; try again later");
    struct Shared {
        Event done;
        std::optional<Result<T>> result;
    };
    auto shared = std::make_shared<Shared>();
    Scope asks(ctx);
    auto bridge = std::make_shared<CallBridge>(gate, std::move(peer), call, asks);
    const CancelCallback stop(ctx.cancel(), [bridge] { bridge->cancelled = true; });
    ++gate->running;
    std::thread([bridge, shared, body = std::move(body)]() mutable {
        ServedCall served(*bridge);
        Result<T> result = guarded<T>(body, served);
        body = nullptr;
        --bridge->gate->running;
        // Must be last: everything referenced here may be destroyed afterwards.
        bridge->gate->post([shared = std::move(shared), result = std::move(result)]() mutable {
            shared->result.emplace(std::move(result));
            shared->done.set();
        });
    }).detach();
    const auto waited = co_await shared->done.wait(ctx);
    bridge->cancelled = true;
    bridge->call = nullptr;
    asks.cancel();
    co_await asks.join();
    bridge->asks = nullptr;
    if (!waited) co_return fail(waited.error());
    co_return *std::move(shared->result);
}

}  // namespace gantry::detail
