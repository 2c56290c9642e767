#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>

#include "gateway/sources/mcp/connection_sharing.hpp"
#include "gateway/sources/mcp/idleness.hpp"
#include "gateway/sources/mcp/lanes.hpp"
#include "io/scope.hpp"

namespace gantry::gateway {

/// Lists that depend on the caller: what a legacy server offers only to clients that declare certain capabilities, and
/// what it offers on one client's own connection after a change. The common lists are SourceLists'.
class AudienceLists {
public:
    /// All references must outlive it; its tasks run in `scope`.
    struct Parts {
        const McpServerSpec& spec;
        const McpSourceOptions& options;
        SourceStatus& status;
        Scope& scope;
        Idleness& idleness;
        const SharedConnection& connection;
        const SourceLists& lists;
        ConnectionSharing& sharing;
        std::shared_ptr<Lanes> lanes;
        /// Waits until the server can be called.
        std::function<Task<Result<void>>(const Context& ctx)> ready;
    };
    explicit AudienceLists(Parts parts) : parts_(std::move(parts)) {}

    /// False: find() returns null for all callers.
    bool varies() const noexcept { return varies_; }
    /// See Source::inventory_for(), is_surveyed(), survey().
    InventoryPtr find(const Audience& audience) const;
    bool is_surveyed(const Audience& audience) const;
    Task<void> survey(const Context& ctx, const Audience& audience);

    /// What clients of that key are offered until their lane reports lists of its own.
    InventoryPtr offered_to(const LaneKey& key) const;
    /// The call's item if only some of the caller's lanes may offer it; null if all of them do.
    ItemPtr bound_item(const AdmittedCall& call, const LaneKey& key) const;
    /// Reads the lists of one lane; `before` is null the first time.
    Task<Result<InventoryPtr>> read_lane(const Context& ctx, mcp::Client& client, const LaneKey& key,
                                         InventoryPtr before, Kinds kinds);

    /// The common lists changed: variants are differences from them.
    void on_new_inventory();
    /// The server announced changed lists: variants are read again for the next client that lists.
    void on_announcement();
    /// A lane has another inventory, or none any more.
    void on_lane_change();
    /// The server opens no legacy sessions, or none in which it could ask questions.
    void note_modern_only();

private:
    /// What the server offers clients that declare one set of capabilities, where it differs from what it offers to
    /// all.
    struct Variant {
        InventoryPtr inventory;  // null: no difference
        bool known = false;
        bool stale = false;  // to be read again for the next client that lists
        bool reading = false;
        TimePoint retry_at = {};  // after a failure
    };

    Task<void> read_variant(LaneKey key, ForwardedCapabilitiesPtr forwarded);
    void note_variation();

    Parts parts_;
    std::map<std::string, Variant> variants_;  // by ForwardedCapabilities::offered_text
    bool varies_ = false;
};

}  // namespace gantry::gateway
