#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

#include "base/try.hpp"
#include "io/net/socket.hpp"
#include "io/net/tcp.hpp"

namespace gantry::net {

namespace asio = boost::asio;

namespace {

constexpr Duration kDisconnectPoll = milliseconds(100);

Error closed_error() {
    return Error(ErrorCode::kConnection, "the connection is closed");
}

/// Where a gathered write has got to.
class Cursor {
public:
    explicit Cursor(std::span<const std::string_view> pieces) noexcept : rest_(pieces) { skip_empty(); }

    bool done() const noexcept { return rest_.empty(); }

    /// One sendmsg; the bytes taken, or -1 with errno.
    ssize_t send(int fd) noexcept {
        std::array<iovec, 16> vectors;
        const std::size_t count = std::min(rest_.size(), vectors.size());
        for (std::size_t i = 0; i < count; ++i) {
            const std::string_view piece = i == 0 ? rest_[0].substr(offset_) : rest_[i];
            vectors[i] = {const_cast<char*>(piece.data()), piece.size()};
        }
        msghdr message{};
        message.msg_iov = vectors.data();
        message.msg_iovlen = count;
        ssize_t sent;
        do {
            sent = ::sendmsg(fd, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
        } while (sent < 0 && errno == EINTR);
        if (sent > 0) advance(static_cast<std::size_t>(sent));
        return sent;
    }

private:
    void advance(std::size_t bytes) noexcept {
        while (bytes > 0) {
            const std::size_t left = rest_[0].size() - offset_;
            if (bytes < left) {
                offset_ += bytes;
                return;
            }
            bytes -= left;
            next();
        }
        skip_empty();
    }
    void next() noexcept {
        rest_ = rest_.subspan(1);
        offset_ = 0;
    }
    void skip_empty() noexcept {
        while (!rest_.empty() && rest_[0].size() == offset_) next();
    }

    std::span<const std::string_view> rest_;
    std::size_t offset_ = 0;
};

bool would_block(int error) noexcept {
    return error == EAGAIN || error == EWOULDBLOCK;
}

/// Sends until everything is out (true) or the kernel takes no more (false).
Result<bool> push(const TcpStream::Impl& impl, Cursor& cursor) {
    while (!cursor.done()) {
        if (impl.closed) return fail(closed_error());
        if (cursor.send(impl.fd) >= 0) continue;
        if (would_block(errno)) return false;
        return fail(connection_error("write", errno));
    }
    return true;
}

Task<Result<void>> wait_for_room(TcpStream::Impl& impl, const Context& ctx) {
    const ContextGuard guard(impl.socket, impl.loop, ctx);
    const auto [error] = co_await impl.socket.async_wait(Socket::wait_write, kAwait);
    if (impl.closed) co_return fail(closed_error());
    if (guard.ended()) co_return fail(guard.error());
    if (error && error != asio::error::operation_aborted) co_return fail(connection_error("write", error));
    co_return Result<void>();
}

}  // namespace

Error connection_error(std::string_view what, const boost::system::error_code& error) {
    return Error(ErrorCode::kConnection, std::string(what) + ": " + error.message());
}

Error connection_error(std::string_view what, int error) {
    return connection_error(what, boost::system::error_code(error, boost::system::system_category()));
}

TcpStream::Impl::Impl(Loop& on, Socket open) : loop(on), socket(std::move(open)), fd(socket.native_handle()) {
    boost::system::error_code error;
    socket.non_blocking(true, error);
    socket.set_option(asio::ip::tcp::no_delay(true), error);
    const auto peer = socket.remote_endpoint(error);
    if (error) return;
    asio::ip::address address = peer.address();
    if (address.is_v6() && address.to_v6().is_v4_mapped()) {
        address = asio::ip::make_address_v4(asio::ip::v4_mapped, address.to_v6());
    }
    peer_address = address.to_string();
    peer_port = peer.port();
}

std::unique_ptr<TcpStream> make_stream(Loop& loop, Socket socket) {
    return std::make_unique<TcpStream>(std::make_unique<TcpStream::Impl>(loop, std::move(socket)));
}

TcpStream::TcpStream(std::unique_ptr<Impl> impl) noexcept : impl_(std::move(impl)) {}

TcpStream::~TcpStream() {
    close();
}

Result<std::optional<std::size_t>> TcpStream::try_read(std::span<char> into) noexcept {
    if (impl_->closed) return fail(closed_error());
    ssize_t received;
    do {
        received = ::recv(impl_->fd, into.data(), into.size(), MSG_DONTWAIT);
    } while (received < 0 && errno == EINTR);
    if (received >= 0) return static_cast<std::size_t>(received);
    if (would_block(errno)) return std::nullopt;
    return fail(connection_error("read", errno));
}

Result<std::size_t> TcpStream::try_write(std::string_view bytes) {
    if (impl_->closed) return fail(closed_error());
    std::size_t total = 0;
    while (total < bytes.size()) {
        const ssize_t sent = ::send(impl_->fd, bytes.data() + total, bytes.size() - total, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (sent >= 0) {
            total += static_cast<std::size_t>(sent);
        } else if (would_block(errno)) {
            break;
        } else if (errno != EINTR) {
            return fail(connection_error("write", errno));
        }
    }
    return total;
}

Task<Result<std::size_t>> TcpStream::read_some(const Context& ctx, std::span<char> into) {
    Impl& impl = *impl_;
    if (into.empty()) co_return fail(ErrorCode::kInvalidArgument, "read into an empty buffer");
    GANTRY_CO_CHECK(ctx.check());
    if (impl.eager > 0) {
        --impl.eager;
        GANTRY_CO_TRY(const std::optional<std::size_t> received, try_read(into));
        if (received) {
            if (*received < into.size()) impl.eager = 0;
            co_return Result<std::size_t>(*received);
        }
    }
    ContextGuard guard(impl.socket, impl.loop, ctx);
    for (;;) {
        if (impl.closed) co_return fail(closed_error());
        const auto [error, received] =
            co_await impl.socket.async_read_some(asio::buffer(into.data(), into.size()), kAwait);
        if (!error) {
            impl.eager = received == into.size() ? Impl::kEagerReads : 0;
            co_return Result<std::size_t>(received);
        }
        if (error == asio::error::eof) co_return Result<std::size_t>(std::size_t{0});
        if (impl.closed) co_return fail(closed_error());
        if (error != asio::error::operation_aborted) co_return fail(connection_error("read", error));
        if (guard.ended()) co_return fail(guard.error());
    }
}

Task<Result<void>> TcpStream::write(const Context& ctx, std::string_view bytes) {
    GANTRY_CO_CHECK(ctx.check());
    for (;;) {
        GANTRY_CO_TRY(const std::size_t sent, try_write(bytes));
        bytes.remove_prefix(sent);
        if (bytes.empty()) co_return Result<void>();
        GANTRY_CO_CHECK(co_await wait_for_room(*impl_, ctx));
    }
}

Task<Result<void>> TcpStream::write_pieces(const Context& ctx, std::span<const std::string_view> pieces) {
    GANTRY_CO_CHECK(ctx.check());
    for (Cursor cursor(pieces);;) {
        GANTRY_CO_TRY(const bool done, push(*impl_, cursor));
        if (done) co_return Result<void>();
        GANTRY_CO_CHECK(co_await wait_for_room(*impl_, ctx));
    }
}

Task<Result<void>> TcpStream::wait_for_disconnect(const Context& ctx) {
    Impl& impl = *impl_;
    for (;;) {
        if (impl.closed) co_return fail(closed_error());
        GANTRY_CO_CHECK(ctx.check());
        pollfd state{impl.fd, POLLIN | POLLRDHUP, 0};
        const int ready = ::poll(&state, 1, 0);
        if (ready > 0 && (state.revents & (POLLRDHUP | POLLHUP | POLLERR | POLLNVAL)) != 0) {
            co_return fail(ErrorCode::kConnection, "the peer disconnected");
        }
        if (ready > 0) {
            GANTRY_CO_CHECK(co_await sleep_for(ctx, kDisconnectPoll));
            continue;
        }
        ContextGuard guard(impl.socket, impl.loop, ctx);
        const auto [error] = co_await impl.socket.async_wait(Socket::wait_read, kAwait);
        if (impl.closed) co_return fail(closed_error());
        if (guard.ended()) co_return fail(guard.error());
        if (error && error != asio::error::operation_aborted) co_return fail(connection_error("read", error));
    }
}

Task<Result<void>> TcpStream::shutdown_write(const Context& ctx) {
    GANTRY_CO_CHECK(ctx.check());
    if (impl_->closed) co_return fail(closed_error());
    boost::system::error_code error;
    impl_->socket.shutdown(Socket::shutdown_send, error);
    if (error) co_return fail(connection_error("shutdown", error));
    co_return Result<void>();
}

void TcpStream::close() noexcept {
    if (std::exchange(impl_->closed, true)) return;
    impl_->fd = -1;
    boost::system::error_code ignored;
    impl_->socket.close(ignored);
}

const std::string& TcpStream::peer_address() const noexcept {
    return impl_->peer_address;
}

std::uint16_t TcpStream::peer_port() const noexcept {
    return impl_->peer_port;
}

int TcpStream::native_handle() const noexcept {
    return impl_->fd;
}

}  // namespace gantry::net
