#include "base/json/keys.hpp"

#include <bit>

#include "base/json/hash.hpp"

namespace gantry::json {

std::string_view OpenKeys::unescape(std::string_view inside) {
    std::string& text = unescaped_.emplace_front();
    unescape_to(inside, text);
    return text;
}

// Owned texts were pushed in the order of their keys, so they leave from the front.
void OpenKeys::forget_unescaped(std::size_t first) noexcept {
    for (std::size_t i = first; i != count_; ++i) {
        if (at(i).owned) unescaped_.pop_front();
    }
}

// The newest key is the last one pushed. Objects inside are closed whenever this one gets
// another key, so the tables form a stack like the objects do.
bool OpenKeys::add_to_table(Frame& frame) {
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
