#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "gateway/sources/mcp/inventory.hpp"
#include "gateway/sources/mcp/link.hpp"
#include "gateway/sources/mcp/source_status.hpp"
#include "mcp/client/settings.hpp"

namespace gantry::gateway {

/// The lists of a source's shared connection: which of them are stale, when they are read, what they contain, and the
/// copy that is stored for the next run. On the loop.
class SourceLists {
public:
    /// All references must outlive it.
    SourceLists(const McpServerSpec& spec, const McpSourceOptions& options, const SourceStatus& status);

    /// Never null.
    const InventoryPtr& inventory() const noexcept { return inventory_; }
    /// Entries that were unusable at the last reading, as readable text.
    const std::vector<std::string>& problems() const noexcept { return problems_; }
    /// For the operator of a ready server: the lists that could not be read.
    std::string trouble() const;

    // What there is to read.

    void mark_stale(Kinds kinds) { stale_ |= kinds; }
    /// The server announced that these changed; the announcement is passed on once they have been read.
    void announce(Kinds kinds) { announced_ |= kinds; }
    bool stale() const noexcept { return stale_.any(); }
    /// A new connection: everything is stale, and there is no reason to wait.
    void on_connected();
    void on_closed() noexcept { read_here_ = 0; }
    /// Skips the pause before the next reading.
    void read_now();
    /// The lists have been read on this connection.
    bool read_here() const noexcept { return read_here_ > 0; }

    /// Readings begun so far.
    std::uint64_t begun() const noexcept { return begun_; }
    /// A reading that began after that number had is finished.
    bool finished_after(std::uint64_t begun) const noexcept { return newest_ > begun; }

    /// One reading of what was stale when it began.
    struct Reading {
        std::uint64_t number = 0;
        Kinds kinds = {};
        Kinds announced = {};
        InventoryPtr inventory = {};  // null: the server was not reached
        bool refused = false;         // a list, because of our credentials
        bool cut = false;             // a list was too long
        std::vector<std::string> problems = {};
        std::array<std::string, kItemKinds> failed = {};  // why a list is missing or truncated, by kind
    };
    /// Waits so that changes that arrive together are one reading, and a server with long lists is not read all the
    /// time. False: the context ended.
    Task<bool> pause(const Context& ctx);
    Task<Reading> read(const Context& ctx, Link& link, bool mirrors_headers);
    /// The server was not reached: the lists are still stale when it is back.
    void put_back(const Reading& reading);
    /// Takes what a finished reading says about the lists, except the inventory.
    void accept(Reading& reading);

    /// True: it differs from the previous one.
    bool replace(InventoryPtr inventory);
    /// A source that is down or stopped offers nothing.
    static InventoryPtr nothing();

    /// The stored inventory of an earlier run; null: there is none.
    InventoryPtr recall() const;
    void remember() const;

private:
    const McpServerSpec& spec_;
    const McpSourceOptions& options_;
    const SourceStatus& status_;
    InventoryPtr inventory_ = nothing();
    std::vector<std::string> problems_;
    std::array<std::string, kItemKinds> trouble_;  // why a list is missing or truncated, by kind
    Kinds stale_;
    Kinds announced_;
    Duration next_pause_ = {};     // before the next reading on this connection
    bool read_now_ = false;        // skip that pause
    std::uint64_t read_here_ = 0;  // readings on this connection
    std::uint64_t begun_ = 0;
    std::uint64_t newest_ = 0;  // number of the latest finished reading
    Event hurry_;               // ends the pause
};

/// The lists that a client reports as one.
Kinds kinds_of(mcp::ListKind kind);

}  // namespace gantry::gateway
