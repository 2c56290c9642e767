// The server behind a pipe: a real child process that forwards everything.

#include <gtest/gtest.h>

#include <array>

#include "io/net/tcp.hpp"
#include "mcp/transport/stdio.hpp"
#include "transcripts/wire.hpp"

namespace gantry::mcp::testing {
namespace {

class PipeServer final : public PlayedServer {
public:
    PipeServer() : listener_(net::TcpListener::listen(Loop::current(), {}).value()) {}

    Route route() override {
        // Forwards bytes unchanged: what crosses the pipes is exactly what the transcript says.
        StdioConfig config{.command = "bash",
                           .args = {"-c", "exec 3<>/dev/tcp/127.0.0.1/$0 || exit 9; cat <&3 & exec cat >&3",
                                    std::to_string(listener_->port())}};
        Route route;
        route.transport = std::make_unique<StdioTransport>(std::move(config));
        route.wire = Wire::kPipe;
        return route;
    }

    Task<bool> expect(const Line& line) override {
        const auto expected = Json::parse(line.text);
        if (!expected) {
            ADD_FAILURE() << expected.error().to_string();
            co_return false;
        }
        auto got = co_await next_line();
        if (!got) {
            ADD_FAILURE() << "the client sent nothing: " << got.error().to_string();
            co_return false;
        }
        const auto sent = Json::parse(*got);
        if (!sent || !(*sent == *expected)) {
            ADD_FAILURE() << "sent     " << *got << "\nexpected " << line.text;
            co_return false;
        }
        co_return true;
    }

    Task<bool> say(const Line& line) override {
        if (!co_await accepted()) co_return false;
        auto written = co_await stream_->write(watchdog(), line.text + "\n");
        if (!written) ADD_FAILURE() << written.error().to_string();
        co_return written.has_value();
    }

    Task<void> end(bool complain) override {
        if (complain && stream_) {
            auto more = co_await next_line();
            if (more) ADD_FAILURE() << "the transcript does not have " << *more;
        }
        if (stream_) stream_->close();
        listener_->close();
    }

private:
    Task<bool> accepted() {
        if (stream_) co_return true;
        auto stream = co_await listener_->accept(watchdog());
        if (!stream) {
            ADD_FAILURE() << "no child came: " << stream.error().to_string();
            co_return false;
        }
        stream_ = *std::move(stream);
        co_return true;
    }

    /// Up to the next LF, the only line end allowed.
    Task<Result<std::string>> next_line() {
        if (!co_await accepted()) co_return fail(ErrorCode::kConnection, "no child");
        for (;;) {
            if (const auto at = unread_.find('\n'); at != std::string::npos) {
                std::string line = unread_.substr(0, at);
                unread_.erase(0, at + 1);
                EXPECT_EQ(line.find('\r'), std::string::npos) << "one message is one line that ends with LF";
                co_return line;
            }
            std::array<char, 4096> buffer;
            auto size = co_await stream_->read_some(watchdog(), buffer);
            if (!size) co_return fail(size.error());
            if (*size == 0) co_return fail(ErrorCode::kConnection, "the end");
            unread_.append(buffer.data(), *size);
        }
    }

    std::unique_ptr<net::TcpListener> listener_;
    std::unique_ptr<net::TcpStream> stream_;
    std::string unread_;
};

}  // namespace

std::unique_ptr<PlayedServer> played_over_stdio() {
    return std::make_unique<PipeServer>();
}

}  // namespace gantry::mcp::testing
