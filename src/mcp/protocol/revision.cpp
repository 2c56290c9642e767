#include "gantry/mcp/revision.hpp"

#include <ranges>

namespace gantry::mcp {

std::string_view to_string(Revision revision) noexcept {
    switch (revision) {
        case Revision::k2024_11_05: return "2024-11-05";
        case Revision::k2025_03_26: return "2025-03-26";
        case Revision::k2025_06_18: return "2025-06-18";
        case Revision::k2025_11_25: return "2025-11-25";
        case Revision::k2026_07_28: return "2026-07-28";
    }
    return "";
}

std::optional<Revision> parse_revision(std::string_view text) noexcept {
    // Newest first, because they are the most common.
    for (const Revision revision : kAllRevisions | std::views::reverse) {
        if (text == to_string(revision)) return revision;
    }
    if (text == "2024-10-07") return Revision::k2024_11_05;
    return {};
}

}  // namespace gantry::mcp
