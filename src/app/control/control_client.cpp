#include "app/control/control_client.hpp"

#include <array>
#include <csignal>
#include <iostream>

#include "base/try.hpp"
#include "io/http/client.hpp"
#include "io/loop.hpp"
#include "io/net/egress.hpp"
#include "io/scope.hpp"
#include "io/signals.hpp"
#include "io/sse/parser.hpp"
#include "surface/cli/output.hpp"

namespace gantry::app {
namespace {

constexpr Duration kPatience = std::chrono::minutes(2);
constexpr std::size_t kMostAnswer = 64u << 20;
constexpr Duration kReaderCheck = milliseconds(250);

using Heard = ControlClient::Heard;

class Line {
public:
    explicit Line(const std::filesystem::path& socket)
        : client_(Loop::current(), guard_, {.head_timeout = kPatience, .unix_path = socket.string()}) {}
    ~Line() { client_.close(); }

    Task<Result<http::Response>> send(const Context& ctx, std::string method, const std::string& target,
                                      const Json& body) {
        GANTRY_CO_TRY(Url url, Url::parse("http://control" + target));
        http::Request request{.method = std::move(method), .url = std::move(url)};
        if (!body.is_null()) {
            request.headers.set("Content-Type", "application/json");
            request.body = body.dump();
        }
        co_return co_await client_.send(ctx, std::move(request));
    }

private:
    net::EgressGuard guard_;
    http::Client client_;
};

Error refusal(const Json& answer) {
    const Json* const message = answer.at_pointer("/error/message");
    const Json* const code = answer.at_pointer("/error/code");
    const bool missing = code != nullptr && *code == Json("not_found");
    return {missing ? ErrorCode::kNotFound : ErrorCode::kInvalidArgument,
            message != nullptr && message->is_string() ? *message->if_string()
                                                       : "the gateway refused without giving a reason"};
}

Task<Result<Json>> read_answer(const Context& ctx, http::Response& response) {
    GANTRY_CO_TRY(const std::string text, co_await response.read_all(ctx, kMostAnswer));
    GANTRY_CO_TRY(Json answer, Json::parse(text));
    if (response.status() != 200) co_return fail(refusal(answer));
    co_return answer;
}

Task<Result<Json>> ask_once(const std::filesystem::path& socket, const std::string& method, const std::string& target,
                            const Json& body, Duration timeout) {
    const Context ctx = Context::background().within(timeout);
    Line line(socket);
    GANTRY_CO_TRY(http::Response response, co_await line.send(ctx, method, target, body));
    co_return co_await read_answer(ctx, response);
}

Task<Result<void>> listen(const Context& ctx, const std::filesystem::path& socket, const std::string& target,
                          const Heard& heard) {
    Line line(socket);
    GANTRY_CO_TRY(http::Response response, co_await line.send(ctx, "GET", target, {}));
    if (response.status() != 200) {
        GANTRY_CO_CHECK(co_await read_answer(ctx, response));
    }
    sse::Parser parser;
    for (;;) {
        GANTRY_CO_TRY(const auto piece, co_await response.read(ctx));
        if (!piece) co_return Result<void>();
        GANTRY_CO_CHECK(parser.feed(*piece));
        while (const auto event = parser.next()) {
            if (event->has_data && (!heard(event->type, event->data) || !std::cout)) co_return Result<void>();
        }
    }
}

Task<void> listen_until_stopped(Context ctx, const std::filesystem::path& socket, const std::string& target,
                                const Heard& heard, const CancelSource& others, Result<void>& outcome) {
    outcome = co_await listen(ctx, socket, target, heard);
    if (!outcome && outcome.error().code() == ErrorCode::kCancelled) outcome = {};
    others.cancel();
}

Task<void> stop_on_signal(Context ctx, const CancelSource& others) {
    static constexpr std::array kEnd = {SIGINT, SIGTERM};
    auto signal = co_await wait_for_signal(ctx, kEnd);
    static_cast<void>(signal);
    others.cancel();
}

/// A closed pipe is noticed only by polling: the next event may be hours away.
Task<void> stop_without_reader(Context ctx, const CancelSource& others) {
    while (cli::output_is_open()) {
        if (auto slept = co_await sleep_for(ctx, kReaderCheck); !slept) co_return;
    }
    others.cancel();
}

Task<Result<void>> follow_stream(const std::filesystem::path& socket, const std::string& target, const Heard& heard) {
    Result<void> outcome;
    const CancelSource end;
    Scope scope(Context::background().stopped_by(end));
    scope.spawn(listen_until_stopped(scope.context(), socket, target, heard, end, outcome));
    scope.spawn(stop_on_signal(scope.context(), end));
    scope.spawn(stop_without_reader(scope.context(), end));
    co_await scope.join();
    co_return outcome;
}

}  // namespace

Result<Json> ControlClient::ask(const std::string& method, const std::string& target, const Json& body) const {
    Loop loop;
    return loop.run_until_done(ask_once(socket_, method, target, body, timeout_));
}

Result<void> ControlClient::follow(const std::string& target, const Heard& heard) const {
    Loop loop;
    return loop.run_until_done(follow_stream(socket_, target, heard));
}

}  // namespace gantry::app
