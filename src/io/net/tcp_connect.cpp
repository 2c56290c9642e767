#include <cerrno>

#include "base/try.hpp"
#include "io/net/socket.hpp"
#include "io/net/tcp.hpp"
#include "io/scope.hpp"
#include "io/sync.hpp"

namespace gantry::net {

namespace {

constexpr Duration kStagger = milliseconds(250);

std::string describe(const Endpoint& endpoint) {
    const bool v6 = endpoint.address.find(':') != std::string::npos;
    return "connect to " + (v6 ? "[" + endpoint.address + "]" : endpoint.address) + ":" + std::to_string(endpoint.port);
}

/// Shared by the attempts of one connect_any(); lives in its frame.
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
    const auto target = SocketAddress::parse(endpoint.address, endpoint.port);
    if (!target) co_return fail(ErrorCode::kInvalidArgument, "not a numeric address: " + endpoint.address);
    GANTRY_CO_CHECK(ctx.check());

    Fd fd(::socket(target->family(), SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, IPPROTO_TCP));
    if (!fd) co_return fail(connection_error(describe(endpoint), errno));
    co_return co_await connect_over(ctx, std::move(fd), std::move(endpoint));
}

Task<Result<std::unique_ptr<TcpStream>>> connect_over(const Context& ctx, Fd fd, Endpoint endpoint) {
    const auto target = SocketAddress::parse(endpoint.address, endpoint.port);
    if (!target) co_return fail(ErrorCode::kInvalidArgument, "not a numeric address: " + endpoint.address);
    Loop& loop = Loop::current();
    Descriptor socket(loop, std::move(fd));
    int error = 0;
    if (::connect(socket.get(), target->data(), target->size()) != 0) error = errno;
    if (error == EINPROGRESS || error == EINTR) {
        socket.write_full();
        if (auto waited = co_await socket.writable(ctx); !waited) {
            co_return fail(std::move(waited).error().within(describe(endpoint)));
        }
        socklen_t size = sizeof error;
        ::getsockopt(socket.get(), SOL_SOCKET, SO_ERROR, &error, &size);
    }
    if (error != 0) co_return fail(connection_error(describe(endpoint), error));
    co_return make_stream(loop, socket.release());
}

Task<Result<std::unique_ptr<TcpStream>>> connect_unix(const Context& ctx, std::string path) {
    GANTRY_CO_TRY(const sockaddr_un target, unix_address(path));
    GANTRY_CO_CHECK(ctx.check());
    Fd fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
    // Connecting to a Unix socket never waits: it succeeds or fails at once.
    if (!fd || ::connect(fd.get(), reinterpret_cast<const sockaddr*>(&target), sizeof target) != 0) {
        co_return fail(connection_error("connect to " + path, errno));
    }
    co_return make_stream(Loop::current(), std::move(fd));
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
