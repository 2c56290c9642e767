#include "gateway/catalog/name_book.hpp"

#include <algorithm>
#include <tuple>
#include <vector>

#include "base/try.hpp"

namespace gantry::gateway {

namespace {

constexpr std::array<std::string_view, kItemKinds> kKindNames = {"tool", "prompt", "resource", "template"};
constexpr std::int64_t kVersion = 1;

std::unexpected<Error> no_book(std::string what) {
    return fail(ErrorCode::kParse, "not a book of names: " + std::move(what));
}

}  // namespace

const std::string* NameBook::given(ItemKind kind, std::string_view source, std::string_view own,
                                   std::string_view wanted) {
    Kind& table = of(kind);
    const auto records = table.by_source.find(source);
    if (records == table.by_source.end()) return nullptr;
    const auto found = records->second.find(own);
    if (found == records->second.end() || found->second.wanted != wanted) return nullptr;
    found->second.used = round_;
    return &found->second.name;
}

bool NameBook::knows(ItemKind kind, std::string_view source, std::string_view own) const {
    const auto records = of(kind).by_source.find(source);
    return records != of(kind).by_source.end() && records->second.contains(own);
}

std::string_view NameBook::holder(ItemKind kind, std::string_view name) const {
    const auto found = of(kind).by_name.find(name);
    return found == of(kind).by_name.end() ? std::string_view() : std::string_view(*found->second->source);
}

void NameBook::give(ItemKind kind, std::string_view source, std::string_view own, std::string wanted,
                    std::string name) {
    Kind& table = of(kind);
    auto records = table.by_source.find(source);
    if (records == table.by_source.end()) records = table.by_source.emplace(std::string(source), Records()).first;
    if (const auto had = records->second.find(own); had != records->second.end()) forget(table, had->second);
    if (const auto other = table.by_name.find(name); other != table.by_name.end()) forget(table, *other->second);
    // Forgetting the last record of a source also removes its table.
    records = table.by_source.try_emplace(std::string(source)).first;

    const auto place = records->second.try_emplace(std::string(own)).first;
    Record& record = place->second;
    record = {&records->first, &place->first, std::move(wanted), std::move(name), round_, false};
    table.by_name.emplace(record.name, &record);
    ++size_;
    ++edition_;
}

void NameBook::forget(Kind& kind, Record& record) {
    kind.by_name.erase(record.name);
    const auto records = kind.by_source.find(*record.source);
    records->second.erase(records->second.find(*record.own));
    if (records->second.empty()) kind.by_source.erase(records);
    --size_;
    ++edition_;
}

template <class Use>
void NameBook::each(const Use& use) {
    for (Kind& kind : kinds_) {
        for (auto& [name, record] : kind.by_name) use(kind, *record);
    }
}

void NameBook::commit() noexcept {
    each([](Kind&, Record& record) { record.firm = true; });
}

void NameBook::roll_back() {
    std::vector<std::pair<Kind*, Record*>> fresh;
    each([&fresh](Kind& kind, Record& record) {
        if (!record.firm) fresh.emplace_back(&kind, &record);
    });
    for (const auto& [kind, record] : fresh) forget(*kind, *record);
}

void NameBook::end_round() {
    if (size_ <= max_names_) return;
    std::vector<std::tuple<std::uint64_t, Kind*, Record*>> unused;
    each([&](Kind& kind, Record& record) {
        if (record.used != round_) unused.emplace_back(record.used, &kind, &record);
    });
    // Ties are broken by name, so that eviction does not depend on hash table order.
    std::ranges::sort(unused, {}, [](const auto& entry) {
        return std::pair(std::get<0>(entry), std::string_view(std::get<2>(entry)->name));
    });
    // Evict somewhat more than needed, so that not every build has to.
    const std::size_t wanted = size_ - max_names_ + max_names_ / 10;
    for (std::size_t i = 0; i < std::min(wanted, unused.size()); ++i) {
        forget(*std::get<1>(unused[i]), *std::get<2>(unused[i]));
    }
}

Json NameBook::to_json() const {
    JsonArray groups;
    for (std::size_t k = 0; k < kItemKinds; ++k) {
        // Sorted, so that the same names produce the same file.
        std::vector<std::pair<std::string_view, const Records*>> sources;
        for (const auto& [source, records] : kinds_[k].by_source) sources.emplace_back(source, &records);
        std::ranges::sort(sources);
        for (const auto& [source, records] : sources) {
            std::vector<const Record*> sorted;
            for (const auto& [own, record] : *records) sorted.push_back(&record);
            std::ranges::sort(sorted, {}, [](const Record* record) -> const std::string& { return *record->own; });
            JsonObject in_use;
            JsonObject unused;
            for (const Record* record : sorted) {
                Json value =
                    record->wanted == record->name ? Json(record->name) : Json(JsonArray{record->wanted, record->name});
                (record->used == round_ ? in_use : unused).set(*record->own, std::move(value));
            }
            JsonObject group{{"kind", kKindNames[k]}, {"source", source}};
            if (!in_use.empty()) group.set("names", std::move(in_use));
            if (!unused.empty()) group.set("unused", std::move(unused));
            groups.push_back(std::move(group));
        }
    }
    return JsonObject{{"version", kVersion}, {"groups", std::move(groups)}};
}

Result<NameBook> NameBook::from_json(const Json& json, std::size_t max_names) {
    const Json* version = json.find("version");
    if (version == nullptr || version->as_int() != kVersion) return no_book("unknown version");
    const Json* groups = json.find("groups");
    if (groups == nullptr || !groups->is_array()) return no_book("no groups");
    NameBook book(max_names);
    ++book.round_;  // so that unused names belong to an earlier round
    for (const Json& group : *groups->if_array()) GANTRY_CHECK(book.read_group(group));
    book.commit();
    book.edition_ = 0;
    return book;
}

Result<void> NameBook::read_group(const Json& group) {
    const auto kind = std::ranges::find(kKindNames, group.string_at("kind"));
    const std::string_view source = group.string_at("source");
    if (kind == kKindNames.end() || source.empty()) return no_book("a group without kind or source");
    const auto item_kind = static_cast<ItemKind>(kind - kKindNames.begin());
    for (const std::string_view part : {std::string_view("unused"), std::string_view("names")}) {
        const Json* names = group.find(part);
        if (names == nullptr) continue;
        if (!names->is_object()) return no_book("names that are no object");
        for (const auto& [own, value] : *names->if_object()) {
            const Json* wanted = value.is_array() ? value.at(0) : &value;
            const Json* name = value.is_array() ? value.at(1) : &value;
            if (wanted == nullptr || name == nullptr || !wanted->is_string() || !name->is_string()) {
                return no_book("a name that is no text");
            }
            if (size_ >= max_names_ || of(item_kind).by_name.contains(*name->if_string())) continue;
            give(item_kind, source, own, *wanted->if_string(), *name->if_string());
            if (part == "unused") of(item_kind).by_name.find(*name->if_string())->second->used = round_ - 1;
        }
    }
    return {};
}

}  // namespace gantry::gateway
