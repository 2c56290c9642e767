#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_map>

#include "gateway/model/resilience.hpp"

namespace gantry::gateway {

/// Token bucket: refills at `per_second` up to `burst`; each call takes one token.
class TokenBucket {
public:
    TokenBucket(const Rate& rate, TimePoint now) noexcept : rate_(rate), tokens_(rate.burst), at_(now) {}

    /// Zero when a token is available, otherwise the time until one is.
    Duration wait(TimePoint now) noexcept {
        tokens_ = tokens(now);
        at_ = std::max(at_, now);
        if (tokens_ >= 1) return Duration::zero();
        const double missing = (1 - tokens_) / rate_.per_second;
        return std::chrono::duration_cast<Duration>(std::chrono::duration<double>(missing)) + Duration(1);
    }
    /// Precondition: wait() returned zero.
    void take() noexcept { tokens_ -= 1; }
    bool full(TimePoint now) const noexcept { return tokens(now) >= rate_.burst; }

private:
    double tokens(TimePoint now) const noexcept {
        if (now <= at_) return tokens_;
        return std::min(rate_.burst, tokens_ + rate_.per_second * std::chrono::duration<double>(now - at_).count());
    }

    Rate rate_;
    double tokens_;
    TimePoint at_;
};

/// One bucket per name. Only buckets in use are stored: a full one is equivalent to a new one.
class BucketTable {
public:
    explicit BucketTable(std::size_t most = 10'000) : most_(most) {}

    /// The name's bucket, created full; null when the table is full of buckets in use.
    TokenBucket* of(std::string_view name, const Rate& rate, TimePoint now);
    void clear() noexcept { buckets_.clear(); }
    std::size_t size() const noexcept { return buckets_.size(); }

private:
    struct Hash {
        using is_transparent = void;
        std::size_t operator()(std::string_view text) const noexcept { return std::hash<std::string_view>()(text); }
    };
    std::size_t most_;
    std::unordered_map<std::string, TokenBucket, Hash, std::equal_to<>> buckets_;
};

}  // namespace gantry::gateway
