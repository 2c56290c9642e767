#pragma once

#include <memory>
#include <optional>
#include <string>

#include "io/http/body.hpp"
#include "io/http/body_budget.hpp"
#include "io/http/body_pace.hpp"
#include "io/http/head.hpp"
#include "io/http/input.hpp"
#include "io/http/server.hpp"
#include "io/net/tcp.hpp"

namespace gantry::http {

/// One accepted connection: reads requests sequentially and is the Exchange of the
/// current one. Pipelined requests stay in the input.
class ServerConnection final : public Exchange {
public:
    /// Callbacks to the server.
    class Owner {
    public:
        /// Waiting for the first byte of a request: may be closed at any time.
        virtual void became_idle(ServerConnection& connection) = 0;
        virtual void became_busy(ServerConnection& connection) = 0;
        virtual BodyBudget& bodies() noexcept = 0;
        virtual BodyPace& body_pace() noexcept = 0;
        /// No further requests on any connection.
        virtual bool stopping() const noexcept = 0;

    protected:
        ~Owner() = default;
    };

    ServerConnection(Owner& owner, const ServerOptions& options, const Handler& handler, std::unique_ptr<Stream> stream,
                     const net::TcpStream& tcp);

    /// Serves until either side closes the connection.
    Task<void> run(const Context& ctx);
    /// Closes the connection; run() ends soon.
    void close() noexcept;

    std::string_view method() const noexcept override { return head_.method; }
    std::string_view target() const noexcept override { return head_.target; }
    const Headers& headers() const noexcept override { return head_.headers; }
    std::string_view peer_address() const noexcept override { return tcp_.peer_address(); }
    bool is_http_1_0() const noexcept override { return head_.minor == 0; }
    Task<Result<std::optional<std::string_view>>> read(const Context& ctx) override;
    Result<std::optional<std::string_view>> take() override;
    Task<Result<std::string>> read_all(const Context& ctx, std::size_t limit) override;
    Task<Result<void>> respond(const Context& ctx, int status, const Headers& headers, std::string_view body) override;
    bool try_respond(int status, const Headers& headers, std::string_view body) override;
    Task<Result<void>> flush(const Context& ctx) override;
    Task<Result<void>> respond_pieces(const Context& ctx, int status, const Headers& headers,
                                      std::span<const std::string_view> body) override;
    Task<Result<void>> start(const Context& ctx, int status, const Headers& headers,
                             std::optional<std::uint64_t> length) override;
    Task<Result<void>> start_with(const Context& ctx, int status, const Headers& headers,
                                  std::optional<std::uint64_t> length, std::string_view first) override;
    Task<Result<void>> write(const Context& ctx, std::string_view bytes) override;
    Task<Result<void>> finish(const Context& ctx) override;
    Task<Result<void>> finish_and_part(const Context& ctx) override;
    Task<Result<void>> wait_for_disconnect(const Context& ctx) override;
    bool disconnected() const noexcept override;
    std::optional<std::uint64_t> body_length() const noexcept override;
    bool body_complete() const noexcept override { return body_.done(); }

    // Intrusive lists of the owner.
    ServerConnection* previous_idle = nullptr;
    ServerConnection* next_idle = nullptr;
    bool listed_idle = false;

private:
    enum class Answer : std::uint8_t { kNone, kStarted, kFinished };

    Task<bool> read_request(const Context& ctx);
    bool end_request() noexcept;
    Task<bool> settle(const Context& ctx);
    Task<void> refuse_request(const Context& ctx, Refusal refusal);
    Task<void> linger(const Context& ctx);
    Task<Result<void>> send(const Context& ctx, std::string_view bytes);
    Task<Result<void>> send_small(const Context& ctx, std::string_view bytes);
    Task<Result<void>> send_coded(const Context& ctx, std::string_view front, std::string_view bytes, bool last);
    Task<Result<void>> send_behind_head(const Context& ctx, std::span<const std::string_view> body);
    Task<Result<void>> fill(const Context& ctx);
    std::unexpected<Error> no_memory();
    Result<void> begin_answer(int status, const Headers& headers, Framing framing);
    Result<void> account(std::size_t bytes);
    std::unexpected<Error> broken(Error cause);

    Owner& owner_;
    const ServerOptions& options_;
    const Handler& handler_;
    std::unique_ptr<Stream> stream_;
    const net::TcpStream& tcp_;  // underlying connection of stream_
    HeadLimits limits_;

    Input input_;
    HeadScanner scanner_;
    RequestHead head_;
    RequestRules rules_;
    BodyReader body_;
    Duration body_waited_{};
    std::optional<Refusal> body_refusal_;

    Answer answer_ = Answer::kNone;
    Framing answer_framing_;
    bool answer_has_body_ = false;
    std::uint64_t answer_left_ = 0;
    bool keep_alive_ = true;
    std::string out_;
    std::size_t flushed_ = 0;  // of it, by try_respond()

    bool closed_ = false;
    bool end_of_input_ = false;
};

}  // namespace gantry::http
