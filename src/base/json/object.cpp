#include <algorithm>
#include <bit>

#include "base/json/hash.hpp"
#include "gantry/json.hpp"

namespace gantry {
namespace {

// Below this, a linear search is faster than hashing.
constexpr std::size_t kIndexFrom = 17;

}  // namespace

JsonObject::JsonObject(std::initializer_list<Member> members) {
    members_.reserve(members.size());
    for (const auto& [key, value] : members) set(key, value);
}

JsonObject::Index::Index(const Index& other)
    : slots(other.slots ? std::make_unique<std::vector<std::uint32_t>>(*other.slots) : nullptr) {}

JsonObject::Index& JsonObject::Index::operator=(const Index& other) {
    Index copy(other);
    slots.swap(copy.slots);
    return *this;
}

std::size_t JsonObject::place_of(std::string_view key) const noexcept {
    if (!index_.slots) {
        for (std::size_t i = 0; i < members_.size(); ++i) {
            if (members_[i].first == key) return i;
        }
        return members_.size();
    }
    const auto& slots = *index_.slots;
    const std::size_t mask = slots.size() - 1;
    for (std::size_t slot = json::hash_key(key) & mask; slots[slot] != 0; slot = (slot + 1) & mask) {
        const std::size_t place = slots[slot] - 1;
        if (members_[place].first == key) return place;
    }
    return members_.size();
}

void JsonObject::index_last() {
    auto& slots = *index_.slots;
    const std::size_t mask = slots.size() - 1;
    std::size_t slot = json::hash_key(members_.back().first) & mask;
    while (slots[slot] != 0) slot = (slot + 1) & mask;
    slots[slot] = static_cast<std::uint32_t>(members_.size());
}

void JsonObject::reindex() {
    if (members_.size() < kIndexFrom) {
        index_.slots.reset();
        return;
    }
    auto slots = std::make_unique<std::vector<std::uint32_t>>(std::bit_ceil(members_.size() * 4));
    const std::size_t mask = slots->size() - 1;
    for (std::size_t place = 0; place < members_.size(); ++place) {
        std::size_t slot = json::hash_key(members_[place].first) & mask;
        while ((*slots)[slot] != 0) slot = (slot + 1) & mask;
        (*slots)[slot] = static_cast<std::uint32_t>(place + 1);
    }
    index_.slots = std::move(slots);
}

const Json* JsonObject::find(std::string_view key) const noexcept {
    const std::size_t place = place_of(key);
    return place < members_.size() ? &members_[place].second : nullptr;
}

Json* JsonObject::find(std::string_view key) noexcept {
    return const_cast<Json*>(std::as_const(*this).find(key));
}

void JsonObject::set(std::string key, Json value) {
    if (Json* present = find(key)) {
        *present = std::move(value);
        return;
    }
    members_.emplace_back(std::move(key), std::move(value));
    if (members_.size() < kIndexFrom) return;
    if (index_.slots && members_.size() * 2 <= index_.slots->size())
        index_last();
    else
        reindex();
}

bool JsonObject::erase(std::string_view key) {
    const std::size_t place = place_of(key);
    if (place == members_.size()) return false;
    members_.erase(members_.begin() + static_cast<std::ptrdiff_t>(place));
    reindex();
    return true;
}

bool operator==(const JsonObject& a, const JsonObject& b) {
    return a.size() == b.size() && std::ranges::all_of(a, [&](const JsonObject::Member& member) {
               const Json* other = b.find(member.first);
               return other != nullptr && member.second == *other;
           });
}

}  // namespace gantry
