#pragma once

#include <cstddef>
#include <functional>
#include <list>
#include <map>
#include <string>
#include <string_view>

#include "base/clock.hpp"
#include "io/context.hpp"

namespace gantry::http {

/// Memory for request bodies that have not arrived completely, over all connections of a server.
///
/// When it is used up, a body that grows takes the place of one that does not: that of the peer address that holds the
/// most, and of that the one that has been silent the longest. Otherwise the growing one is refused. So clients that
/// begin requests and never finish them cannot keep others from being served, also from the same address.
class BodyBudget {
    struct Peer;

public:
    explicit BodyBudget(std::size_t most) noexcept : most_(most) {}
    BodyBudget(const BodyBudget&) = delete;
    BodyBudget& operator=(const BodyBudget&) = delete;

    /// One body that is being received.
    class Body {
    public:
        /// `stop` is cancelled when the body has to give way.
        Body(BodyBudget& budget, std::string_view peer, CancelSource stop);
        ~Body();
        Body(const Body&) = delete;
        Body& operator=(const Body&) = delete;

        /// The body holds `bytes` now. False: there is no room for that, or it had to give way already.
        bool hold(std::size_t bytes);
        bool evicted() const noexcept { return evicted_; }

    private:
        friend class BodyBudget;
        void release() noexcept;

        BodyBudget& budget_;
        std::map<std::string, Peer, std::less<>>::iterator peer_;
        std::list<Body*>::iterator place_;  // among its peer's bodies
        CancelSource stop_;
        std::size_t bytes_ = 0;
        TimePoint grew_;
        bool evicted_ = false;
    };

    /// Takes effect for what grows from now on.
    void set_most(std::size_t most) noexcept { most_ = most; }
    std::size_t held() const noexcept { return held_; }
    /// True when nearly all of a lot of memory has become free: a good time to give it back to the system. At most once
    /// a second, and twice when all of it is free.
    bool drained() noexcept;

private:
    /// All bodies of one address, the longest silent first.
    struct Peer {
        std::size_t bytes = 0;
        std::list<Body*> bodies = {};
    };

    bool make_room(const Body& growing, std::size_t more);

    std::size_t most_;
    std::size_t held_ = 0;
    std::size_t peak_ = 0;  // since nothing was held
    TimePoint drained_at_ = {};
    bool was_empty_ = false;
    std::map<std::string, Peer, std::less<>> peers_;
};

}  // namespace gantry::http
