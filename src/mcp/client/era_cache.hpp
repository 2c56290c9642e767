#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>

#include "base/clock.hpp"
#include "gantry/mcp/revision.hpp"

namespace gantry::mcp {

/// Remembers which era a server turned out to speak, so that not every connect pays for a probe.
///
/// Dated, because a stale legacy verdict works silently for ever: after a day the server is probed
/// again. A verdict that turns out wrong is forgotten at once. One loop only.
class EraCache {
public:
    static constexpr Duration kFresh = std::chrono::hours(24);
    using Now = std::function<TimePoint()>;

    explicit EraCache(Now now = [] { return SteadyClock::now(); }) : now_(std::move(now)) {}

    /// The revision a modern server speaks, any legacy one for a legacy server; empty when unknown or old.
    std::optional<Revision> find(const std::string& server) {
        const auto found = verdicts_.find(server);
        if (found == verdicts_.end()) return std::nullopt;
        if (now_() - found->second.at >= kFresh) {
            verdicts_.erase(found);
            return std::nullopt;
        }
        return found->second.revision;
    }
    void remember(const std::string& server, Revision revision) { verdicts_[server] = {revision, now_()}; }
    void forget(const std::string& server) { verdicts_.erase(server); }

private:
    struct Verdict {
        Revision revision;
        TimePoint at;
    };
    Now now_;
    std::map<std::string, Verdict> verdicts_;
};

}  // namespace gantry::mcp
