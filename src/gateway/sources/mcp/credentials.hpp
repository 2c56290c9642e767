#pragma once

#include <cstdint>
#include <memory>

#include "gateway/sources/mcp/lanes.hpp"
#include "gateway/sources/mcp/shared_connection.hpp"
#include "gateway/sources/mcp/source_lists.hpp"
#include "gateway/sources/mcp/upstream.hpp"

namespace gantry::gateway {

/// Renews a server's credentials: when it rejects them, the configuration's references are resolved again, because the
/// secret may have been rotated.
class Credentials {
public:
    /// All references must outlive it.
    Credentials(const McpServerSpec& spec, Upstream& upstream, const SourceStatus& status, SharedConnection& connection,
                SourceLists& lists, std::shared_ptr<Lanes> lanes)
        : spec_(spec),
          upstream_(upstream),
          status_(status),
          connection_(connection),
          lists_(lists),
          lanes_(std::move(lanes)) {}

    /// Number of changes so far.
    std::uint64_t changes() const noexcept { return changes_; }

    /// They were refused; `seen` is what changes() was when they were used. True: there are others now, and the next
    /// connection has them.
    Task<bool> renew(const Context& ctx, std::uint64_t seen);

private:
    const McpServerSpec& spec_;
    Upstream& upstream_;
    const SourceStatus& status_;
    SharedConnection& connection_;
    SourceLists& lists_;
    std::shared_ptr<Lanes> lanes_;
    std::uint64_t changes_ = 0;
    TimePoint looked_up_ = {};
    AsyncMutex looking_up_;
};

}  // namespace gantry::gateway
