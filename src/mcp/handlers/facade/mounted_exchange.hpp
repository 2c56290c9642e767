#pragma once

#include <memory>

#include "io/http/server.hpp"
#include "io/sync.hpp"
#include "mcp/handlers/facade/mounted_reply.hpp"

namespace gantry::detail {

/// The program's request as an exchange, so that an endpoint serves it like one of our own listener.
class MountedExchange final : public http::Exchange {
public:
    MountedExchange(const MountRequest& request, const http::Headers& headers, MountedReply& reply);
    /// Ends the response if the handler did not.
    ~MountedExchange() override;

    std::string_view method() const noexcept override { return request_.method; }
    std::string_view target() const noexcept override { return {}; }
    const http::Headers& headers() const noexcept override { return headers_; }
    std::string_view peer_address() const noexcept override { return request_.peer_address; }

    Task<Result<std::optional<std::string_view>>> read(const Context& ctx) override;
    Result<std::optional<std::string_view>> take() override;
    Task<Result<std::string>> read_all(const Context& ctx, std::size_t limit) override;
    std::optional<std::uint64_t> body_length() const noexcept override { return request_.body.size(); }
    bool body_complete() const noexcept override { return taken_; }

    Task<Result<void>> respond(const Context& ctx, int status, const http::Headers& headers,
                               std::string_view body) override;
    bool try_respond(int status, const http::Headers& headers, std::string_view body) override;
    Task<Result<void>> flush(const Context& ctx) override;
    Task<Result<void>> start(const Context& ctx, int status, const http::Headers& headers,
                             std::optional<std::uint64_t> length) override;
    Task<Result<void>> write(const Context& ctx, std::string_view bytes) override;
    Task<Result<void>> finish(const Context& ctx) override;

    Task<Result<void>> wait_for_disconnect(const Context& ctx) override;
    bool disconnected() const noexcept override { return reply_.abandoned(); }

    /// The reader took something, or has gone.
    void on_reader();

private:
    Result<void> begin(int status, const http::Headers& headers, std::optional<std::uint64_t> length);

    const MountRequest& request_;
    const http::Headers& headers_;
    MountedReply& reply_;
    bool taken_ = false;
    std::string unflushed_;  // of try_respond()
    Event room_;
    Event gone_;
};

}  // namespace gantry::detail
