#include "base/redact/redactor.hpp"

#include <algorithm>
#include <bitset>
#include <cstring>
#include <unordered_map>
#include <vector>

#include "base/redact/forms.hpp"

namespace gantry {

/// All forms of all values, indexed by their first bytes, so that a text is scanned once however many there are.
class Redactor::Patterns {
public:
    explicit Patterns(const std::deque<std::string>& values) {
        for (const std::string& value : values) {
            for (std::string& form : forms_of(value)) {
                if (form.size() < kShortest) continue;
                likely_.set(pair_at(form));
                by_head_[head_at(form)].push_back(std::move(form));
            }
        }
        for (auto& [head, forms] : by_head_) std::ranges::sort(forms, std::greater(), &std::string::size);
    }

    /// Length of the secret that begins here; 0: none.
    std::size_t match(std::string_view text) const {
        if (text.size() < kShortest || !likely_.test(pair_at(text))) return 0;
        const auto forms = by_head_.find(head_at(text));
        if (forms == by_head_.end()) return 0;
        std::size_t piece = 0;
        for (const std::string& form : forms->second) {
            const auto common = static_cast<std::size_t>(std::ranges::mismatch(text, form).in2 - form.begin());
            if (common == form.size()) return common;
            if (common >= std::max(kShortestPiece, form.size() / 4)) piece = std::max(piece, common);
        }
        return piece;
    }
    bool empty() const noexcept { return by_head_.empty(); }

private:
    /// A truncated text may end in the beginning of a secret; a prefix of this length is not a coincidence.
    static constexpr std::size_t kShortestPiece = 8;

    static std::uint16_t pair_at(std::string_view text) {
        std::uint16_t pair = 0;
        std::memcpy(&pair, text.data(), sizeof pair);
        return pair;
    }
    static std::uint32_t head_at(std::string_view text) {
        static_assert(sizeof(std::uint32_t) <= kShortest);
        std::uint32_t head = 0;
        std::memcpy(&head, text.data(), sizeof head);
        return head;
    }

    std::bitset<65536> likely_;
    std::unordered_map<std::uint32_t, std::vector<std::string>> by_head_;  // longest first
};

Redactor::Redactor() = default;
Redactor::~Redactor() = default;

void Redactor::add(std::string_view secret) {
    // A huge value is recognized by its pieces.
    while (secret.size() > kLongest) {
        add(secret.substr(0, kLongest));
        secret.remove_prefix(kLongest);
    }
    if (secret.size() < kShortest) return;
    const std::lock_guard guard(mutex_);
    if (std::ranges::find(values_, secret) != values_.end()) return;
    if (values_.size() == kMost) values_.pop_front();
    values_.emplace_back(secret);
    // Rebuilt for the next text: values are usually added in batches.
    patterns_ = nullptr;
}

std::shared_ptr<const Redactor::Patterns> Redactor::patterns() const {
    const std::lock_guard guard(mutex_);
    if (!patterns_) patterns_ = std::make_shared<const Patterns>(values_);
    return patterns_;
}

bool Redactor::touches(std::string_view text) const {
    const auto known = patterns();
    if (known->empty()) return false;
    for (std::size_t at = 0; at < text.size(); ++at) {
        if (known->match(text.substr(at)) != 0) return true;
    }
    return false;
}

std::string Redactor::masked(std::string text) const {
    const auto known = patterns();
    if (known->empty()) return text;
    std::string out;
    std::size_t kept = 0;  // `text` has been copied to `out` up to here
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t size = known->match(std::string_view(text).substr(at));
        if (size == 0) {
            ++at;
            continue;
        }
        out.append(text, kept, at - kept).append("***");
        at += size;
        kept = at;
    }
    if (kept == 0) return text;
    return out.append(text, kept);
}

std::size_t Redactor::size() const {
    const std::lock_guard guard(mutex_);
    return values_.size();
}

}  // namespace gantry
