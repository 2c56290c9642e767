#pragma once

#include <cstddef>

namespace gantry {

/// One more, for as long as this lives.
class Counted {
public:
    explicit Counted(std::size_t& count) noexcept : count_(count) { ++count_; }
    ~Counted() { --count_; }
    Counted(const Counted&) = delete;
    Counted& operator=(const Counted&) = delete;

private:
    std::size_t& count_;
};

}  // namespace gantry
