#pragma once

#include <cstdint>
#include <utility>

namespace gantry {

/// Base of objects counted by LocalPtr.
class LocalCounted {
public:
    LocalCounted() noexcept = default;
    LocalCounted(const LocalCounted&) = delete;
    LocalCounted& operator=(const LocalCounted&) = delete;

private:
    template <class T>
    friend class LocalPtr;
    mutable std::uint32_t holders_ = 0;
};

/// A shared pointer for one thread. std::shared_ptr counts with locked instructions once a process has a second
/// thread, some six nanoseconds each; objects that belong to one loop and are passed with every call avoid that cost.
///
/// All copies of one pointer must live on one thread, or be handed over together.
template <class T>
class LocalPtr {
public:
    LocalPtr() noexcept = default;
    /// Shares `object`, which must be allocated with new and derive from LocalCounted.
    explicit LocalPtr(T* object) noexcept : object_(object) { hold(); }
    LocalPtr(const LocalPtr& other) noexcept : object_(other.object_) { hold(); }
    LocalPtr(LocalPtr&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
    LocalPtr& operator=(LocalPtr other) noexcept {
        std::swap(object_, other.object_);
        return *this;
    }
    ~LocalPtr() { let_go(); }

    void reset() noexcept { LocalPtr().swap(*this); }
    void swap(LocalPtr& other) noexcept { std::swap(object_, other.object_); }

    T* get() const noexcept { return object_; }
    T& operator*() const noexcept { return *object_; }
    T* operator->() const noexcept { return object_; }
    explicit operator bool() const noexcept { return object_ != nullptr; }

private:
    void hold() noexcept {
        if (object_) ++object_->holders_;
    }
    void let_go() noexcept {
        if (object_ && --object_->holders_ == 0) delete object_;
    }

    T* object_ = nullptr;
};

template <class T, class... Arguments>
LocalPtr<T> make_local(Arguments&&... arguments) {
    return LocalPtr<T>(new T(std::forward<Arguments>(arguments)...));
}

}  // namespace gantry
