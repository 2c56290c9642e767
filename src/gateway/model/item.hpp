#pragma once

#include <bitset>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gantry/mcp/lifecycle.hpp"
#include "gantry/mcp/revision.hpp"
#include "mcp/protocol/headers.hpp"

namespace gantry::schema {
class Schema;
}

namespace gantry::gateway {

enum class ItemKind : std::uint8_t { kTool, kPrompt, kResource, kTemplate };
inline constexpr std::size_t kItemKinds = 4;
/// Some of them, by number.
using Kinds = std::bitset<kItemKinds>;

/// What a tool says about itself, with the specification's defaults filled in. Hints of a stranger.
struct ToolHints {
    bool read_only = false;
    bool destructive = true;
    bool idempotent = false;
    bool open_world = true;
};

enum class TaskUse : std::uint8_t { kNever, kOptional, kRequired };  // 2025-11-25: execution.taskSupport

/// One thing a source offers, as the source spells it. Immutable once listed; shared by every catalog that names it.
struct Item {
    ItemKind kind = ItemKind::kTool;
    /// The source's own name for it: a tool's or prompt's name, a resource's URI, a template's pattern.
    std::string name;
    /// The definition as one JSON object, every member as it came.
    std::string text;
    /// In whose terms the definition is written.
    mcp::Revision revision = mcp::kLatestRevision;

    // Tools only.
    ToolHints hints = {};
    TaskUse task_use = TaskUse::kNever;
    std::vector<mcp::HeaderParam> header_params = {};
    /// Null: unusable or trivial, arguments are not checked here.
    std::shared_ptr<const schema::Schema> input_schema = {};
    /// Why the schema is unusable; empty when it is not.
    std::string schema_fault = {};
};
using ItemPtr = std::shared_ptr<const Item>;

/// Everything a source offers at one time.
struct Inventory {
    std::vector<ItemPtr> items = {};
    mcp::ServerCapabilities capabilities = {};
    std::optional<std::string> instructions = {};
    /// Who the server says it is.
    mcp::Implementation server = {};
    /// The least of what the source promised for its lists; 0: nothing.
    std::int64_t ttl_ms = 0;
    /// Whether the source said that its lists are the same for everybody.
    bool is_public = false;
    bool modern = false;
    /// What clients have to declare to be offered this, as canonical JSON; empty: nothing.
    std::string declared = {};
};
using InventoryPtr = std::shared_ptr<const Inventory>;

}  // namespace gantry::gateway
