#include "base/json/surrogates.hpp"

#include <algorithm>
#include <optional>

#include "base/json/text.hpp"

namespace gantry::json {
namespace {

constexpr std::size_t kEscape = 6;  // \uXXXX
constexpr std::string_view kReplacement = "\\ufffd";

/// The code unit of the escape at `at`; empty unless there is a complete \uXXXX.
std::optional<unsigned> unit_at(std::string_view text, std::size_t at) {
    if (text.size() < at + kEscape || text[at] != '\\' || text[at + 1] != 'u') return std::nullopt;
    unsigned unit = 0;
    for (std::size_t i = at + 2; i < at + kEscape; ++i) {
        const int digit = hex_value(text[i]);
        if (digit < 0) return std::nullopt;
        unit = unit * 16 + static_cast<unsigned>(digit);
    }
    return unit;
}

}  // namespace

bool is_lone_surrogate(const Error& error) noexcept {
    return error.code() == ErrorCode::kParse && error.message().starts_with(reason::kSurrogate);
}

bool replace_lone_surrogates(std::string& text) {
    bool replaced = false;
    for (std::size_t at = text.find('\\'); at < text.size(); at = text.find('\\', at)) {
        const auto unit = unit_at(text, at);
        if (!unit || (!is_high_surrogate(*unit) && !is_low_surrogate(*unit))) {
            at += unit ? kEscape : 2;
            continue;
        }
        const auto next = is_high_surrogate(*unit) ? unit_at(text, at + kEscape) : std::nullopt;
        if (next && is_low_surrogate(*next)) {
            at += 2 * kEscape;
            continue;
        }
        text.replace(at, kEscape, kReplacement);
        at += kEscape;
        replaced = true;
    }
    return replaced;
}

std::string_view SurrogateFilter::pass(std::string_view piece, IncrementalScanner& scanner) {
    const std::size_t settled = scanner.settled();
    offset_ = passed_;
    passed_ = settled;
    if (held_.empty() && settled == scanner.size() && scanner.lone().empty()) [[likely]]
        return piece;
    copy_ = std::move(held_);
    copy_.append(piece);
    for (const std::size_t at : scanner.lone()) copy_.replace(at - offset_, kEscape, kReplacement);
    scanner.forget_lone();
    held_ = copy_.substr(std::min(copy_.size(), settled - offset_));
    copy_.resize(copy_.size() - held_.size());
    return copy_;
}

}  // namespace gantry::json
