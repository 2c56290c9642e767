#pragma once

#include <array>
#include <cstddef>
#include <new>

namespace gantry {

/// Recycles the memory of coroutine frames by size class while a loop runs on this thread.
///
/// Allocators are fast up to a kilobyte, and the frames of the call path are a little larger. Smaller and much larger
/// frames, and all frames outside a running loop, come from the allocator. A frame may be allocated on one thread and
/// freed on another.
class FramePool {
public:
    FramePool() noexcept = default;
    ~FramePool();
    FramePool(const FramePool&) = delete;
    FramePool& operator=(const FramePool&) = delete;

    static void* take(std::size_t size) { return pooled(size) ? take_pooled(size) : ::operator new(size); }
    static void give(void* frame, std::size_t size) noexcept {
        if (pooled(size)) {
            give_pooled(frame, size);
        } else {
            ::operator delete(frame, size);
        }
    }

    /// RAII: makes `pool` serve this thread.
    class Use {
    public:
        explicit Use(FramePool* pool) noexcept;
        ~Use();
        Use(const Use&) = delete;
        Use& operator=(const Use&) = delete;

    private:
        FramePool* outer_;
    };

private:
    static constexpr std::size_t kSmall = 1024;
    static constexpr std::size_t kStep = 256;
    static constexpr std::size_t kClasses = 12;
    /// Per size class; a burst beyond it is freed to the allocator.
    static constexpr std::size_t kKept = 64;

    // With a sanitizer every frame comes from the allocator, so that use after free is detected.
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
    static constexpr bool kOn = false;
#else
    static constexpr bool kOn = true;
#endif
#else
    static constexpr bool kOn = true;
#endif

    static constexpr bool pooled(std::size_t size) noexcept {
        return kOn && size > kSmall && size <= kSmall + kStep * kClasses;
    }
    static constexpr std::size_t class_of(std::size_t size) noexcept { return (size - kSmall - 1) / kStep; }
    static constexpr std::size_t room_of(std::size_t size) noexcept { return kSmall + kStep * (class_of(size) + 1); }
    static void* take_pooled(std::size_t size);
    static void give_pooled(void* frame, std::size_t size) noexcept;

    struct Spare {
        Spare* next;
    };
    struct Class {
        Spare* first = nullptr;
        std::size_t count = 0;
    };
    std::array<Class, kClasses> classes_{};
};

}  // namespace gantry
