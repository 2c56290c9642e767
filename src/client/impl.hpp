#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <string>

#include "client/handlers.hpp"
#include "client/route.hpp"
#include "client/runtime.hpp"
#include "gantry/client.hpp"
#include "mcp/client/client.hpp"

namespace gantry {

/// The settings of one call: its own options on top of the client's defaults.
mcp::CallSettings call_settings(const CallOptions& options, const mcp::ClientSettings& usual);

class StdoutNoise;

/// Implementation of the public client: everything lives on the runtime's thread except what the mutex guards.
class Client::Impl : public std::enable_shared_from_this<Impl> {
public:
    explicit Impl(Runtime& runtime) : runtime_(runtime) {}
    /// On the runtime's thread. Connects, unless the options say otherwise.
    static Task<Result<std::shared_ptr<Impl>>> open(Context ctx, Runtime& runtime, ConnectOptions options,
                                                    ConnectHooks hooks);

    /// Runs `operation(ctx, mcp client, arguments…)` on the runtime's thread, within the remaining total timeout;
    /// connects first if the client is disconnected, and adds the server's name to errors.
    template <class T, class... Parameters, class... Arguments>
    Pending<T> launch(Task<Result<T>> (*operation)(Context, std::shared_ptr<Impl>, Parameters...),
                      Arguments... arguments) {
        return runtime_.start<T>(
            [self = shared_from_this(), operation, ... arguments = std::move(arguments)](Context ctx) {
                const Context limited = ctx.until(self->deadline_);
                return named<T>(limited, self, operation(limited, self, arguments...));
            });
    }
    /// The same for what needs no connection and must not cause one.
    template <class T, class... Parameters, class... Arguments>
    Pending<T> launch_unconnected(Task<Result<T>> (*operation)(Context, std::shared_ptr<Impl>, Parameters...),
                                  Arguments... arguments) {
        return runtime_.start<T>(
            [self = shared_from_this(), operation, ... arguments = std::move(arguments)](Context ctx) {
                return named<T>(self, operation(ctx.until(self->deadline_), self, arguments...));
            });
    }

    Task<void> close();
    Pending<void> close_async();
    bool on_own_thread() const { return runtime_.loop().on_this_thread(); }

    mcp::Client& mcp() noexcept { return *mcp_; }
    /// On the runtime's thread: whether ConnectOptions::tool_filter admits the tool.
    bool admits(const mcp::Tool& tool) const;
    /// kDenied if it does not. May fetch the list of tools.
    Task<Result<void>> check_filter(Context ctx, std::string tool);
    /// On the runtime's thread: the roots the server gets from now on instead of asking the program.
    Result<void> replace_roots(std::vector<mcp::Root> roots);
    const std::string& name() const noexcept { return name_; }
    mcp::ServerDescription server() const;
    ConnectionState state() const noexcept { return state_.load(); }

private:
    template <class T>
    static Task<Result<T>> named(Context ctx, std::shared_ptr<Impl> self, Task<Result<T>> operation) {
        if (self->is_disconnected()) {
            if (auto connected = co_await self->connect(ctx, true); !connected) co_return fail(connected.error());
        }
        co_return co_await named<T>(self, std::move(operation));
    }
    template <class T>
    static Task<Result<T>> named(std::shared_ptr<Impl> self, Task<Result<T>> operation) {
        auto result = co_await std::move(operation);
        if (!result) co_return fail(self->located(self->explained(result.error())));
        co_return result;
    }
    /// No connection, and none is being restored: an operation has to connect, or to wait for one that does.
    bool is_disconnected() const noexcept;
    /// `shared`: joins a connect that another operation has begun.
    Task<Result<void>> connect(Context ctx, bool shared);
    /// Makes a total timeout recognizable as such.
    Error explained(Error error) const;
    /// Names server and transport.
    Error located(Error error) const;
    void note_transport();
    static Task<Result<void>> close_kept(Context ctx, std::shared_ptr<Impl> self);
    void on_state(mcp::ConnectionState state);

    Runtime& runtime_;
    std::string name_;
    std::string transport_;  // in use, or else configured
    Deadline deadline_;      // never, unless there is a total timeout
    std::chrono::milliseconds total_{0};
    std::chrono::milliseconds connect_timeout_{0};
    EraMemory era_memory_ = EraMemory::kProcess;
    std::shared_ptr<StdoutNoise> noise_;
    bool closed_ = false;
    std::function<void(ConnectionState)> on_state_;
    ToolFilter filter_;
    std::unique_ptr<HttpParts> http_;
    std::shared_ptr<Roots> roots_ = std::make_shared<Roots>();
    std::unique_ptr<mcp::Client> mcp_;
    std::atomic<ConnectionState> state_ = ConnectionState::kDisconnected;
    mutable std::mutex mutex_;
    mcp::ServerDescription server_;  // guarded by mutex_
};

}  // namespace gantry
