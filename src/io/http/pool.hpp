#pragma once

#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/url.hpp"
#include "io/http/client.hpp"
#include "io/http/input.hpp"
#include "io/loop.hpp"
#include "io/net/tcp.hpp"
#include "io/sync.hpp"

namespace gantry::http {

/// Target of a request, with the strings derived from the URL computed once.
struct Destination {
    explicit Destination(Url to, std::shared_ptr<const net::EgressGuard> also = nullptr)
        : url(std::move(to)), origin(url.origin()), authority(url.authority()), egress(std::move(also)) {}
    Url url;
    std::string origin;
    std::string authority;
    std::shared_ptr<const net::EgressGuard> egress;  // the request's own guard; null: none
};

/// One connection to an origin, used by at most one request at a time.
struct PooledConnection {
    /// False if the peer has closed it or sent unsolicited bytes. Costs a system call.
    bool still_usable() const noexcept;

    std::unique_ptr<Stream> stream;
    const net::TcpStream* tcp = nullptr;  // underlying connection of `stream`
    Input input;
    std::string out;
    TimePoint idle_since{};
    bool reused = false;
    bool uploading = false;  // a request body is still being sent: not reusable
};

/// Idle connections by origin. Single loop; shared by the client and the responses in flight.
class Pool : public std::enable_shared_from_this<Pool> {
public:
    Pool(Loop& loop, const net::EgressGuard& guard, ClientOptions options,
         std::shared_ptr<const net::TlsClientContext> tls);
    ~Pool();

    const ClientOptions& options() const noexcept { return options_; }
    Loop& loop() const noexcept { return loop_; }

private:
    struct Origin {
        std::vector<std::shared_ptr<PooledConnection>> idle;  // most recently used last
        std::size_t open = 0;                                 // in use or being opened
        std::size_t waiting = 0;
        Event released;
    };

public:
    /// Exclusive use of one connection. Destroying it closes the connection.
    class Lease {
    public:
        Lease() = default;
        Lease(Lease&& other) noexcept;
        Lease& operator=(Lease&& other) noexcept;
        ~Lease() { drop(); }

        explicit operator bool() const noexcept { return connection_ != nullptr; }
        PooledConnection& operator*() const noexcept { return *connection_; }
        PooledConnection* operator->() const noexcept { return connection_.get(); }
        const std::shared_ptr<PooledConnection>& shared() const noexcept { return connection_; }

        /// The connection is between messages: returns it to the pool.
        void give_back();
        void drop() noexcept;

    private:
        friend class Pool;
        std::shared_ptr<Pool> pool_;
        Origin* origin_ = nullptr;
        std::shared_ptr<PooledConnection> connection_;
    };

    /// An idle connection, or a new one if there is none or `fresh` is set. Waits while the origin has
    /// its maximum of connections. kConnection: nothing was sent.
    Task<Result<void>> acquire(const Context& ctx, const Destination& to, bool fresh, Lease& into);
    /// An idle connection, if there is one; never waits.
    Lease try_acquire(const Destination& to);

    /// Closes idle connections; those in use are closed when returned.
    void close() noexcept;
    void close_idle() noexcept;

private:
    Lease lease_idle(Origin& origin, const net::EgressGuard* rule);
    void released(Origin& origin) noexcept;
    void arm_reaper();
    void reap();

    Loop& loop_;
    const net::EgressGuard& guard_;
    ClientOptions options_;
    std::shared_ptr<const net::TlsClientContext> tls_;
    bool closed_ = false;
    std::unordered_map<std::string, Origin> origins_;
    Loop::Alarm reaper_;
};

/// Resolves through the client's and the request's egress guards, connects to an approved address, and does the TLS
/// handshake for https.
Task<Result<std::shared_ptr<PooledConnection>>> dial(const Context& ctx, const net::EgressGuard& guard,
                                                     std::shared_ptr<const net::TlsClientContext> tls,
                                                     const Destination& to);
/// The same by ClientOptions::dial or unix_path, where there is nothing to resolve or guard.
Task<Result<std::shared_ptr<PooledConnection>>> dial_as_told(const Context& ctx, const ClientOptions& options);

}  // namespace gantry::http
