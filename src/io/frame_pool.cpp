#include "io/frame_pool.hpp"

#include <utility>

namespace gantry {
namespace {

constinit thread_local FramePool* in_use = nullptr;

}  // namespace

FramePool::Use::Use(FramePool* pool) noexcept : outer_(std::exchange(in_use, pool)) {}

FramePool::Use::~Use() {
    in_use = outer_;
}

FramePool::~FramePool() {
    for (std::size_t i = 0; i < kClasses; ++i) {
        while (Spare* spare = classes_[i].first) {
            classes_[i].first = spare->next;
            ::operator delete(spare, kSmall + kStep * (i + 1));
        }
    }
}

void* FramePool::take_pooled(std::size_t size) {
    if (in_use != nullptr) {
        Class& spares = in_use->classes_[class_of(size)];
        if (Spare* spare = spares.first) {
            spares.first = spare->next;
            --spares.count;
            return spare;
        }
    }
    return ::operator new(room_of(size));
}

void FramePool::give_pooled(void* frame, std::size_t size) noexcept {
    if (in_use != nullptr) {
        Class& spares = in_use->classes_[class_of(size)];
        if (spares.count < kKept) {
            spares.first = new (frame) Spare{spares.first};
            ++spares.count;
            return;
        }
    }
    ::operator delete(frame, room_of(size));
}

}  // namespace gantry
