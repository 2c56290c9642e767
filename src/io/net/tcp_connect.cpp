#include "base/try.hpp"
#include "io/net/socket.hpp"
#include "io/net/tcp.hpp"
#include "io/scope.hpp"
#include "io/sync.hpp"

namespace gantry::net {

namespace asio = boost::asio;

namespace {

constexpr Duration kStagger = milliseconds(250);

std::string describe(const Endpoint& endpoint) {
    const bool v6 = endpoint.address.find(':') != std::string::npos;
    return "connect to " + (v6 ? "[" + endpoint.address + "]" : endpoint.address) + ":" + std::to_string(endpoint.port);
}

/// What the attempts of one connect_any() share; lives in its frame.
struct Race {
    std::unique_ptr<TcpStream> winner;
    std::vector<std::optional<Error>> errors;
    std::size_t failed = 0;
    Event changed;
};

Task<void> attempt(Context ctx, Endpoint endpoint, std::size_t index, Race* race) {
    auto stream = co_await connect(ctx, std::move(endpoint));
    if (!stream) {
        race->errors[index] = std::move(stream).error();
        ++race->failed;
    } else if (!race->winner) {
        race->winner = *std::move(stream);
    }
    race->changed.set();
}

}  // namespace

Task<Result<std::unique_ptr<TcpStream>>> connect(const Context& ctx, Endpoint endpoint) {
    boost::system::error_code error;
    const asio::ip::address address = asio::ip::make_address(endpoint.address, error);
    if (error) co_return fail(ErrorCode::kInvalidArgument, "not a numeric address: " + endpoint.address);
    GANTRY_CO_CHECK(ctx.check());

    Loop& loop = Loop::current();
    const asio::ip::tcp::endpoint target(address, endpoint.port);
    Socket socket(loop.executor());
    socket.open(target.protocol(), error);
    if (error) co_return fail(connection_error(describe(endpoint), error));
    {
        const ContextGuard guard(socket, loop, ctx);
        std::tie(error) = co_await socket.async_connect(target, kAwait);
        if (error && guard.ended()) co_return fail(guard.error().within(describe(endpoint)));
    }
    if (error) co_return fail(connection_error(describe(endpoint), error));
    co_return make_stream(loop, std::move(socket));
}

Task<Result<std::unique_ptr<TcpStream>>> connect_any(const Context& ctx, std::vector<Endpoint> endpoints) {
    if (endpoints.empty()) co_return fail(ErrorCode::kConnection, "no address to connect to");
    if (endpoints.size() == 1) co_return co_await connect(ctx, std::move(endpoints[0]));

    Race race;
    race.errors.resize(endpoints.size());
    Scope scope(ctx);
    std::size_t started = 0;
    Result<void> outcome;
    while (outcome && !race.winner && race.failed < endpoints.size()) {
        if (started < endpoints.size()) {
            scope.spawn(attempt(scope.context(), endpoints[started], started, &race));
            ++started;
        }
        race.changed.reset();
        const bool last = started == endpoints.size();
        if (!co_await race.changed.wait(last ? ctx : ctx.within(kStagger))) outcome = ctx.check();
    }
    scope.cancel();
    co_await scope.join();
    if (race.winner) co_return std::move(race.winner);
    if (!outcome) co_return fail(std::move(outcome).error().within(describe(endpoints[0])));
    co_return fail(*race.errors[0]);
}

}  // namespace gantry::net
