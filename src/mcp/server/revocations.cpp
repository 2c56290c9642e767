#include "mcp/server/revocations.hpp"

#include <algorithm>

#include "base/crypto/digest.hpp"
#include "mcp/server/session_id.hpp"

namespace gantry::mcp {

SessionDigest digest_of(std::string_view session_name) {
    const std::string whole = crypto::sha256(session_name);
    SessionDigest digest;
    std::copy_n(whole.begin(), digest.size(), digest.begin());
    return digest;
}

bool RevokedSet::add(const SessionDigest& session, std::int64_t expires) {
    if (contains(session)) return false;
    if (entries_.size() >= most_) make_room(unix_now());
    entries_.emplace(session, expires);
    return true;
}

void RevokedSet::drop_expired(std::int64_t now) {
    std::erase_if(entries_, [&](const auto& entry) { return entry.second <= now; });
}

void RevokedSet::make_room(std::int64_t now) {
    drop_expired(now);
    // Evict several at a time: finding those that expire soonest requires a full scan.
    const std::size_t kept = most_ - std::min(most_, std::max<std::size_t>(most_ / 8, 1));
    if (entries_.size() <= kept) return;
    std::vector<Entries::const_iterator> all;
    all.reserve(entries_.size());
    for (auto entry = entries_.cbegin(); entry != entries_.cend(); ++entry) all.push_back(entry);
    const auto enough = all.begin() + static_cast<std::ptrdiff_t>(entries_.size() - kept);
    std::nth_element(all.begin(), enough, all.end(), [](auto a, auto b) { return a->second < b->second; });
    lost_ += static_cast<std::size_t>(enough - all.begin());
    std::for_each(all.begin(), enough, [&](auto entry) { entries_.erase(entry); });
}

}  // namespace gantry::mcp
