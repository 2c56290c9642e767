// Client's relayed requests.

#include "base/try.hpp"
#include "io/loop.hpp"
#include "mcp/client/client.hpp"
#include "mcp/protocol/errors.hpp"
#include "mcp/protocol/headers.hpp"
#include "mcp/protocol/method.hpp"

namespace gantry::mcp {
namespace {

/// The first back-off before resending a request that was never sent.
constexpr Duration kFirstPause = milliseconds(200);

bool says(const Error& error, std::int64_t code) {
    return error.rpc() != nullptr && error.rpc()->code == code;
}

/// These errors describe the hop between us and the server: the downstream client must not take them for its own.
Error of_this_hop(const Error& error) {
    if (!says(error, rpc_code::kHeaderMismatch) && !says(error, rpc_code::kUnsupportedVersion)) return error;
    return Error(ErrorCode::kProtocol, error.message()).rpc(*error.rpc());
}

}  // namespace

/// State of one relayed request across its attempts.
struct Client::Relaying {
    const RelayRequest* request;
    bool repeatable;
    RetryBudget budget;
    std::shared_ptr<Session> session = {};
    std::uint64_t generation = 0;
    bool session_gone = false;
    bool reinitialized = false;
    bool renewed = false;
    std::unique_ptr<RelayRequest> mirrored = {};  // the request with newly mirrored headers
    std::optional<Error> unknown = {};            // an attempt that may have run
    Duration pause = kFirstPause;

    /// The final error. If an earlier attempt may have run, that takes precedence.
    Error told(const Error& last) const {
        if (!unknown || last.code() != ErrorCode::kConnection) return of_this_hop(last);
        return Error(ErrorCode::kOutcomeUnknown, unknown->message()).caused_by(last);
    }
};

Task<Result<RelayAnswer>> Client::relay(const Context& ctx, const RelayRequest& request, bool repeatable) {
    Relaying relaying{.request = &request, .repeatable = repeatable, .budget = supervisor_.begin()};
    // The cap applies once to all attempts. The first has its own, which accounts for logins.
    const Context capped = ctx.within(request.times.total);
    RelayAnswer answer;
    for (bool first = true;; first = false) {
        if (closed_) co_return fail(ErrorCode::kInvalidArgument, "the client is closed");
        relaying.session = supervisor_.live_session();
        if (!relaying.session) {
            auto session = co_await supervisor_.session(capped.within(request.times.idle), relaying.budget);
            if (!session) co_return fail(relaying.told(session.error()));
            relaying.session = *std::move(session);
        }
        relaying.generation = relaying.session->generation();
        relaying.session_gone = false;
        auto done =
            co_await relaying.session->relay(first ? ctx : capped, *relaying.request, answer, relaying.session_gone);
        if (done) co_return Result<RelayAnswer>(std::move(answer));
        GANTRY_CO_CHECK(co_await recover(capped, relaying, std::move(done).error()));
    }
}

/// Prepares another attempt; an error if there is none.
Task<Result<void>> Client::recover(const Context& ctx, Relaying& relaying, Error error) {
    if (closed_) co_return fail(relaying.told(error));
    if (relaying.session_gone && !relaying.reinitialized) {
        // The server forgot the session and therefore has not run the request.
        relaying.reinitialized = true;
        co_return co_await relaying.session->reinitialize(ctx, relaying.generation);
    }
    if (says(error, rpc_code::kUnsupportedVersion) && relaying.session->modern() && !relaying.renewed) {
        // The server changed and rejected the request; negotiate again.
        relaying.renewed = true;
        supervisor_.renew(relaying.session);
        co_return Result<void>();
    }
    if (says(error, rpc_code::kHeaderMismatch) && relaying.session->modern() && !relaying.mirrored) {
        co_return co_await mirror_again(ctx, relaying, std::move(error));
    }
    if (error.code() == ErrorCode::kOutcomeUnknown && relaying.repeatable) {
        relaying.unknown = error;
    } else if (error.code() != ErrorCode::kConnection) {
        co_return fail(relaying.told(error));
    }
    // Reconnecting is the supervisor's job, with its own back-off.
    if (relaying.session->rpc().is_closed()) co_return Result<void>();
    if (supervisor_.spent(relaying.budget)) co_return fail(relaying.told(error));
    ++relaying.budget.resent;
    GANTRY_CO_CHECK(co_await sleep_for(ctx, relaying.pause));
    relaying.pause *= 2;
    co_return Result<void>();
}

/// The tool's schema may have changed: fetches it again and mirrors the headers it requires now.
Task<Result<void>> Client::mirror_again(const Context& ctx, Relaying& relaying, Error error) {
    const RelayRequest& request = *relaying.request;
    if (request.method != method::kCallTool || !mirrors_headers()) co_return fail(relaying.told(error));
    GANTRY_CO_CHECK(co_await list_tools(ctx, true, relaying.budget));
    const std::string name = request.name.empty() ? request.view.name.text().value_or("") : std::string(request.name);
    const ToolDefinition tool = known_definition(name);
    if (!tool) co_return fail(relaying.told(error));
    GANTRY_CO_TRY(const auto marked, header_params(tool->input_schema));
    Json arguments = JsonObject{};
    if (request.view.arguments.is_object()) {
        GANTRY_CO_TRY(arguments, Json::parse(request.view.arguments.raw()));
    }
    auto changed = std::make_unique<RelayRequest>(request);
    GANTRY_CO_TRY(changed->headers, param_headers(marked, *arguments.if_object()));
    relaying.mirrored = std::move(changed);
    relaying.request = relaying.mirrored.get();
    co_return Result<void>();
}

}  // namespace gantry::mcp
