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

/// Who has which public name, by kind, source and own name. Whoever has a name keeps it, whatever is configured beside
/// it later; names of things that are gone stay until room is needed, so that a server that comes back is called what
/// it was called. A new wish (another prefix) voids what was remembered.
///
/// Kept between runs with to_json/from_json; edition() tells when there is something to save. Moves, never copied: one
/// book per endpoint.
class NameBook {
public:
    static constexpr std::size_t kMaxNames = 200'000;
    explicit NameBook(std::size_t max_names = kMaxNames) : max_names_(max_names) {}
    NameBook(NameBook&&) noexcept = default;
    NameBook& operator=(NameBook&&) noexcept = default;
    NameBook(const NameBook&) = delete;

    /// kParse when it is not a book; a name given out twice in it counts once.
    static Result<NameBook> from_json(const Json& json, std::size_t max_names = kMaxNames);
    Json to_json() const;
    /// Grows with every change worth saving.
    std::uint64_t edition() const noexcept { return edition_; }
    std::size_t size() const noexcept { return size_; }

    // While sources are still coming up, whoever is quickest would get a contested name for good. So until all had
    // their chance: roll_back() before each build, which then settles contests in the order of the shelves; commit()
    // after.
    void commit() noexcept;
    /// Forgets the names given since the last commit(), or since the book was read.
    void roll_back();

    // For the catalog; a build is one round.
    void begin_round() noexcept { ++round_; }
    /// Forgets the names unused for longest while there are too many; those of this round stay in any case.
    void end_round();
    /// What it was called before under the same wish; null: nothing. Counts as used.
    const std::string* given(ItemKind kind, std::string_view source, std::string_view own, std::string_view wanted);
    /// Whether a source's thing has a name under any wish.
    bool knows(ItemKind kind, std::string_view source, std::string_view own) const;
    /// The source that has `name`; empty: none.
    std::string_view holder(ItemKind kind, std::string_view name) const;
    /// Takes it from whoever had it.
    void give(ItemKind kind, std::string_view source, std::string_view own, std::string wanted, std::string name);

private:
    struct Record {
        const std::string* source = nullptr;  // the keys it stands under
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
