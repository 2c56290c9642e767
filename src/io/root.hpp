#pragma once

#include <coroutine>
#include <exception>

#include "io/ready.hpp"

namespace gantry {

class Loop;
class RootList;

/// A detached coroutine owned by the loop: calling it queues it for the next turn; it is destroyed when it ends or
/// with the loop. Its first parameter is the loop; the others are taken by value. An exception that escapes
/// terminates the process.
///
/// Internal to io: all other code spawns into a Scope, which waits for the end.
class Root {
public:
    class promise_type final : public Ready {
    public:
        template <class... Parameters>
        explicit promise_type(Loop& loop, const Parameters&...) : Ready(&begin) {
            enlist(loop);
        }
        ~promise_type();

        Root get_return_object() const noexcept { return {}; }
        std::suspend_always initial_suspend() const noexcept { return {}; }
        std::suspend_never final_suspend() const noexcept { return {}; }
        void return_void() const noexcept {}
        void unhandled_exception() const noexcept { std::terminate(); }

    private:
        friend class RootList;
        void enlist(Loop& loop);
        static void begin(Ready& self);

        promise_type* previous_ = nullptr;
        promise_type* next_ = nullptr;
        RootList* list_ = nullptr;
    };
};

/// The roots of one loop.
class RootList {
public:
    void add(Root::promise_type& root) noexcept;
    void remove(Root::promise_type& root) noexcept;
    /// Destroys them all while suspended.
    void destroy_all();

private:
    Root::promise_type* first_ = nullptr;
};

}  // namespace gantry
