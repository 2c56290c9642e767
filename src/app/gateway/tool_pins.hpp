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

    /// What of it is shown.
    gateway::InventoryPtr inspect(const std::string& source, gateway::InventoryPtr offered);

    /// Tools described differently from what was agreed to.
    std::vector<gateway::PinBook::Place> changed() const { return book_.all_changed(); }
    /// Agrees to one; the registry has to be told to refresh(). kNotFound.
    Result<void> accept(const std::string& source, const std::string& tool);

private:
    void save();

    Options options_;
    gateway::PinBook book_;
    std::filesystem::path folder_;
    std::uint64_t saved_ = 0;
    /// What was offered and what of it is shown, so that the same stays the same.
    std::map<std::string, std::pair<gateway::InventoryPtr, gateway::InventoryPtr>> shown_;
};

}  // namespace gantry::app
