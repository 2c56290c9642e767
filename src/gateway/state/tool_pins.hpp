#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <string>

#include "gateway/policy/pin_book.hpp"
#include "io/fd.hpp"

namespace gantry::gateway {

/// The descriptions of all servers' tools as first seen, in `pins.json` of the state folder and, where few of many
/// change, in `pins.log` beside it: one line for each pin that changed since, so that a change costs no more than what
/// changed. Reports tools that changed
/// or look suspicious, and hides changed ones of servers in quarantine. May be used from any thread: catalogs are built
/// beside the loop, and hashing thousands of descriptions takes a while.
class ToolPins {
public:
    struct Options {
        /// Servers whose changed tools are hidden.
        std::set<std::string> quarantine = {};
        /// Called on the thread that inspects.
        std::function<void(const std::string& source, const std::string& tool, const std::string& what, bool hidden)>
            flagged = {};
        std::function<void(std::string_view)> note = {};
    };
    explicit ToolPins(Options options);

    /// An unreadable file is reported, not overwritten.
    Result<void> open(const std::filesystem::path& state_dir);

    /// Replaces the set of servers whose changed tools are hidden.
    void quarantine(std::set<std::string> servers);

    /// Returns the part that is shown. Tools offered only to clients with certain capabilities have pins of their own
    /// where their description differs from the common one.
    InventoryPtr inspect(const std::string& source, InventoryPtr offered);

    /// Tools whose description differs from the accepted one.
    std::vector<PinBook::Place> changed() const;
    /// Accepts one tool's description in all its variants; the caller has to refresh() the registry. Fails with
    /// kNotFound.
    Result<void> accept(const std::string& source, const std::string& tool);

private:
    InventoryPtr inspect_all(const std::string& source, const InventoryPtr& offered);
    InventoryPtr inspect_variant(const std::string& source, const InventoryPtr& offered);
    std::vector<ItemPtr> described_anew(const std::string& source, const Inventory& offered) const;
    void report(const std::string& source, const std::string& pinned_as, const std::vector<ItemPtr>& items);
    Result<void> read_log(const Fd& folder);
    void save();
    Result<void> write(const std::vector<PinBook::Place>& touched);
    Result<void> rewrite();
    Result<void> append(const std::vector<PinBook::Place>& touched);

    mutable std::mutex mutex_;  // guards everything below
    Options options_;
    PinBook book_;
    std::filesystem::path folder_;
    std::size_t logged_ = 0;  // lines of the log
    struct Shown {
        InventoryPtr offered;
        InventoryPtr shown;
    };
    /// What was offered to all and what of it is shown, so that equal input yields the same object.
    std::map<std::string, Shown> shown_;
};

}  // namespace gantry::gateway
