#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace gantry::schema {

/// A set of small numbers.
class Bits {
public:
    void set(std::size_t i) {
        if (i < 64) {
            first_ |= std::uint64_t{1} << i;
            return;
        }
        const std::size_t word = i / 64 - 1;
        if (rest_.size() <= word) rest_.resize(word + 1);
        rest_[word] |= std::uint64_t{1} << (i % 64);
    }
    bool has(std::size_t i) const {
        if (i < 64) return ((first_ >> i) & 1) != 0;
        const std::size_t word = i / 64 - 1;
        return word < rest_.size() && ((rest_[word] >> (i % 64)) & 1) != 0;
    }
    void merge(const Bits& other) {
        first_ |= other.first_;
        if (rest_.size() < other.rest_.size()) rest_.resize(other.rest_.size());
        for (std::size_t i = 0; i < other.rest_.size(); ++i) rest_[i] |= other.rest_[i];
    }
    std::size_t words() const noexcept { return rest_.size() + 1; }

private:
    std::uint64_t first_ = 0;
    std::vector<std::uint64_t> rest_;
};

/// The members or elements of one value that a schema has evaluated successfully, for
/// unevaluatedProperties and unevaluatedItems.
struct Evaluated {
    Bits places;            ///< of members, or of elements found by `contains`
    std::size_t first = 0;  ///< this many elements from the front
    bool all = false;

    bool has(std::size_t i) const { return all || i < first || places.has(i); }
    void merge(const Evaluated& other) {
        places.merge(other.places);
        first = std::max(first, other.first);
        all = all || other.all;
    }
};

}  // namespace gantry::schema
