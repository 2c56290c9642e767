#pragma once

#include <cstddef>

namespace gantry {

/// RAII: increases a counter by one, or by `amount`, for its lifetime.
class Counted {
public:
    explicit Counted(std::size_t& count, std::size_t amount = 1) noexcept : count_(count), amount_(amount) {
        count_ += amount_;
    }
    ~Counted() { count_ -= amount_; }
    Counted(const Counted&) = delete;
    Counted& operator=(const Counted&) = delete;

private:
    std::size_t& count_;
    std::size_t amount_;
};

}  // namespace gantry
