#include "io/net/resolver.hpp"

#include <netdb.h>
#include <signal.h>

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <system_error>
#include <thread>

#include "base/try.hpp"
#include "io/loop_impl.hpp"
#include "io/net/address.hpp"
#include "io/net/socket.hpp"
#include "io/waiter.hpp"

namespace gantry::net {

namespace {

constexpr std::size_t kMaxAddresses = 32;

struct Found {
    int status = 0;
    std::vector<Endpoint> endpoints;
};

/// Blocks for as long as the name service takes.
Found look_up(const std::string& host, std::uint16_t port, int flags) {
    addrinfo hints{};
    hints.ai_socktype = SOCK_STREAM;
    hints.ai_flags = flags;
    addrinfo* list = nullptr;
    Found found{.status = ::getaddrinfo(host.c_str(), nullptr, &hints, &list), .endpoints = {}};
    const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> owner(list, ::freeaddrinfo);
    if (found.status != 0) return found;
    for (const addrinfo* entry = list; entry && found.endpoints.size() < kMaxAddresses; entry = entry->ai_next) {
        std::string address = text_of(entry->ai_addr);
        const auto same = [&](const Endpoint& known) { return known.address == address; };
        if (address.empty() || std::ranges::any_of(found.endpoints, same)) continue;
        found.endpoints.push_back({std::move(address), port});
    }
    return found;
}

/// Threads for lookups, which block and cannot be interrupted. Several, so that one hanging name server does not block
/// other names; bounded, and none before the first name. Lives as long as the process, whose exit does not wait for it.
class Lookups {
public:
    using Job = std::move_only_function<void()>;

    static Lookups& instance() {
        static auto* const all = new Lookups;  // never destroyed: its threads may be in the middle of a lookup
        return *all;
    }

    /// False if no thread is available.
    bool run(Job job) {
        const std::lock_guard lock(mutex_);
        if (idle_ <= jobs_.size() && threads_ < kThreads) add_thread();
        if (threads_ == 0) return false;
        jobs_.push_back(std::move(job));
        wake_.notify_one();
        return true;
    }

private:
    static constexpr std::size_t kThreads = 4;

    void add_thread() {
        // Signals are left to the program's own threads.
        sigset_t all, before;
        sigfillset(&all);
        ::pthread_sigmask(SIG_SETMASK, &all, &before);
        try {
            std::thread([this] { work(); }).detach();
            ++threads_;
        } catch (const std::system_error&) {
            // The existing threads handle it.
        }
        ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
    }

    void work() {
        std::unique_lock lock(mutex_);
        for (;;) {
            ++idle_;
            wake_.wait(lock, [this] { return !jobs_.empty(); });
            --idle_;
            Job job = std::move(jobs_.front());
            jobs_.pop_front();
            lock.unlock();
            job();
            job = nullptr;
            lock.lock();
        }
    }

    std::mutex mutex_;
    std::condition_variable wake_;
    std::deque<Job> jobs_;
    std::size_t idle_ = 0;
    std::size_t threads_ = 0;
};

/// Shared by the waiting task and its lookup: the task may have given up when the answer arrives. Accessed on the
/// loop's thread only.
struct Lookup {
    Waiter* waiter = nullptr;
    Found found;
};

bool start(Loop& loop, const std::shared_ptr<Lookup>& lookup, std::string host, std::uint16_t port) {
    return Lookups::instance().run([mailbox = loop.impl().mailbox, lookup, host = std::move(host), port] {
        mailbox->post([lookup, found = look_up(host, port, 0)]() mutable {
            if (!lookup->waiter) return;
            lookup->found = std::move(found);
            lookup->waiter->wake(Wake::kReady);
        });
    });
}

}  // namespace

Task<Result<std::vector<Endpoint>>> resolve_host(const Context& ctx, std::string host, std::uint16_t port) {
    GANTRY_CO_CHECK(ctx.check());
    if (host.empty() || host.size() > 255 || host.find('\0') != std::string::npos) {
        co_return fail(ErrorCode::kInvalidArgument, "not a host name");
    }
    Found found;
    if (Address::parse(host)) {
        found = look_up(host, port, AI_NUMERICHOST);
    } else {
        Loop& loop = Loop::current();
        const Loop::Busy busy(loop);
        const auto lookup = std::make_shared<Lookup>();
        Waiter waiter(loop);
        waiter.watch(ctx);
        lookup->waiter = &waiter;
        struct Leave {
            Lookup& lookup;
            ~Leave() { lookup.waiter = nullptr; }
        } leave{*lookup};
        if (!start(loop, lookup, host, port)) {
            co_return fail(ErrorCode::kConnection, "resolve " + host + ": no thread left to do it");
        }
        co_await waiter.park();
        if (auto waited = waiter.result(); !waited) co_return fail(waited.error().within("resolve " + host));
        found = std::move(lookup->found);
    }
    if (found.status != 0) {
        co_return fail(ErrorCode::kConnection, "resolve " + host + ": " + ::gai_strerror(found.status));
    }
    if (found.endpoints.empty()) co_return fail(ErrorCode::kConnection, "resolve " + host + ": no address");
    co_return std::move(found.endpoints);
}

}  // namespace gantry::net
