#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "gantry/error.hpp"
#include "gateway/ports/inventory_store.hpp"

namespace gantry::app {

/// What servers offered, one private file each, named after how the server is reached: one whose command, arguments,
/// URL or names of variables changed is another server. Gateways that share the folder share the lists.
class KeptLists final : public gateway::InventoryStore {
public:
    struct Limits {
        /// A longer list is not kept.
        std::size_t bytes = 16u << 20;
        /// Lists of servers that were not used for longest go first.
        std::size_t files = 512;
    };
    KeptLists(std::filesystem::path folder, std::function<void(std::string_view)> note)
        : KeptLists(std::move(folder), std::move(note), Limits()) {}
    KeptLists(std::filesystem::path folder, std::function<void(std::string_view)> note, Limits limits);

    std::optional<std::string> recall(const gateway::McpServerSpec& spec) override;
    void keep(const gateway::McpServerSpec& spec, std::string_view text) override;

private:
    Result<void> store(const std::string& name, std::string_view text);
    void drop_oldest() const;
    void note(const gateway::McpServerSpec& spec, const std::string& what) const;

    const std::filesystem::path folder_;
    const std::function<void(std::string_view)> note_;
    const Limits limits_;
    std::map<std::string, std::string> known_;  // file, digest of what is in it
};

}  // namespace gantry::app
