#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "gantry/error.hpp"
#include "gateway/ports/inventory_store.hpp"

namespace gantry::gateway {

/// Stores each server's inventory in a private file of its own, named after how the server is reached: if its command,
/// arguments, URL or variable names change, it is another server. Gateways that share the folder share the lists.
class InventoryFiles final : public InventoryStore {
public:
    struct Limits {
        /// Larger lists are not stored.
        std::size_t bytes = 16u << 20;
        /// The lists of the least recently used servers are evicted first.
        std::size_t files = 512;
    };
    InventoryFiles(std::filesystem::path folder, std::function<void(std::string_view)> note)
        : InventoryFiles(std::move(folder), std::move(note), Limits()) {}
    InventoryFiles(std::filesystem::path folder, std::function<void(std::string_view)> note, Limits limits);

    std::optional<std::string> recall(const McpServerSpec& spec) override;
    void keep(const McpServerSpec& spec, std::string_view text) override;

private:
    Result<void> store(const std::string& name, std::string_view text);
    void drop_oldest() const;
    void note(const McpServerSpec& spec, const std::string& what) const;

    const std::filesystem::path folder_;
    const std::function<void(std::string_view)> note_;
    const Limits limits_;
    std::map<std::string, std::string> known_;  // file name to content digest
};

}  // namespace gantry::gateway
