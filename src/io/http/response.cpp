#include "io/http/response.hpp"

#include <vector>

#include "base/try.hpp"

namespace gantry::http {

namespace {

/// Unused responses of this thread. Enough for a burst, few enough to be negligible.
class SpareResponses {
public:
    ~SpareResponses() { gone_ = true; }

    static Response::Handle take() {
        auto& free = of_this_thread().free_;
        if (free.empty()) return Response::Handle(new Response::Impl);
        Response::Handle spare(free.back().release());
        free.pop_back();
        return spare;
    }
    /// False: the thread is exiting, or there are enough.
    static bool give(Response::Impl* impl) noexcept {
        if (gone_) return false;
        auto& free = of_this_thread().free_;
        if (free.size() == kKept) return false;
        free.emplace_back(impl);
        return true;
    }

private:
    static constexpr std::size_t kKept = 64;

    SpareResponses() { free_.reserve(kKept); }
    static SpareResponses& of_this_thread() {
        thread_local SpareResponses spares;
        return spares;
    }

    static thread_local bool gone_;
    std::vector<std::unique_ptr<Response::Impl>> free_;
};

thread_local bool SpareResponses::gone_ = false;

}  // namespace

Response::Handle Response::Impl::make(std::shared_ptr<const Destination> from, Duration idle_timeout) {
    Handle impl = SpareResponses::take();
    impl->from = std::move(from);
    impl->idle_timeout_ = idle_timeout;
    return impl;
}

void Response::Recycle::operator()(Impl* impl) const noexcept {
    impl->retire();
    if (!SpareResponses::give(impl)) delete impl;
}

void Response::Impl::begin(Pool::Lease lease) {
    lease_ = std::move(lease);
    peer = lease_->tcp->peer_address();
    body.start(rules.body);
    if (body.done()) end_body();
}

void Response::Impl::retire() noexcept {
    if (body.done()) end_body();
    lease_.drop();
    from.reset();
    aborted_ = false;
    head.headers.trim();  // the next head will be much the same, see HeadParser
    body.start(Framing::none());
}

/// Bytes after the body belong to no request of ours: such a connection is not reused.
void Response::Impl::end_body() {
    if (!lease_) return;
    body.release(lease_->input);
    lease_->input.end_message();
    if (rules.keep_alive && !aborted_ && lease_->input.empty()) {
        lease_.give_back();
    } else {
        lease_.drop();
    }
}

void Response::Impl::abort() noexcept {
    aborted_ = true;
    if (lease_) lease_->stream->close();
}

/// The request may have run, even though its response was lost.
Error Response::Impl::broken(const Context& ctx, Error cause) {
    lease_->stream->close();
    if (aborted_) return {ErrorCode::kCancelled, "the response was aborted"};
    if (const auto checked = ctx.check(); !checked) return checked.error();
    if (cause.code() == ErrorCode::kTimeout) {
        return {ErrorCode::kTimeout, from->origin + " was silent for too long inside a response"};
    }
    return Error(ErrorCode::kOutcomeUnknown, from->origin + ": the connection broke inside a response")
        .caused_by(std::move(cause));
}

Result<std::optional<std::string_view>> Response::Impl::take() {
    using Piece = std::optional<std::string_view>;
    if (aborted_) return fail(ErrorCode::kCancelled, "the response was aborted");
    if (!lease_) return Piece();
    const auto piece = body.take(lease_->input);
    if (!piece) {
        lease_->stream->close();
        return fail(piece.error().to_error().within(from->origin));
    }
    if (!piece->empty()) return Piece(*piece);
    if (body.done()) end_body();
    return Piece();
}

Task<Result<std::optional<std::string_view>>> Response::Impl::read(const Context& ctx) {
    for (;;) {
        auto taken = take();
        if (!taken || *taken || !lease_) co_return taken;
        Input& input = lease_->input;
        const Context limited = idle_timeout_ > Duration::zero() ? ctx.within(idle_timeout_) : ctx;
        auto got = co_await lease_->stream->read_some(limited, input.prepare(body.expected(input)));
        if (!got) co_return fail(broken(ctx, std::move(got).error()));
        if (*got != 0) {
            input.commit(*got);
        } else if (!body.end_of_input()) {
            co_return fail(broken(ctx, Error(ErrorCode::kConnection, "the peer closed before the body's end")));
        }
    }
}

Response::Response(Handle impl) : impl_(std::move(impl)) {}
Response::Response(Response&&) noexcept = default;
Response& Response::operator=(Response&&) noexcept = default;
Response::~Response() = default;

int Response::status() const noexcept {
    return impl_->head.status;
}

const Headers& Response::headers() const noexcept {
    return impl_->head.headers;
}

const std::string& Response::peer_address() const noexcept {
    return impl_->peer;
}

const Url& Response::url() const noexcept {
    return impl_->from->url;
}

Result<std::optional<std::string_view>> Response::take() {
    return impl_->take();
}

Task<Result<std::optional<std::string_view>>> Response::read(const Context& ctx) {
    return impl_->read(ctx);
}

Task<Result<std::string>> Response::read_all(const Context& ctx, std::size_t limit) {
    const Framing framing = impl_->rules.body;
    std::string all;
    if (framing.kind == Framing::Kind::kLength && framing.length <= limit) {
        all.reserve(static_cast<std::size_t>(std::min<std::uint64_t>(framing.length, 1u << 20)));
    }
    const auto too_large = [&] {
        impl_->abort();
        return fail(ErrorCode::kLimit, "response body larger than " + std::to_string(limit) + " bytes");
    };
    if (framing.kind == Framing::Kind::kLength && framing.length > limit) co_return too_large();
    for (;;) {
        GANTRY_CO_TRY(const auto piece, co_await impl_->read(ctx));
        if (!piece) co_return Result<std::string>(std::move(all));
        if (piece->size() > limit - all.size()) co_return too_large();
        all.append(*piece);
    }
}

std::optional<std::uint64_t> Response::body_length() const noexcept {
    switch (impl_->rules.body.kind) {
        case Framing::Kind::kNone: return 0;
        case Framing::Kind::kLength: return impl_->rules.body.length;
        default: return std::nullopt;
    }
}

bool Response::body_complete() const noexcept {
    return impl_->body.done();
}

std::size_t Response::buffered() const noexcept {
    return impl_->buffered();
}

void Response::abort() noexcept {
    impl_->abort();
}

}  // namespace gantry::http
