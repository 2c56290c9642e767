#pragma once

#include <cstddef>
#include <string_view>

#include "io/context.hpp"

namespace gantry::mcp {

class PostLine;

/// One request in flight: a link in its owner's list, stored in the frame of the task that serves it.
struct InFlight {
    std::string_view id;  // as spelt by the client
    CancelSource stop;
    PostLine* line = nullptr;  // over HTTP
    /// Cancelled by the client: no answer is sent.
    bool cancelled = false;
    bool may_cancel = true;

    InFlight* previous = nullptr;
    InFlight* next = nullptr;
};

/// The requests of one client that are in flight.
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
    /// The client cancelled `id`. Unknown ids are ignored.
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

/// RAII membership in the list.
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
