#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace gantry::mcp {

/// Every released revision, oldest first. The modern era begins with k2026_07_28.
enum class Revision : std::uint8_t { k2024_11_05, k2025_03_26, k2025_06_18, k2025_11_25, k2026_07_28 };

inline constexpr std::array kAllRevisions = {Revision::k2024_11_05, Revision::k2025_03_26, Revision::k2025_06_18,
                                             Revision::k2025_11_25, Revision::k2026_07_28};
inline constexpr Revision kLatestRevision = Revision::k2026_07_28;
/// The newest revision that opens with `initialize`, hence the newest that `initialize` may negotiate.
inline constexpr Revision kLatestLegacyRevision = Revision::k2025_11_25;

std::string_view to_string(Revision revision) noexcept;
/// Also accepts the pre-release "2024-10-07" as 2024-11-05.
std::optional<Revision> parse_revision(std::string_view text) noexcept;

/// Modern: no handshake, every request is self-contained. Legacy: `initialize`, then a session.
constexpr bool is_modern(Revision revision) noexcept {
    return revision >= Revision::k2026_07_28;
}

}  // namespace gantry::mcp
