#include "mcp/handlers/facade/mounted_exchange.hpp"

#include "base/try.hpp"

namespace gantry::detail {
namespace {

std::unexpected<Error> client_gone() {
    return fail(ErrorCode::kConnection, "the client went away");
}

}  // namespace

MountedExchange::MountedExchange(const MountRequest& request, const http::Headers& headers, MountedReply& reply)
    : request_(request), headers_(headers), reply_(reply) {
    reply_.attach(this);
    if (reply_.abandoned()) gone_.set();
}

MountedExchange::~MountedExchange() {
    reply_.attach(nullptr);
    reply_.end(Error(ErrorCode::kConnection, "the response broke off"));
}

Result<std::optional<std::string_view>> MountedExchange::take() {
    using Piece = std::optional<std::string_view>;
    if (std::exchange(taken_, true) || request_.body.empty()) return Piece();
    return Piece(request_.body);
}

Task<Result<std::optional<std::string_view>>> MountedExchange::read(const Context&) {
    co_return take();
}

Task<Result<std::string>> MountedExchange::read_all(const Context&, std::size_t limit) {
    const auto all = take();
    const std::string_view body = *all ? **all : std::string_view();
    if (body.size() > limit) co_return fail(ErrorCode::kLimit, "request body larger than the limit");
    co_return std::string(body);
}

Result<void> MountedExchange::begin(int status, const http::Headers& headers, std::optional<std::uint64_t> length) {
    if (reply_.begun()) return fail(ErrorCode::kInvalidArgument, "the request is already answered");
    MountedReply::Head head{.status = status, .headers = {}, .length = length};
    for (std::size_t i = 0; i < headers.size(); ++i) head.headers.emplace_back(headers[i].name, headers[i].value);
    if (!reply_.begin(std::move(head))) return client_gone();
    return {};
}

Task<Result<void>> MountedExchange::respond(const Context& ctx, int status, const http::Headers& headers,
                                            std::string_view body) {
    GANTRY_CO_CHECK(begin(status, headers, body.size()));
    GANTRY_CO_CHECK(co_await write(ctx, body));
    co_return co_await finish(ctx);
}

bool MountedExchange::try_respond(int status, const http::Headers& headers, std::string_view body) {
    if (!begin(status, headers, body.size())) return true;  // the client is gone
    const auto taken = reply_.push(body);
    if (!taken) return true;
    unflushed_ = body.substr(*taken);
    if (!unflushed_.empty()) return false;
    reply_.finish();
    return true;
}

Task<Result<void>> MountedExchange::flush(const Context& ctx) {
    GANTRY_CO_CHECK(co_await write(ctx, unflushed_));
    co_return co_await finish(ctx);
}

Task<Result<void>> MountedExchange::start(const Context&, int status, const http::Headers& headers,
                                          std::optional<std::uint64_t> length) {
    co_return begin(status, headers, length);
}

Task<Result<void>> MountedExchange::write(const Context& ctx, std::string_view bytes) {
    for (;;) {
        room_.reset();
        const auto taken = reply_.push(bytes);
        if (!taken) co_return client_gone();
        bytes.remove_prefix(*taken);
        if (bytes.empty()) co_return Result<void>();
        GANTRY_CO_CHECK(co_await room_.wait(ctx));
    }
}

Task<Result<void>> MountedExchange::finish(const Context&) {
    reply_.finish();
    co_return Result<void>();
}

Task<Result<void>> MountedExchange::wait_for_disconnect(const Context& ctx) {
    GANTRY_CO_CHECK(co_await gone_.wait(ctx));
    co_return client_gone();
}

void MountedExchange::on_reader() {
    room_.set();
    if (reply_.abandoned()) gone_.set();
}

}  // namespace gantry::detail
