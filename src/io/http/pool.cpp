#include "io/http/pool.hpp"

#include <algorithm>
#include <cassert>

#include "base/try.hpp"
#include "io/net/egress.hpp"

namespace gantry::http {
namespace {

/// A recently used connection is assumed to be alive; checking costs a system call.
constexpr Duration kTrusted = milliseconds(500);

}  // namespace

Pool::Pool(Loop& loop, const net::EgressGuard& guard, ClientOptions options,
           std::shared_ptr<const net::TlsClientContext> tls)
    : loop_(loop), guard_(guard), options_(std::move(options)), tls_(std::move(tls)) {}

Pool::~Pool() = default;

Pool::Lease::Lease(Lease&& other) noexcept
    : pool_(std::move(other.pool_)),
      origin_(std::exchange(other.origin_, nullptr)),
      connection_(std::move(other.connection_)) {}

Pool::Lease& Pool::Lease::operator=(Lease&& other) noexcept {
    if (this != &other) {
        drop();
        pool_ = std::move(other.pool_);
        origin_ = std::exchange(other.origin_, nullptr);
        connection_ = std::move(other.connection_);
    }
    return *this;
}

void Pool::Lease::give_back() {
    if (!connection_) return;
    if (pool_->closed_ || connection_->uploading || origin_->idle.size() >= pool_->options_.max_idle_per_origin) {
        drop();
        return;
    }
    connection_->reused = true;
    connection_->idle_since = coarse_now();
    connection_->out.clear();
    origin_->idle.push_back(std::move(connection_));
    connection_ = nullptr;
    if (!pool_->reaper_.armed()) pool_->arm_reaper();
    pool_->released(*std::exchange(origin_, nullptr));
    pool_.reset();
}

void Pool::Lease::drop() noexcept {
    if (!origin_) return;
    if (connection_ && connection_->stream) connection_->stream->close();
    connection_.reset();
    pool_->released(*std::exchange(origin_, nullptr));
    pool_.reset();
}

void Pool::released(Origin& origin) noexcept {
    assert(origin.open > 0);
    --origin.open;
    if (origin.waiting > 0) origin.released.pulse();
}

Pool::Lease Pool::lease_idle(Origin& origin, const net::EgressGuard* rule) {
    Lease lease;
    for (std::size_t i = origin.idle.size(); i-- > 0;) {
        // A connection opened under a laxer rule is not for this request.
        if (rule && !rule->check_address(origin.idle[i]->tcp->peer_address())) continue;
        auto connection = std::move(origin.idle[i]);
        origin.idle.erase(origin.idle.begin() + static_cast<std::ptrdiff_t>(i));
        const Duration idle = coarse_now() - connection->idle_since;
        if (idle >= options_.keep_idle || (idle >= kTrusted && !connection->still_usable())) {
            connection->stream->close();
            continue;
        }
        lease.pool_ = shared_from_this();
        lease.origin_ = &origin;
        lease.connection_ = std::move(connection);
        ++origin.open;
        break;
    }
    return lease;
}

Pool::Lease Pool::try_acquire(const Destination& to) {
    const auto found = origins_.find(to.origin);
    if (found == origins_.end() || (to.egress && !to.egress->check_url(to.url))) return {};
    return lease_idle(found->second, to.egress.get());
}

Task<Result<void>> Pool::acquire(const Context& ctx, const Destination& to, bool fresh, Lease& into) {
    if (closed_) co_return fail(ErrorCode::kInvalidArgument, "the HTTP client is closed");
    if (to.egress) GANTRY_CO_CHECK(to.egress->check_url(to.url));
    Origin& origin = origins_[to.origin];
    for (;;) {
        if (!fresh) {
            into = lease_idle(origin, to.egress.get());
            if (into) co_return Result<void>();
        }
        if (origin.open + origin.idle.size() < options_.max_connections_per_origin) break;
        if (!origin.idle.empty()) {  // none is usable: too old, or not allowed for this request
            origin.idle.front()->stream->close();
            origin.idle.erase(origin.idle.begin());
            continue;
        }
        ++origin.waiting;
        auto waited = co_await origin.released.wait(ctx);
        --origin.waiting;
        if (!waited) co_return fail(std::move(waited).error());
        if (closed_) co_return fail(ErrorCode::kInvalidArgument, "the HTTP client is closed");
    }

    Lease lease;  // counts as open while connecting
    lease.pool_ = shared_from_this();
    lease.origin_ = &origin;
    ++origin.open;
    const Context connecting = ctx.within(options_.connect_timeout);
    const bool told_how = options_.dial || !options_.unix_path.empty();
    auto connection =
        told_how ? co_await dial_as_told(connecting, options_) : co_await dial(connecting, guard_, tls_, to);
    if (!connection) {
        GANTRY_CO_CHECK(ctx.check());
        if (connection.error().code() == ErrorCode::kTimeout) {
            co_return fail(Error(ErrorCode::kConnection, "connecting to " + to.origin + " took too long")
                               .caused_by(std::move(connection).error()));
        }
        co_return fail(connection.error().within(to.origin));
    }
    lease.connection_ = *std::move(connection);
    into = std::move(lease);
    co_return Result<void>();
}

void Pool::close() noexcept {
    closed_ = true;
    reaper_.disarm();
    close_idle();
}

void Pool::close_idle() noexcept {
    for (auto& [name, origin] : origins_) {
        for (const auto& connection : origin.idle) connection->stream->close();
        origin.idle.clear();
        origin.released.pulse();
    }
}

void Pool::arm_reaper() {
    // Runs twice per lifetime: precise enough, without work per request.
    reaper_.arm(
        loop_, Deadline::after(std::max<Duration>(options_.keep_idle / 2, Loop::kSweep)),
        [](void* self) { static_cast<Pool*>(self)->reap(); }, this);
}

void Pool::reap() {
    const TimePoint now = SteadyClock::now();
    bool any = false;
    for (auto it = origins_.begin(); it != origins_.end();) {
        Origin& origin = it->second;
        std::erase_if(origin.idle, [&](const std::shared_ptr<PooledConnection>& connection) {
            const bool stale = now - connection->idle_since >= options_.keep_idle || !connection->still_usable();
            if (stale) connection->stream->close();
            return stale;
        });
        any |= !origin.idle.empty();
        const bool unused = origin.idle.empty() && origin.open == 0 && origin.waiting == 0;
        it = unused ? origins_.erase(it) : std::next(it);
    }
    if (any) arm_reaper();
}

}  // namespace gantry::http
