#include "io/root.hpp"

#include "io/loop_impl.hpp"

namespace gantry {

Root::promise_type::~promise_type() {
    list_->remove(*this);
}

void Root::promise_type::enlist(Loop& loop) {
    Loop::Impl& impl = loop.impl();
    list_ = &impl.roots;
    list_->add(*this);
    impl.ready.push(*this);
}

void Root::promise_type::begin(Ready& self) {
    std::coroutine_handle<promise_type>::from_promise(static_cast<promise_type&>(self)).resume();
}

void RootList::add(Root::promise_type& root) noexcept {
    root.next_ = first_;
    if (first_) first_->previous_ = &root;
    first_ = &root;
}

void RootList::remove(Root::promise_type& root) noexcept {
    if (root.next_) root.next_->previous_ = root.previous_;
    (root.previous_ ? root.previous_->next_ : first_) = root.next_;
}

void RootList::destroy_all() {
    while (first_) std::coroutine_handle<Root::promise_type>::from_promise(*first_).destroy();
}

}  // namespace gantry
