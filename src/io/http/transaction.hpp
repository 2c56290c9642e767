#pragma once

#include <memory>
#include <string_view>

#include "io/http/client.hpp"
#include "io/http/framing.hpp"
#include "io/http/pool.hpp"

namespace gantry::http {

struct OutgoingHead {
    std::string_view method;
    std::string_view target;
    const Headers& headers;
    /// Preformatted request line and fields, for callers that send the same ones repeatedly: made by
    /// append_request_lines() and append_field(). Target and headers are then ignored.
    std::string_view ready = {};
};

/// Sends a whole request and waits for the response head. A pooled connection that turns out dead before
/// responding is replaced once, if the request may be repeated or was never sent.
Task<Result<Response>> exchange(const Context& ctx, std::shared_ptr<Pool> pool, std::shared_ptr<const Destination> to,
                                const OutgoingHead& head, std::string_view body);

/// A request whose body is sent piece by piece, while the response may already be arriving: write() and
/// finish() in one task, response() in another. Never retried.
class Upload {
public:
    static Task<Result<Upload>> open(const Context& ctx, std::shared_ptr<Pool> pool,
                                     std::shared_ptr<const Destination> to, const OutgoingHead& head,
                                     std::optional<std::uint64_t> length);

    Task<Result<void>> write(const Context& ctx, std::string_view bytes);
    Task<Result<void>> finish(const Context& ctx);
    /// May be called once. Reading the response closes the connection at its end unless finish() came first.
    Task<Result<Response>> response(const Context& ctx);

private:
    Upload() = default;

    std::shared_ptr<Pool> pool_;
    std::shared_ptr<const Destination> to_;
    std::shared_ptr<PooledConnection> connection_;
    Pool::Lease lease_;
    std::string method_;
    Framing framing_;
    std::uint64_t left_ = 0;
};

}  // namespace gantry::http
