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
/// A set of item kinds, indexed by ItemKind.
using Kinds = std::bitset<kItemKinds>;

/// A tool's annotations, with the specification's defaults filled in. They come from an untrusted party.
struct ToolHints {
    bool read_only = false;
    bool destructive = true;
    bool idempotent = false;
    bool open_world = true;
};

enum class TaskUse : std::uint8_t { kNever, kOptional, kRequired };  // 2025-11-25: execution.taskSupport

/// One item a source offers, spelled as the source spells it. Immutable once listed; shared by every catalog that names
/// it.
struct Item {
    ItemKind kind = ItemKind::kTool;
    /// The source's own name: a tool's or prompt's name, a resource's URI, a template's pattern.
    std::string name;
    /// The definition as one JSON object, with all members as received.
    std::string text;
    /// The revision in whose terms the definition is written.
    mcp::Revision revision = mcp::kLatestRevision;

    // Tools only.
    ToolHints hints = {};
    TaskUse task_use = TaskUse::kNever;
    std::vector<mcp::HeaderParam> header_params = {};
    /// Null: unusable or trivial; the gateway does not validate arguments.
    std::shared_ptr<const schema::Schema> input_schema = {};
    /// Why the schema is unusable; empty if it is usable.
    std::string schema_fault = {};
};
using ItemPtr = std::shared_ptr<const Item>;

/// Everything a source offers at one time.
struct Inventory {
    std::vector<ItemPtr> items = {};
    mcp::ServerCapabilities capabilities = {};
    std::optional<std::string> instructions = {};
    /// The identity the server reports.
    mcp::Implementation server = {};
    /// The shortest lifetime the source promised for its lists; 0: none.
    std::int64_t ttl_ms = 0;
    /// The source declared its lists to be the same for all clients.
    bool is_public = false;
    bool modern = false;
    /// The capabilities clients have to declare to be offered this, as canonical JSON; empty: none.
    std::string declared = {};
};
using InventoryPtr = std::shared_ptr<const Inventory>;

}  // namespace gantry::gateway
