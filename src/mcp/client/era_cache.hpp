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

/// Remembers which era a server turned out to speak, so that not every connect pays for a probe.
///
/// Dated, because a stale legacy verdict works silently for ever: after a day the server is probed
/// again. A verdict that turns out wrong is forgotten at once. Holds at most kMaxKept; the oldest makes room.
/// One loop only.
class EraCache {
public:
    using Clock = std::chrono::system_clock;  // dates mean something to other processes too
    using Now = std::function<Clock::time_point()>;
    static constexpr Clock::duration kFresh = std::chrono::hours(24);
    static constexpr std::size_t kMaxKept = 500;

    explicit EraCache(Now now = [] { return Clock::now(); }) : now_(std::move(now)) {}

    /// The revision a modern server speaks, any legacy one for a legacy server; empty when unknown or old.
    std::optional<Revision> find(const std::string& server) const;
    void remember(const std::string& server, Revision revision);
    void forget(const std::string& server);

    /// As text for other processes: JSON, the servers by the names given here.
    std::string text() const;
    /// Adds what another process wrote, the newer verdict of each server. Text that cannot be read is ignored.
    void merge(std::string_view text);
    /// Adds what `later` learned: its verdicts, and what it found to be wrong.
    void merge(const EraCache& later);
    /// Whether there is anything to write down since written().
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
