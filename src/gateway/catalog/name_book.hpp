#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>

#include "gantry/json.hpp"
#include "gateway/catalog/stable_hash.hpp"
#include "gateway/model/item.hpp"

namespace gantry::gateway {

/// Assigns public names by kind, source and own name. An assigned name stays with its item, whatever is configured
/// later; names of items that are gone are kept until room is needed, so that a server that comes back gets its old
/// names. A change of the wanted name (another prefix) voids the assignment.
///
/// Persisted with to_json/from_json; edition() changes when there is something to save. Movable but not copyable: one
/// book per endpoint.
class NameBook {
public:
    static constexpr std::size_t kMaxNames = 200'000;
    explicit NameBook(std::size_t max_names = kMaxNames) : max_names_(max_names) {}
    NameBook(NameBook&&) noexcept = default;
    NameBook& operator=(NameBook&&) noexcept = default;
    NameBook(const NameBook&) = delete;

    /// kParse when it is not a name book; of a name assigned twice, only one assignment counts.
    static Result<NameBook> from_json(const Json& json, std::size_t max_names = kMaxNames);
    Json to_json() const;
    /// Grows with every change worth saving.
    std::uint64_t edition() const noexcept { return edition_; }
    std::size_t size() const noexcept { return size_; }

    // While sources are still starting, a contested name would otherwise permanently go to the fastest one. So until
    // all have had their chance, call roll_back() before each build, which then resolves conflicts in the order of the
    // sources, and commit() afterwards.
    void commit() noexcept;
    /// Drops the names assigned since the last commit(), or since the book was loaded.
    void roll_back();

    // For the catalog; each build is one round.
    void begin_round() noexcept { ++round_; }
    /// Evicts the least recently used names while there are too many; never those of this round.
    void end_round();
    /// The name assigned before for the same wish; null: none. Counts as use.
    const std::string* given(ItemKind kind, std::string_view source, std::string_view own, std::string_view wanted);
    /// Whether a source's item has a name under any wish.
    bool knows(ItemKind kind, std::string_view source, std::string_view own) const;
    /// The source that holds `name`; empty: none.
    std::string_view holder(ItemKind kind, std::string_view name) const;
    /// Takes the name from its current holder, if any.
    void give(ItemKind kind, std::string_view source, std::string_view own, std::string wanted, std::string name);

private:
    struct Record {
        const std::string* source = nullptr;  // its keys in the table
        const std::string* own = nullptr;
        std::string wanted;
        std::string name;
        std::uint64_t used = 0;  // round
        bool firm = false;       // committed
    };
    template <class V>
    using Table = std::unordered_map<std::string, V, NameHash, std::equal_to<>>;
    using Records = Table<Record>;  // by own name
    struct Kind {
        Table<Records> by_source;
        std::unordered_map<std::string_view, Record*, NameHash, std::equal_to<>> by_name;
    };

    Kind& of(ItemKind kind) { return kinds_[static_cast<std::size_t>(kind)]; }
    const Kind& of(ItemKind kind) const { return kinds_[static_cast<std::size_t>(kind)]; }
    void forget(Kind& kind, Record& record);
    Result<void> read_group(const Json& group);
    template <class Use>
    void each(const Use& use);

    std::array<Kind, kItemKinds> kinds_;
    std::size_t max_names_;
    std::size_t size_ = 0;
    std::uint64_t round_ = 1;
    std::uint64_t edition_ = 0;
};

}  // namespace gantry::gateway
