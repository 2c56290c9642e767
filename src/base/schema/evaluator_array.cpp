#include <algorithm>

#include "base/json/hash.hpp"
#include "base/schema/evaluator.hpp"

namespace gantry::schema {

bool Evaluator::check_array(NodeId id, const ArrayRules& rules, const At& at) {
    const std::size_t size = at.value.if_array()->size();
    bool ok = true;
    if (rules.min_items && size < *rules.min_items) {
        ok = refuse(id, "minItems", at.path, "must have at least " + std::to_string(*rules.min_items) + " items");
    }
    if (rules.max_items && size > *rules.max_items) {
        ok = refuse(id, "maxItems", at.path, "must have at most " + std::to_string(*rules.max_items) + " items");
    }
    if (!ok && !curious()) return false;
    if (!check_items(id, rules, at)) ok = false;
    if (!ok && !curious()) return false;
    if (rules.contains != kNoNode && !check_contains(id, rules, at)) ok = false;
    if (!ok && !curious()) return false;
    if (rules.unique && !check_unique(id, at)) ok = false;
    return ok;
}

bool Evaluator::check_items(NodeId id, const ArrayRules& rules, const At& at) {
    const JsonArray& items = *at.value.if_array();
    const std::size_t prefix = std::min(rules.prefix.size(), items.size());
    const std::size_t end = rules.rest != kNoNode ? items.size() : prefix;
    bool ok = true;
    for (std::size_t i = 0; i < end; ++i) {
        const Path path{at.path, {}, i};
        if (i >= prefix && program_.nodes[rules.rest].never) {
            ok = refuse(id, rules.rest_keyword, at.path,
                        "must have at most " + std::to_string(rules.prefix.size()) + " items");
            break;
        }
        if (!apply(i < prefix ? rules.prefix[i] : rules.rest, At{items[i], &path, nullptr})) {
            ok = false;
            if (!curious()) return false;
        }
    }
    if (at.evaluated) {
        at.evaluated->first = std::max(at.evaluated->first, prefix);
        if (rules.rest != kNoNode) at.evaluated->all = true;
    }
    return ok;
}

bool Evaluator::check_contains(NodeId id, const ArrayRules& rules, const At& at) {
    const JsonArray& items = *at.value.if_array();
    const std::uint64_t least = rules.min_contains.value_or(1);
    const bool count_all = at.evaluated || rules.max_contains;
    std::uint64_t found = 0;
    for (std::size_t i = 0; i < items.size() && (count_all || found < least); ++i) {
        const Path path{at.path, {}, i};
        if (!accepts(rules.contains, At{items[i], &path, nullptr})) {
            if (stopped_) return false;
            continue;
        }
        ++found;
        if (at.evaluated) at.evaluated->places.set(i);
    }
    bool ok = true;
    if (found < least) {
        ok = refuse(id, rules.min_contains ? "minContains" : "contains", at.path,
                    "must have at least " + std::to_string(least) + " item that matches 'contains'");
    }
    if (rules.max_contains && found > *rules.max_contains) {
        ok = refuse(id, "maxContains", at.path,
                    "must have at most " + std::to_string(*rules.max_contains) + " items that match 'contains'");
    }
    return ok;
}

bool Evaluator::check_unique(NodeId id, const At& at) {
    const JsonArray& items = *at.value.if_array();
    struct Hashed {
        std::uint64_t hash;
        std::size_t place;
        std::uint64_t work;
    };
    std::vector<Hashed> hashed;
    hashed.reserve(items.size());
    for (std::size_t i = 0; i < items.size(); ++i) {
        std::uint64_t work = 0;
        const std::uint64_t hash = hash_value(items[i], work);
        // One additional step for sorting.
        if (!spend(work + 1)) return false;
        hashed.push_back({hash, i, work});
    }
    std::ranges::sort(hashed, {}, [](const Hashed& item) { return std::pair(item.hash, item.place); });
    for (std::size_t i = 0; i < hashed.size(); ++i) {
        for (std::size_t k = i + 1; k < hashed.size() && hashed[k].hash == hashed[i].hash; ++k) {
            if (!spend(std::min(hashed[i].work, hashed[k].work))) return false;
            if (items[hashed[i].place] != items[hashed[k].place]) continue;
            return refuse(id, "uniqueItems", at.path,
                          "must have no equal items, but " + std::to_string(hashed[i].place) + " and " +
                              std::to_string(hashed[k].place) + " are");
        }
    }
    return true;
}

bool Evaluator::check_unevaluated_items(NodeId id, NodeId rest, const At& at) {
    const JsonArray& items = *at.value.if_array();
    if (!spend(items.size() / 8)) return false;
    bool ok = true;
    for (std::size_t i = 0; i < items.size(); ++i) {
        if (at.evaluated->has(i)) continue;
        const Path path{at.path, {}, i};
        const bool accepted = program_.nodes[rest].never
                                  ? refuse(id, "unevaluatedItems", &path, "is an item the schema does not provide for")
                                  : apply(rest, At{items[i], &path, nullptr});
        if (accepted) continue;
        ok = false;
        if (!curious()) return false;
    }
    at.evaluated->all = true;
    return ok;
}

/// Equal values have equal hashes, however their numbers are spelt and members ordered.
/// Keyed, to prevent crafted collisions.
std::uint64_t hash_value(const Json& value, std::uint64_t& work, unsigned depth) {
    const auto mix = [](std::uint64_t a, std::uint64_t b) {
        a ^= b + 0x9e3779b97f4a7c15u + (a << 6) + (a >> 2);
        return a * 0xff51afd7ed558ccdu;
    };
    std::uint64_t hash = static_cast<std::uint64_t>(value.kind()) + 1;
    ++work;
    if (depth > 64) return hash;
    switch (value.kind()) {
        case Json::Kind::kNull: break;
        case Json::Kind::kBool: hash = mix(hash, *value.if_bool() ? 2 : 1); break;
        case Json::Kind::kNumber: {
            const Decimal number = Decimal::parse(value.number_text());
            work += value.number_text().size() / 16;
            hash = mix(mix(hash, json::hash_key(number.digits)), static_cast<std::uint64_t>(number.exponent));
            break;
        }
        case Json::Kind::kString:
            work += value.if_string()->size() / 64;
            hash = mix(hash, json::hash_key(*value.if_string()));
            break;
        case Json::Kind::kArray:
            for (const Json& item : *value.if_array()) hash = mix(hash, hash_value(item, work, depth + 1));
            break;
        case Json::Kind::kObject: {
            std::uint64_t sum = 0;
            for (const auto& [key, member] : *value.if_object()) {
                sum += mix(json::hash_key(key), hash_value(member, work, depth + 1));
            }
            hash = mix(hash, sum);
            break;
        }
    }
    return hash;
}

}  // namespace gantry::schema
