#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gantry/error.hpp"
#include "gantry/json.hpp"
#include "gateway/model/item.hpp"

namespace gantry::gateway {

/// The recorded definitions of one tool.
struct Pin {
    std::string accepted;  // digest of the accepted definition
    std::string seen;      // digest of the current one; differs when it changed
};

/// A tool definition that an operator should review.
struct ToolChange {
    enum class Kind : std::uint8_t { kChanged, kFlagged };
    Kind kind = Kind::kChanged;
    std::string source;
    std::string tool;
    std::string what;  // human-readable
};

/// Pins each tool's definition when it is first seen, and reports later changes. Depending on the configuration a
/// changed tool is held until an operator accepts it. No side effects beyond its own state.
class PinBook {
public:
    using Digest = std::string (*)(std::string_view text);
    explicit PinBook(Digest digest) : digest_(digest) {}

    /// Records what a source offers; returns the changes and flags that were not reported before.
    std::vector<ToolChange> look(const std::string& source, const std::vector<ItemPtr>& items);
    /// Whether the current definition differs from the accepted one.
    bool changed(std::string_view source, std::string_view tool) const;
    struct Place {
        std::string source;
        std::string tool;
        bool operator==(const Place&) const = default;
    };
    std::vector<Place> all_changed() const;
    /// Accepts the tool's current definition. kNotFound: there is no change to accept.
    Result<void> accept(std::string_view source, std::string_view tool);

    std::size_t size() const noexcept { return size_; }
    /// The pins that changed since the last call: what has to be saved. Each may be listed more than once.
    std::vector<Place> take_touched() { return std::exchange(touched_, {}); }
    Json to_json() const;
    /// One pin as a line of a log; apply() reads it.
    std::string to_line(const Place& place) const;
    /// kParse when `line` is not such a line; kLimit when there are too many pins.
    Result<void> apply(std::string_view line);
    /// kParse when `json` is not a saved pin book.
    Result<void> restore(const Json& json);

private:
    static constexpr std::size_t kMost = 100'000;
    Result<void> restore_one(const std::string& source, const std::string& tool, const Json* accepted,
                             const Json* seen);
    using Tools = std::map<std::string, Pin, std::less<>>;

    Digest digest_;
    std::map<std::string, Tools, std::less<>> pins_;
    std::size_t size_ = 0;
    std::vector<Place> touched_;
};

}  // namespace gantry::gateway
