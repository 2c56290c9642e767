#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <set>
#include <string>

#include "gateway/policy/pin_book.hpp"
#include "gateway/ports/observer.hpp"

namespace gantry::app {

/// The tools of all servers as they were described when they were first seen, in `pins.json` of the state folder. Tells
/// about those that changed or look odd, and hides changed ones of servers that want that.
class ToolPins {
public:
    struct Options {
        /// Servers whose changed tools are hidden.
        std::set<std::string> quarantine = {};
        gateway::Observer* observer = nullptr;
        std::function<void(std::string_view)> note = {};
    };
    explicit ToolPins(Options options);

    /// A file that cannot be read is reported, not overwritten.
    Result<void> open(const std::filesystem::path& state_dir);

    /// Servers whose changed tools are hidden, from now on.
    void quarantine(std::set<std::string> servers);

    /// What of it is shown. What is offered only to clients that declare certain capabilities has pins of its own,
    /// where it is not described as it is to all others.
    gateway::InventoryPtr inspect(const std::string& source, gateway::InventoryPtr offered);

    /// Tools described differently from what was agreed to.
    std::vector<gateway::PinBook::Place> changed() const;
    /// Agrees to one, for whichever clients it is described; the registry has to be told to refresh(). kNotFound.
    Result<void> accept(const std::string& source, const std::string& tool);

private:
    gateway::InventoryPtr inspect_all(const std::string& source, const gateway::InventoryPtr& offered);
    gateway::InventoryPtr inspect_variant(const std::string& source, const gateway::InventoryPtr& offered);
    std::vector<gateway::ItemPtr> described_anew(const std::string& source, const gateway::Inventory& offered) const;
    void report(const std::string& source, const std::string& pinned_as, const std::vector<gateway::ItemPtr>& items);
    void save();

    Options options_;
    gateway::PinBook book_;
    std::filesystem::path folder_;
    std::uint64_t saved_ = 0;
    struct Shown {
        gateway::InventoryPtr offered;
        gateway::InventoryPtr shown;
    };
    /// What was offered to all and what of it is shown, so that the same stays the same.
    std::map<std::string, Shown> shown_;
};

}  // namespace gantry::app
