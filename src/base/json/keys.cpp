#include "base/json/keys.hpp"

#include <algorithm>
#include <bit>

#include "base/json/hash.hpp"

namespace gantry::json {

std::string_view OpenKeys::unescape(std::string_view inside) {
    std::string& text = unescaped_.emplace_front();
    unescape_to(inside, text);
    return text;
}

// The part of close() beyond resetting the count. Owned texts were pushed in the order
// of their keys, so they are released from the front.
void OpenKeys::release(const Frame& frame) noexcept {
    if (depth_ >= kFrames) more_frames_.pop_back();
    if (frame.table != 0) tables_.pop_back();
    for (std::size_t i = frame.first; i != count_ && !unescaped_.empty(); ++i) {
        if (at(i).owned) unescaped_.pop_front();
    }
    if (count_ > kInline) more_.resize(std::max(frame.first, kInline) - kInline);
}

bool OpenKeys::has(std::size_t first, std::string_view key) const noexcept {
    for (std::size_t i = first; i != count_; ++i) {
        if (at(i).view() == key) return true;
    }
    return false;
}

// For a key that does not fit inline or whose object has many. Inner objects are closed
// before this one gets another key, so tables form a stack as objects do.
bool OpenKeys::add_to_many(const Key& key, std::uint64_t tag) {
    Frame& frame = top();
    const bool small = count_ - frame.first < kSmall;
    if (small && has(frame.first, key.view())) return false;
    if (count_ < kInline) {
        tags_[count_] = tag;
        keys_[count_] = key;
    } else {
        more_.push_back(key);
    }
    ++count_;
    if (small) return true;
    const std::size_t have = count_ - frame.first;
    if (frame.table == 0) {
        tables_.emplace_back();
        frame.table = tables_.size();
    }
    Table& table = tables_[frame.table - 1];
    if (have * 2 > table.size()) {
        table.assign(std::bit_ceil(have * 4), 0);
        for (std::size_t place = 0; place + 1 < have; ++place) insert(table, frame.first, place);
    }
    return insert(table, frame.first, have - 1);
}

bool OpenKeys::insert(Table& table, std::size_t first, std::size_t place) {
    const std::string_view key = at(first + place).view();
    const std::size_t mask = table.size() - 1;
    for (std::size_t slot = hash_key(key) & mask;; slot = (slot + 1) & mask) {
        if (table[slot] == 0) {
            table[slot] = static_cast<std::uint32_t>(place + 1);
            return true;
        }
        if (at(first + table[slot] - 1).view() == key) return false;
    }
}

}  // namespace gantry::json
