#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "gantry/error.hpp"
#include "gantry/json.hpp"
#include "gateway/model/item.hpp"

namespace gantry::gateway {

/// What is known of one tool.
struct Pin {
    std::string accepted;  // digest of the definition that was agreed to
    std::string seen;      // of the one offered now; another one: it changed
};

/// Something about a tool's definition that somebody should look at.
struct ToolChange {
    enum class Kind : std::uint8_t { kChanged, kFlagged };
    Kind kind = Kind::kChanged;
    std::string source;
    std::string tool;
    std::string what;  // for people
};

/// Remembers each tool as it was described when it was first seen. A tool that is described differently later is told
/// about, and waits for somebody's word where that is wanted. Pure but for what it remembers.
class PinBook {
public:
    using Digest = std::string (*)(std::string_view text);
    explicit PinBook(Digest digest) : digest_(digest) {}

    /// Takes note of what a source offers; returns what is new about it, each thing once.
    std::vector<ToolChange> look(const std::string& source, const std::vector<ItemPtr>& items);
    /// Described differently from what was agreed to.
    bool changed(std::string_view source, std::string_view tool) const;
    struct Place {
        std::string source;
        std::string tool;
        bool operator==(const Place&) const = default;
    };
    std::vector<Place> all_changed() const;
    /// Agrees to the tool as it is described now. kNotFound: nothing has changed there.
    Result<void> accept(std::string_view source, std::string_view tool);

    /// Grows with each change worth keeping.
    std::uint64_t edition() const noexcept { return edition_; }
    Json to_json() const;
    /// kParse when it is none of ours.
    Result<void> restore(const Json& json);

private:
    static constexpr std::size_t kMost = 100'000;
    using Tools = std::map<std::string, Pin, std::less<>>;

    Digest digest_;
    std::map<std::string, Tools, std::less<>> pins_;
    std::size_t size_ = 0;
    std::uint64_t edition_ = 0;
};

}  // namespace gantry::gateway
