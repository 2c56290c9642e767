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

/// Memory budget for incomplete request bodies, across all connections of a server.
///
/// When it is exhausted, a growing body evicts one that does not grow: of the peer address that holds the most, the
/// one idle for longest. If there is none, the growing body is rejected. So clients that start requests and never
/// finish them cannot keep others from being served, even from the same address.
class BodyBudget {
    struct Peer;

public:
    explicit BodyBudget(std::size_t most) noexcept : most_(most) {}
    BodyBudget(const BodyBudget&) = delete;
    BodyBudget& operator=(const BodyBudget&) = delete;

    /// One body being received.
    class Body {
    public:
        /// `stop` is cancelled when the body is evicted.
        Body(BodyBudget& budget, std::string_view peer, CancelSource stop);
        ~Body();
        Body(const Body&) = delete;
        Body& operator=(const Body&) = delete;

        /// Sets the body's size to `bytes`. False: there is no room for it, or it was evicted.
        bool hold(std::size_t bytes);
        bool evicted() const noexcept { return evicted_; }

    private:
        friend class BodyBudget;
        void release() noexcept;

        BodyBudget& budget_;
        std::map<std::string, Peer, std::less<>>::iterator peer_;
        std::list<Body*>::iterator place_;  // in its peer's list
        CancelSource stop_;
        std::size_t bytes_ = 0;
        TimePoint grew_;
        bool evicted_ = false;
    };

    /// Applies to bodies that grow from now on.
    void set_most(std::size_t most) noexcept { most_ = most; }
    std::size_t held() const noexcept { return held_; }
    /// True once most of a large amount of memory has been freed: a good time to return it to the system. At most once
    /// per second, and a second time when all of it is free.
    bool drained() noexcept;

private:
    /// All bodies of one address, idle for longest first.
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
