#pragma once

#include <sys/socket.h>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "io/loop.hpp"
#include "io/net/tcp.hpp"
#include "io/waiter.hpp"

namespace gantry::net {

using Socket = boost::asio::basic_stream_socket<boost::asio::ip::tcp, Executor>;
using Acceptor = boost::asio::basic_socket_acceptor<boost::asio::ip::tcp, Executor>;

/// Awaited operations of Asio answer with (error, value…) and need no frame of their own.
inline constexpr auto kAwait = boost::asio::as_tuple(boost::asio::deferred);

Error connection_error(std::string_view what, const boost::system::error_code& error);
Error connection_error(std::string_view what, int error);

/// Cancels the pending operations of a socket when the context ends. That hits the other direction
/// too: an operation that finds itself aborted without a reason of its own starts again.
template <class AsioSocket>
class ContextGuard {
public:
    ContextGuard(AsioSocket& socket, Loop& loop, const Context& ctx) : socket_(socket) {
        alarm_.arm(
            loop, ctx.deadline(), [](void* self) { static_cast<ContextGuard*>(self)->end(Wake::kTimeout); }, this);
        if (ctx.cancel().can_cancel()) on_cancel_.emplace(ctx.cancel(), [this] { end(Wake::kCancelled); });
    }
    ContextGuard(const ContextGuard&) = delete;
    ContextGuard& operator=(const ContextGuard&) = delete;

    bool ended() const noexcept { return why_ != Wake::kNone; }
    Error error() const {
        return why_ == Wake::kTimeout ? Error(ErrorCode::kTimeout, "the deadline passed")
                                      : Error(ErrorCode::kCancelled, "cancelled");
    }

private:
    void end(Wake why) noexcept {
        if (ended()) return;
        why_ = why;
        boost::system::error_code ignored;
        socket_.cancel(ignored);
    }

    AsioSocket& socket_;
    Wake why_ = Wake::kNone;
    Loop::Alarm alarm_;
    std::optional<CancelCallback> on_cancel_;
};

class TcpStream::Impl {
public:
    /// `socket` is open; makes it non-blocking and prompt.
    Impl(Loop& loop, Socket socket);

    /// After this many reads without suspending the next one lets others run.
    static constexpr int kEagerReads = 16;

    Loop& loop;
    Socket socket;
    int fd;
    bool closed = false;
    /// The last read filled its buffer, so trying again at once is likely to pay.
    int eager = 0;
    std::string peer_address;
    std::uint16_t peer_port = 0;
};

std::unique_ptr<TcpStream> make_stream(Loop& loop, Socket socket);

}  // namespace gantry::net
