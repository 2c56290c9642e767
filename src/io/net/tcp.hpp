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
/// Reads and writes try the system call where it may pay, and suspend only when the kernel has nothing to give
/// or no room. Deadlines hang in the loop's sweep; a context nobody can cancel costs nothing more.
class TcpStream final : public Stream {
public:
    ~TcpStream() override;

    Task<Result<std::size_t>> read_some(const Context& ctx, std::span<char> into) override;
    Task<Result<void>> write(const Context& ctx, std::string_view bytes) override;
    Task<Result<void>> write_pieces(const Context& ctx, std::span<const std::string_view> pieces) override;
    Task<Result<void>> wait_for_disconnect(const Context& ctx) override;
    Task<Result<void>> shutdown_write(const Context& ctx) override;
    void close() noexcept override;

    /// Takes what has already arrived. Empty optional: nothing yet. Zero: the peer finished.
    /// Not while a read is pending.
    Result<std::optional<std::size_t>> try_read(std::span<char> into) noexcept;
    /// Not while a write is pending.
    Result<std::size_t> try_write(std::string_view bytes) override;

    /// Numeric, without port; an IPv4 peer of a dual-stack socket in IPv4 form. Empty when unknown.
    const std::string& peer_address() const noexcept;
    std::uint16_t peer_port() const noexcept;
    /// For getsockopt and the like; -1 once closed. The stream keeps it.
    int native_handle() const noexcept;

    class Impl;  // internal to io/net
    explicit TcpStream(std::unique_ptr<Impl> impl) noexcept;

private:
    std::unique_ptr<Impl> impl_;
};

/// Connects to one address. kConnection with the system's reason, kTimeout, kCancelled.
Task<Result<std::unique_ptr<TcpStream>>> connect(const Context& ctx, Endpoint endpoint);

/// The first of several that answers: a new attempt starts when the last one failed or 250 ms have
/// passed without an answer, in the order given. The error is the first attempt's.
Task<Result<std::unique_ptr<TcpStream>>> connect_any(const Context& ctx, std::vector<Endpoint> endpoints);

/// Connects to a Unix socket of this machine.
Task<Result<std::unique_ptr<TcpStream>>> connect_unix(const Context& ctx, std::string path);

struct ListenOptions {
    /// A numeric address or a name of this machine. Names resolve in the calling thread: for start-up.
    std::string host = "127.0.0.1";
    std::uint16_t port = 0;   // 0: any free one, see TcpListener::port()
    bool reuse_port = false;  // several loops, one port
    int backlog = 1024;
    /// Not empty: a Unix socket of this name instead, for this user alone. It must not exist; close() removes it.
    std::string unix_path = {};
};

class TcpListener {
public:
    /// kInvalidArgument for a host that is not ours, kConnection when the port is taken.
    static Result<std::unique_ptr<TcpListener>> listen(Loop& loop, const ListenOptions& options);
    /// A socket that listens already, made elsewhere: non-blocking, also in another network than ours.
    static Result<std::unique_ptr<TcpListener>> adopt(Loop& loop, Fd socket);
    ~TcpListener();

    std::uint16_t port() const noexcept;
    /// The next connection. Rides out errors of a single connection; when descriptors or memory run
    /// out it pauses (50 ms, doubling up to a second) and tries again. One accept at a time.
    Task<Result<std::unique_ptr<TcpStream>>> accept(const Context& ctx);
    /// A pending accept ends with kConnection. May be called twice.
    void close() noexcept;

private:
    class Impl;
    static Result<std::unique_ptr<TcpListener>> listen_unix(Loop& loop, const ListenOptions& options);
    explicit TcpListener(std::unique_ptr<Impl> impl) noexcept;
    std::unique_ptr<Impl> impl_;
};

}  // namespace gantry::net
