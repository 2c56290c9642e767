#include "io/http/http_test_support.hpp"

#include <algorithm>
#include <array>

#include "io/http/framing.hpp"

namespace gantry::http::testing {

Task<void> echo(const Context& ctx, Exchange& exchange) {
    auto body = co_await exchange.read_all(ctx, 16u << 20);
    if (!body) co_return;
    const std::string answer = std::string(exchange.method()) + " " + std::string(exchange.target()) + " " + *body;
    const Headers headers{{"Content-Type", "text/plain"}};
    (void)co_await exchange.respond(ctx, 200, headers, answer);
}

Task<std::unique_ptr<RawClient>> RawClient::connect(std::uint16_t port) {
    auto client = std::make_unique<RawClient>();
    auto stream = co_await net::connect(patiently(), {.address = "127.0.0.1", .port = port});
    if (!stream) {
        ADD_FAILURE() << stream.error().to_string();
        co_return nullptr;
    }
    client->stream_ = *std::move(stream);
    co_return client;
}

Task<bool> RawClient::send(std::string_view bytes) {
    co_return (co_await stream_->write(patiently(), bytes)).has_value();
}

Task<std::string> RawClient::read_until(std::string_view end) {
    for (std::size_t searched = 0;;) {
        if (const std::size_t found = got_.find(end, searched); found != std::string::npos) {
            std::string head = got_.substr(0, found + end.size());
            got_.erase(0, head.size());
            co_return head;
        }
        searched = got_.size() - std::min(got_.size(), end.size());
        std::array<char, 16384> buffer;
        const auto read = co_await stream_->read_some(patiently(), buffer);
        if (!read && read.error().code() == ErrorCode::kTimeout)
            ADD_FAILURE() << "the server said nothing for too long";
        if (!read || *read == 0) co_return std::exchange(got_, {});
        got_.append(buffer.data(), *read);
    }
}

Task<std::string> RawClient::read_to_end() {
    return read_until("\x01 never sent \x02");
}

Task<std::string> talk(std::uint16_t port, std::string bytes, std::size_t cut) {
    auto client = co_await RawClient::connect(port);
    if (!client) co_return std::string();
    const std::string_view all = bytes;
    (void)co_await client->send(all.substr(0, cut));
    if (cut < all.size()) {
        for (int i = 0; i < 3; ++i) co_await yield_now();  // let the server read the first part alone
        (void)co_await client->send(all.substr(cut));
    }
    co_return co_await client->read_to_end();
}

ScriptedServer::ScriptedServer(Loop& loop, std::vector<Script> scripts)
    : listener_(*net::TcpListener::listen(loop, {})), scripts_(std::move(scripts)) {}

Task<void> ScriptedServer::run(Context ctx) {
    for (; connections_ < scripts_.size();) {
        auto stream = co_await listener_->accept(ctx);
        if (!stream) co_return;
        ++connections_;
        co_await scripts_[connections_ - 1](**stream);
    }
}

Task<std::string> read_request(net::TcpStream& stream) {
    std::string text;
    std::size_t wanted = std::string::npos;
    while (text.size() < wanted) {
        std::array<char, 4096> buffer;
        const auto read = co_await stream.read_some(patiently(), buffer);
        if (!read || *read == 0) break;
        text.append(buffer.data(), *read);
        const std::size_t end = text.find("\r\n\r\n");
        if (wanted != std::string::npos || end == std::string::npos) continue;
        wanted = end + 4;
        if (const std::size_t length = text.find("Content-Length: "); length < end) {
            wanted += *parse_length(text.substr(length + 16, text.find('\r', length) - length - 16));
        }
    }
    co_return text;
}

Server& HttpTest::serve(Handler handler, ServerOptions options, std::shared_ptr<const net::TlsServerContext> tls) {
    servers_.push_back(std::make_unique<Server>(loop_, std::move(options), std::move(handler), std::move(tls)));
    const auto started = servers_.back()->start();
    EXPECT_TRUE(started) << started.error().to_string();
    return *servers_.back();
}

Task<void> HttpTest::run_and_stop(Task<void> body) {
    co_await std::move(body);
    for (const auto& server : servers_) co_await server->stop(seconds(0));
}

void HttpTest::run(Task<void> body) {
    loop_.run_until_done(run_and_stop(std::move(body)));
    servers_.clear();
}

}  // namespace gantry::http::testing
