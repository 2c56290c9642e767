#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <system_error>
#include <utility>

#include "base/try.hpp"
#include "io/net/socket.hpp"
#include "io/net/tcp.hpp"
#include "io/quick_calls.hpp"

namespace gantry::net {

namespace {

Error closed_error() {
    return Error(ErrorCode::kConnection, "the connection is closed");
}

/// Position within a gathered write.
class Cursor {
public:
    explicit Cursor(std::span<const std::string_view> pieces) noexcept : rest_(pieces) { skip_empty(); }

    bool done() const noexcept { return rest_.empty(); }

    /// One sendmsg; the number of bytes sent, or -1 with errno.
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
            sent = quick::sendmsg(fd, message, MSG_NOSIGNAL | MSG_DONTWAIT);
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

/// Sends until everything is written (true) or the kernel's buffer is full (false).
Result<bool> push(Descriptor& socket, Cursor& cursor) {
    while (!cursor.done()) {
        if (!socket.is_open()) return fail(closed_error());
        if (cursor.send(socket.get()) >= 0) continue;
        if (!would_block(errno)) return fail(connection_error("write", errno));
        socket.write_full();
        return false;
    }
    return true;
}

/// The error of a failed wait, which may be due to close().
Error ended(const Descriptor& socket, Error error) {
    return socket.is_open() ? std::move(error) : closed_error();
}

}  // namespace

Error connection_error(std::string_view what, int error) {
    return Error(ErrorCode::kConnection, std::string(what) + ": " + std::generic_category().message(error));
}

TcpStream::Impl::Impl(Loop& loop, Fd open) : socket(loop, std::move(open)) {
    const int on = 1;
    ::setsockopt(socket.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    SocketAddress peer;
    if (::getpeername(socket.get(), peer.data(), peer.room()) != 0) return;
    peer_address = peer.address();
    peer_port = peer.port();
}

std::unique_ptr<TcpStream> make_stream(Loop& loop, Fd socket) {
    return std::make_unique<TcpStream>(std::make_unique<TcpStream::Impl>(loop, std::move(socket)));
}

TcpStream::TcpStream(std::unique_ptr<Impl> impl) noexcept : impl_(std::move(impl)) {}

TcpStream::~TcpStream() {
    close();
}

Result<std::optional<std::size_t>> TcpStream::try_read(std::span<char> into) noexcept {
    Descriptor& socket = impl_->socket;
    if (!socket.is_open()) return fail(closed_error());
    if (!socket.may_read()) return std::nullopt;
    ssize_t received;
    do {
        received = quick::recv(socket.get(), into.data(), into.size(), MSG_DONTWAIT);
    } while (received < 0 && errno == EINTR);
    if (received >= 0) {
        const auto count = static_cast<std::size_t>(received);
        if (count < into.size()) socket.read_dry();  // on a stream a short read means that nothing is left
        return count;
    }
    if (!would_block(errno)) return fail(connection_error("read", errno));
    socket.read_dry();
    return std::nullopt;
}

Result<std::size_t> TcpStream::try_write(std::string_view bytes) {
    Descriptor& socket = impl_->socket;
    if (!socket.is_open()) return fail(closed_error());
    std::size_t total = 0;
    while (total < bytes.size()) {
        const ssize_t sent =
            quick::send(socket.get(), bytes.data() + total, bytes.size() - total, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (sent >= 0) {
            total += static_cast<std::size_t>(sent);
        } else if (would_block(errno)) {
            socket.write_full();
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
    for (;;) {
        if (impl.eager == Impl::kEagerReads) {
            impl.eager = 0;
            co_await yield_now();
        }
        GANTRY_CO_TRY(const std::optional<std::size_t> received, try_read(into));
        if (received) {
            ++impl.eager;
            co_return Result<std::size_t>(*received);
        }
        impl.eager = 0;
        auto waited = co_await impl.socket.readable(ctx);
        if (!waited) co_return fail(ended(impl.socket, std::move(waited).error()));
    }
}

Task<Result<void>> TcpStream::write(const Context& ctx, std::string_view bytes) {
    GANTRY_CO_CHECK(ctx.check());
    for (;;) {
        GANTRY_CO_TRY(const std::size_t sent, try_write(bytes));
        bytes.remove_prefix(sent);
        if (bytes.empty()) co_return Result<void>();
        auto waited = co_await impl_->socket.writable(ctx);
        if (!waited) co_return fail(ended(impl_->socket, std::move(waited).error()));
    }
}

Task<Result<void>> TcpStream::write_pieces(const Context& ctx, std::span<const std::string_view> pieces) {
    GANTRY_CO_CHECK(ctx.check());
    for (Cursor cursor(pieces);;) {
        GANTRY_CO_TRY(const bool done, push(impl_->socket, cursor));
        if (done) co_return Result<void>();
        auto waited = co_await impl_->socket.writable(ctx);
        if (!waited) co_return fail(ended(impl_->socket, std::move(waited).error()));
    }
}

Task<Result<void>> TcpStream::wait_for_disconnect(const Context& ctx) {
    Descriptor& socket = impl_->socket;
    for (;;) {
        if (!socket.is_open()) co_return fail(closed_error());
        GANTRY_CO_CHECK(ctx.check());
        if (socket.hung_up()) co_return fail(ErrorCode::kConnection, "the peer disconnected");
        auto waited = co_await socket.stirred(ctx);
        if (!waited) co_return fail(ended(socket, std::move(waited).error()));
    }
}

Task<Result<void>> TcpStream::shutdown_write(const Context& ctx) {
    GANTRY_CO_CHECK(ctx.check());
    if (!impl_->socket.is_open()) co_return fail(closed_error());
    if (::shutdown(impl_->socket.get(), SHUT_WR) != 0) co_return fail(connection_error("shutdown", errno));
    co_return Result<void>();
}

void TcpStream::close() noexcept {
    impl_->socket.close();
}

const std::string& TcpStream::peer_address() const noexcept {
    return impl_->peer_address;
}

std::uint16_t TcpStream::peer_port() const noexcept {
    return impl_->peer_port;
}

int TcpStream::native_handle() const noexcept {
    return impl_->socket.get();
}

}  // namespace gantry::net
