#include "gateway/resilience/token_bucket.hpp"

namespace gantry::gateway {

TokenBucket* BucketTable::of(std::string_view name, const Rate& rate, TimePoint now) {
    const auto found = buckets_.find(name);
    if (found != buckets_.end()) return &found->second;
    if (buckets_.size() >= most_) {
        std::erase_if(buckets_, [now](const auto& entry) { return entry.second.full(now); });
        if (buckets_.size() >= most_) return nullptr;
    }
    return &buckets_.emplace(std::string(name), TokenBucket(rate, now)).first->second;
}

}  // namespace gantry::gateway
