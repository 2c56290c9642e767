#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "base/schema/schema.hpp"
#include "gantry/mcp/tools.hpp"

namespace gantry::mcp {

/// A tool as last listed by the server; holding it keeps the list alive.
using ToolDefinition = std::shared_ptr<const Tool>;

/// Compiled schemas of the tools in use: each definition is compiled on first use and cached, so that a call costs only
/// the validation. Holds at most kMaxKept; the least recently used is evicted. Single loop.
class ToolSchemas {
public:
    static constexpr std::size_t kMaxKept = 256;

    /// A schema that does not compile is not enforced; the server validates in any case.
    Result<void> check_arguments(const ToolDefinition& tool, const JsonObject& arguments);
    Result<void> check_result(const ToolDefinition& tool, const Json& structured);

    /// The definitions were replaced: drops the schemas of the old ones.
    void clear() noexcept { kept_.clear(); }
    std::size_t size() const noexcept { return kept_.size(); }
    /// Number of compilations so far; for tests and diagnostics.
    std::uint64_t compiled() const noexcept { return compiled_; }

private:
    enum class Part : std::uint8_t { kInput, kOutput };
    using Key = std::pair<const Tool*, Part>;
    struct Kept {
        ToolDefinition tool;  // its address is the key, so holding it keeps the address from being reused
        std::optional<schema::Schema> schema;
        std::uint64_t used = 0;
    };
    const std::optional<schema::Schema>& find(const ToolDefinition& tool, Part part);

    std::map<Key, Kept> kept_;
    std::uint64_t uses_ = 0;
    std::uint64_t compiled_ = 0;
};

}  // namespace gantry::mcp
