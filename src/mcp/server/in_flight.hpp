#pragma once

#include <cstddef>
#include <string_view>

#include "io/context.hpp"

namespace gantry::mcp {

class PostLine;

/// One request being served: a link of its owner's list, living in the frame of the task that serves it.
struct InFlight {
    std::string_view id;  // as it is spelt
    CancelSource stop;
    PostLine* line = nullptr;  // over HTTP
    /// The client itself took the request back: it wants no answer.
    bool cancelled = false;
    bool may_cancel = true;

    InFlight* previous = nullptr;
    InFlight* next = nullptr;
};

/// The requests of one client that are being served.
class CallList {
public:
    CallList() = default;
    CallList(const CallList&) = delete;
    CallList& operator=(const CallList&) = delete;

    void add(InFlight& call) noexcept {
        call.next = first_;
        if (first_ != nullptr) first_->previous = &call;
        first_ = &call;
        ++size_;
    }
    void remove(InFlight& call) noexcept {
        if (call.next != nullptr) call.next->previous = call.previous;
        (call.previous != nullptr ? call.previous->next : first_) = call.next;
        --size_;
    }
    InFlight* find(std::string_view id) const noexcept {
        for (InFlight* call = first_; call != nullptr; call = call->next) {
            if (call->id == id) return call;
        }
        return nullptr;
    }
    template <class Wanted>
    InFlight* find_if(Wanted wanted) const {
        for (InFlight* call = first_; call != nullptr; call = call->next) {
            if (wanted(*call)) return call;
        }
        return nullptr;
    }
    /// The client no longer wants the answer to `id`. Unknown ids are ignored.
    void cancel(std::string_view id) {
        InFlight* call = find(id);
        if (call == nullptr || !call->may_cancel) return;
        call->cancelled = true;
        call->stop.cancel();
    }
    void cancel_all() {
        for (InFlight* call = first_; call != nullptr; call = call->next) call->stop.cancel();
    }
    std::size_t size() const noexcept { return size_; }
    bool empty() const noexcept { return first_ == nullptr; }

private:
    InFlight* first_ = nullptr;
    std::size_t size_ = 0;
};

/// In the list for as long as it lives.
class Listed {
public:
    Listed(CallList& list, InFlight& call) noexcept : list_(list), call_(call) { list_.add(call_); }
    ~Listed() { list_.remove(call_); }
    Listed(const Listed&) = delete;
    Listed& operator=(const Listed&) = delete;

private:
    CallList& list_;
    InFlight& call_;
};

}  // namespace gantry::mcp
