#pragma once
// Test support: an HTTP server that records what it receives.

#include <functional>
#include <string>
#include <vector>

#include "io/http/server.hpp"
#include "io/loop.hpp"

namespace gantry::gateway::events {

class Receiver {
public:
    struct Got {
        std::string target;
        std::vector<std::pair<std::string, std::string>> headers;
        std::string body;
        std::string header(std::string_view name) const {
            for (const auto& [key, value] : headers) {
                if (key == name) return value;
            }
            return {};
        }
    };

    explicit Receiver(Loop& loop)
        : server_(loop, {}, [this](const Context& ctx, http::Exchange& exchange) { return answer(ctx, exchange); }) {
        const auto started = server_.start();
        if (!started) std::abort();
    }
    std::string url(const std::string& path = "/hook") const {
        return "http://127.0.0.1:" + std::to_string(server_.port()) + path;
    }
    Task<void> stop() { return server_.stop(Duration(0)); }

    /// The status for the n-th request, from 0.
    std::function<int(std::size_t)> status = [](std::size_t) { return 204; };
    std::vector<Got> got;

private:
    Task<void> answer(const Context& ctx, http::Exchange& exchange) {
        Got one{.target = std::string(exchange.target())};
        for (std::size_t i = 0; i < exchange.headers().size(); ++i)
            one.headers.emplace_back(exchange.headers()[i].name, exchange.headers()[i].value);
        auto body = co_await exchange.read_all(ctx, 1u << 20);
        if (body) one.body = *std::move(body);
        got.push_back(std::move(one));
        auto sent = co_await exchange.respond(ctx, status(got.size() - 1), {}, "");
        static_cast<void>(sent);
    }

    http::Server server_;
};

/// Polls until `met` holds, for at most half a minute.
inline Task<bool> until(std::function<bool()> met) {
    const TimePoint end = SteadyClock::now() + seconds(30);
    while (!met()) {
        if (SteadyClock::now() > end) co_return false;
        auto slept = co_await sleep_for(Context::background(), milliseconds(5));
        static_cast<void>(slept);
    }
    co_return true;
}

}  // namespace gantry::gateway::events
