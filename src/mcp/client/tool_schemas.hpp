#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "base/schema/schema.hpp"
#include "gantry/mcp/tools.hpp"

namespace gantry::mcp {

/// A tool as the server last listed it; the list stays alive as long as somebody holds this.
using ToolDefinition = std::shared_ptr<const Tool>;

/// The compiled schemas of tools in use: each definition is compiled at its first check and then kept, so that a call
/// costs only the check. Holds at most kMaxKept; the one unused for longest makes room. One loop only.
class ToolSchemas {
public:
    static constexpr std::size_t kMaxKept = 256;

    /// A schema we cannot compile is the server's business: it validates in any case.
    Result<void> check_arguments(const ToolDefinition& tool, const JsonObject& arguments);
    Result<void> check_result(const ToolDefinition& tool, const Json& structured);

    /// The definitions were replaced: nothing of the old ones is wanted any more.
    void clear() noexcept { kept_.clear(); }
    std::size_t size() const noexcept { return kept_.size(); }
    /// How often a schema was compiled; for tests and diagnostics.
    std::uint64_t compiled() const noexcept { return compiled_; }

private:
    enum class Part : std::uint8_t { kInput, kOutput };
    using Key = std::pair<const Tool*, Part>;
    struct Kept {
        ToolDefinition tool;  // its address is the key, so it must not be given to another
        std::optional<schema::Schema> schema;
        std::uint64_t used = 0;
    };
    const std::optional<schema::Schema>& find(const ToolDefinition& tool, Part part);

    std::map<Key, Kept> kept_;
    std::uint64_t uses_ = 0;
    std::uint64_t compiled_ = 0;
};

}  // namespace gantry::mcp
