#include "base/nearest.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

namespace gantry {

namespace {

/// Longer words are not typing mistakes, and comparing them takes quadratic time.
constexpr std::size_t kLongest = 64;
/// Below this length, too many names end in the word by chance.
constexpr std::size_t kShortestEnding = 3;

/// Lower case, without word separators.
std::string folded(std::string_view word) {
    std::string out;
    for (const char c : word) {
        if (c == '_' || c == '-') continue;
        out += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    }
    return out;
}

/// Levenshtein distance: how many letters have to be added, dropped or changed.
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
    if (word.size() > kLongest) return {};
    const std::string meant = folded(word);
    std::string_view best;
    std::size_t least = std::max<std::size_t>(1, meant.size() / 3) + 1;
    for (const std::string_view candidate : known) {
        if (candidate.size() > 2 * kLongest) continue;
        const std::string other = folded(candidate);
        // The difference in length is a lower bound of the distance.
        if (std::max(other.size(), meant.size()) - std::min(other.size(), meant.size()) >= least) continue;
        if (const std::size_t d = distance(meant, other); d < least) {
            least = d;
            best = candidate;
        }
    }
    return best;
}

std::string_view nearest_name(std::string_view word, const std::set<std::string_view>& known) {
    if (const std::string_view near = nearest(word, known); !near.empty()) return near;
    const std::string meant = folded(word);
    if (word.size() > kLongest || meant.size() < kShortestEnding) return {};
    std::string_view best;
    for (const std::string_view candidate : known) {
        if (candidate.size() > 2 * kLongest || !folded(candidate).ends_with(meant)) continue;
        if (best.empty() || candidate.size() < best.size()) best = candidate;
    }
    return best;
}

std::string did_you_mean(std::string_view meant) {
    return meant.empty() ? std::string() : "; did you mean '" + std::string(meant) + "'?";
}

}  // namespace gantry
