#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "gantry/mcp/revision.hpp"

namespace gantry::mcp {

/// Caches the era of each server, so that not every connect has to probe.
///
/// Entries expire after a day, because a stale legacy verdict would silently work indefinitely. A verdict that proves
/// wrong is dropped at once. Holds at most kMaxKept entries; the oldest is evicted. Single loop.
class EraCache {
public:
    using Clock = std::chrono::system_clock;  // wall-clock time is meaningful to other processes
    using Now = std::function<Clock::time_point()>;
    static constexpr Clock::duration kFresh = std::chrono::hours(24);
    static constexpr std::size_t kMaxKept = 500;

    explicit EraCache(Now now = [] { return Clock::now(); }) : now_(std::move(now)) {}

    /// The revision of a modern server, any legacy one for a legacy server; empty if unknown or expired.
    std::optional<Revision> find(const std::string& server) const;
    void remember(const std::string& server, Revision revision);
    void forget(const std::string& server);

    /// Serialized for other processes: JSON, servers under the names given here.
    std::string text() const;
    /// Merges entries written by another process; the newer verdict of each server wins. Invalid text is ignored.
    void merge(std::string_view text);
    /// Merges what `later` learned: new verdicts, and verdicts it found to be wrong.
    void merge(const EraCache& later);
    /// Whether there are changes since written().
    bool changed() const noexcept { return changed_; }
    void written() noexcept {
        changed_ = false;
        forgotten_.clear();
    }

private:
    struct Verdict {
        Revision revision;
        Clock::time_point at;
    };
    bool counts(const Verdict& verdict) const;
    void keep(const std::string& server, Verdict verdict);

    Now now_;
    std::map<std::string, Verdict> verdicts_;
    std::set<std::string> forgotten_;
    bool changed_ = false;
};

}  // namespace gantry::mcp
