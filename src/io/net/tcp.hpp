#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "io/fd.hpp"
#include "io/net/egress.hpp"
#include "io/stream.hpp"

namespace gantry {
class Loop;
}

namespace gantry::net {

/// One TCP connection, with Nagle's delay off, or one over a Unix socket.
///
/// Reads and writes try the system call first where that is likely to succeed, and suspend only if there is no data or
/// no room. Deadlines use the loop's timer wheel; a context that cannot be cancelled costs nothing more.
class TcpStream final : public Stream {
public:
    ~TcpStream() override;

    Task<Result<std::size_t>> read_some(const Context& ctx, std::span<char> into) override;
    Task<Result<void>> write(const Context& ctx, std::string_view bytes) override;
    Task<Result<void>> write_pieces(const Context& ctx, std::span<const std::string_view> pieces) override;
    Task<Result<void>> wait_for_disconnect(const Context& ctx) override;
    Task<Result<void>> shutdown_write(const Context& ctx) override;
    void close() noexcept override;

    /// Reads what has already arrived. Empty optional: nothing yet. Zero: end of stream.
    /// Not while a read is pending.
    Result<std::optional<std::size_t>> try_read(std::span<char> into) noexcept;
    /// Not while a write is pending.
    Result<std::size_t> try_write(std::string_view bytes) override;

    /// Numeric, without port; an IPv4 peer of a dual-stack socket in IPv4 form. Empty if unknown.
    const std::string& peer_address() const noexcept;
    std::uint16_t peer_port() const noexcept;
    /// For getsockopt and the like; -1 once closed. Ownership stays with the stream.
    int native_handle() const noexcept;

    class Impl;  // internal to io/net
    explicit TcpStream(std::unique_ptr<Impl> impl) noexcept;

private:
    std::unique_ptr<Impl> impl_;
};

/// Connects to one address. kConnection with the system's reason, kTimeout, kCancelled.
Task<Result<std::unique_ptr<TcpStream>>> connect(const Context& ctx, Endpoint endpoint);

/// The same over an unconnected, non-blocking socket made elsewhere, possibly in another network namespace.
Task<Result<std::unique_ptr<TcpStream>>> connect_over(const Context& ctx, Fd socket, Endpoint endpoint);

/// Happy eyeballs: tries the addresses in order, starting a new attempt when the last one failed or 250 ms have
/// passed without a result. The first to connect wins. The error is the first attempt's.
Task<Result<std::unique_ptr<TcpStream>>> connect_any(const Context& ctx, std::vector<Endpoint> endpoints);

/// Connects to a Unix socket of this machine.
Task<Result<std::unique_ptr<TcpStream>>> connect_unix(const Context& ctx, std::string path);

struct ListenOptions {
    /// A numeric address or a local host name. Names are resolved on the calling thread: for start-up only.
    std::string host = "127.0.0.1";
    std::uint16_t port = 0;   // 0: any free port, see TcpListener::port()
    bool reuse_port = false;  // so that several loops can share one port
    int backlog = 1024;
    /// If not empty, a Unix socket at this path, accessible to this user only. It must not exist; close() removes it.
    std::string unix_path = {};
};

class TcpListener {
public:
    /// kInvalidArgument if the host is not local, kConnection if the port is in use.
    static Result<std::unique_ptr<TcpListener>> listen(Loop& loop, const ListenOptions& options);
    /// A listening, non-blocking socket created elsewhere, possibly in another network namespace.
    static Result<std::unique_ptr<TcpListener>> adopt(Loop& loop, Fd socket);
    ~TcpListener();

    std::uint16_t port() const noexcept;
    /// The next connection. Skips errors of a single connection; if descriptors or memory run
    /// out it backs off (50 ms, doubling up to a second) and retries. One accept at a time.
    Task<Result<std::unique_ptr<TcpStream>>> accept(const Context& ctx);
    /// A pending accept fails with kConnection. May be called twice.
    void close() noexcept;

private:
    class Impl;
    static Result<std::unique_ptr<TcpListener>> listen_unix(Loop& loop, const ListenOptions& options);
    explicit TcpListener(std::unique_ptr<Impl> impl) noexcept;
    std::unique_ptr<Impl> impl_;
};

}  // namespace gantry::net
