#include "app/config/nearest.hpp"

#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

namespace gantry::app {

namespace {

/// Lower case, without what people put between words.
std::string folded(std::string_view word) {
    std::string out;
    for (const char c : word) {
        if (c == '_' || c == '-') continue;
        out += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    }
    return out;
}

/// How many letters have to be added, dropped or changed.
std::size_t distance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> row(b.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 0; i < a.size(); ++i) {
        std::size_t diagonal = row[0];
        row[0] = i + 1;
        for (std::size_t j = 0; j < b.size(); ++j) {
            const std::size_t changed = diagonal + (a[i] == b[j] ? 0 : 1);
            diagonal = row[j + 1];
            row[j + 1] = std::min({changed, row[j] + 1, row[j + 1] + 1});
        }
    }
    return row.back();
}

}  // namespace

std::string_view nearest(std::string_view word, const std::set<std::string_view>& known) {
    if (word.size() > 64) return {};
    const std::string meant = folded(word);
    std::string_view best;
    std::size_t least = std::max<std::size_t>(1, meant.size() / 3) + 1;
    for (const std::string_view candidate : known) {
        if (const std::size_t d = distance(meant, folded(candidate)); d < least) {
            least = d;
            best = candidate;
        }
    }
    return best;
}

}  // namespace gantry::app
