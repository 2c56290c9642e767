#include "gateway/catalog/shares.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace gantry::gateway {

std::vector<std::size_t> fair_shares(const std::vector<std::size_t>& wanted, std::size_t limit) {
    std::vector<std::size_t> by_size(wanted.size());
    std::iota(by_size.begin(), by_size.end(), std::size_t{0});
    std::ranges::sort(by_size, {}, [&wanted](std::size_t i) { return std::pair(wanted[i], i); });

    std::vector<std::size_t> shares = wanted;
    std::size_t left = limit;
    for (std::size_t n = 0; n < by_size.size(); ++n) {
        const std::size_t others = by_size.size() - n;
        const std::size_t equal = left / others;
        if (wanted[by_size[n]] <= equal) {
            left -= wanted[by_size[n]];
            continue;
        }
        // All remaining ones want more than an equal part of what is left.
        std::vector<std::size_t> cut(by_size.begin() + static_cast<std::ptrdiff_t>(n), by_size.end());
        std::ranges::sort(cut);
        for (std::size_t i = 0; i < cut.size(); ++i) shares[cut[i]] = equal + (i < left % others ? 1 : 0);
        break;
    }
    return shares;
}

}  // namespace gantry::gateway
