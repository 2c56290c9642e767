#include "gateway/catalog/shares.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

namespace gantry::gateway {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(FairShares, EverythingFitsWhereThereIsRoom) {
    EXPECT_THAT(fair_shares({3, 0, 5}, 8), ElementsAre(3, 0, 5));
    EXPECT_THAT(fair_shares({3, 0, 5}, 100), ElementsAre(3, 0, 5));
    EXPECT_THAT(fair_shares({}, 5), IsEmpty());
}

TEST(FairShares, SmallOnesFitWholeWhereverTheyStand) {
    EXPECT_THAT(fair_shares({100'000, 20, 3}, 100'000), ElementsAre(99'977, 20, 3));
    EXPECT_THAT(fair_shares({3, 20, 100'000}, 100'000), ElementsAre(3, 20, 99'977));
}

TEST(FairShares, TheLargestAreCutToTheSameSize) {
    EXPECT_THAT(fair_shares({50, 5, 40}, 25), ElementsAre(10, 5, 10));
    EXPECT_THAT(fair_shares({7, 7, 7}, 8), ElementsAre(3, 3, 2));
    EXPECT_THAT(fair_shares({7, 7, 7}, 2), ElementsAre(1, 1, 0));
    EXPECT_THAT(fair_shares({7, 7}, 0), ElementsAre(0, 0));
}

TEST(FairShares, NothingIsWastedAndNothingExceedsTheLimit) {
    std::vector<std::size_t> wanted;
    for (std::size_t i = 0; i < 200; ++i) wanted.push_back((i * 7919) % 501);
    for (const std::size_t limit : {1uz, 99uz, 1'000uz, 17'003uz}) {
        const auto shares = fair_shares(wanted, limit);
        EXPECT_EQ(std::accumulate(shares.begin(), shares.end(), 0uz), limit);
        for (std::size_t i = 0; i < shares.size(); ++i) EXPECT_LE(shares[i], wanted[i]);
    }
}

}  // namespace
}  // namespace gantry::gateway
