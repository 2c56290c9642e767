#pragma once

#include <cstddef>
#include <vector>

namespace gantry::gateway {

/// Max-min fair division of `limit` places: a source that wants less than an equal share gets all it wants, and the
/// rest is divided among the others. Only the largest are cut, to the same size (the first ones by one more where it
/// does not divide evenly). Results are in the order of `wanted`.
std::vector<std::size_t> fair_shares(const std::vector<std::size_t>& wanted, std::size_t limit);

}  // namespace gantry::gateway
