// Rewrites ECMA-262 regular expressions (Unicode mode) for RE2.
#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/schema/pattern.hpp"
#include "base/try.hpp"

namespace gantry::schema {
namespace {

// ECMA's WhiteSpace and LineTerminator, and the complement, as the inside of a class.
constexpr std::string_view kSpace =
    "\\x{9}-\\x{d}\\x{20}\\x{a0}\\x{1680}\\x{2000}-\\x{200a}\\x{2028}\\x{2029}\\x{202f}\\x{205f}\\x{3000}\\x{feff}";
constexpr std::string_view kNotSpace =
    "\\x{0}-\\x{8}\\x{e}-\\x{1f}\\x{21}-\\x{9f}\\x{a1}-\\x{167f}\\x{1681}-\\x{1fff}\\x{200b}-\\x{2027}"
    "\\x{202a}-\\x{202e}\\x{2030}-\\x{205e}\\x{2060}-\\x{2fff}\\x{3001}-\\x{fefe}\\x{ff00}-\\x{10ffff}";
constexpr std::string_view kDot = "[^\\n\\r\\x{2028}\\x{2029}]";
constexpr std::uint32_t kMaxRepeat = 1000;  // RE2's own limit for one counter
constexpr std::uint32_t kMaxTotalRepeat = 20'000;

/// ECMA's long names of general categories; RE2 knows the short ones and the scripts.
constexpr auto kCategories = std::to_array<std::pair<std::string_view, std::string_view>>({
    {"Letter", "L"},
    {"Cased_Letter", "LC"},
    {"Uppercase_Letter", "Lu"},
    {"Lowercase_Letter", "Ll"},
    {"Titlecase_Letter", "Lt"},
    {"Modifier_Letter", "Lm"},
    {"Other_Letter", "Lo"},
    {"Mark", "M"},
    {"Combining_Mark", "M"},
    {"Nonspacing_Mark", "Mn"},
    {"Spacing_Mark", "Mc"},
    {"Enclosing_Mark", "Me"},
    {"Number", "N"},
    {"Decimal_Number", "Nd"},
    {"digit", "Nd"},
    {"Letter_Number", "Nl"},
    {"Other_Number", "No"},
    {"Punctuation", "P"},
    {"punct", "P"},
    {"Connector_Punctuation", "Pc"},
    {"Dash_Punctuation", "Pd"},
    {"Open_Punctuation", "Ps"},
    {"Close_Punctuation", "Pe"},
    {"Initial_Punctuation", "Pi"},
    {"Final_Punctuation", "Pf"},
    {"Other_Punctuation", "Po"},
    {"Symbol", "S"},
    {"Math_Symbol", "Sm"},
    {"Currency_Symbol", "Sc"},
    {"Modifier_Symbol", "Sk"},
    {"Other_Symbol", "So"},
    {"Separator", "Z"},
    {"Space_Separator", "Zs"},
    {"Line_Separator", "Zl"},
    {"Paragraph_Separator", "Zp"},
    {"Control", "Cc"},
    {"cntrl", "Cc"},
    {"Format", "Cf"},
    {"Private_Use", "Co"},
});

bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

class Translator {
public:
    Translator(std::string_view in, bool strict) : in_(in), strict_(strict) {}

    Result<std::string> run() {
        while (at_ < in_.size()) GANTRY_CHECK(term());
        if (!groups_.empty()) return bad("a group is not closed");
        return std::move(out_);
    }

private:
    std::unexpected<Error> bad(std::string_view what) const {
        return fail(ErrorCode::kSchema, "not a regular expression of ECMA-262: " + std::string(what));
    }
    std::unexpected<Error> unsupported(std::string_view what) const {
        return fail(ErrorCode::kUnsupported, "regular expression uses " + std::string(what) +
                                                 ", which has no bounded-time evaluation and is not supported");
    }
    bool more() const { return at_ < in_.size(); }
    bool looking_at(std::string_view text) const { return in_.substr(at_).starts_with(text); }

    Result<void> term() {
        const char c = in_[at_];
        switch (c) {
            case '(': return open_group();
            case ')': return close_group();
            case '|': ++at_; return emit_assertion("|");
            case '^': ++at_; return emit_assertion("^");
            case '$': ++at_; return emit_assertion("$");
            case '*':
            case '+':
            case '?': return simple_quantifier();
            case '{': return counted_quantifier();
            case '.': ++at_; return emit_atom(kDot);
            case '[': return character_class();
            case '\\': return escape_outside_class();
            default: break;
        }
        if (c == ']' || c == '}') {
            ++at_;
            return emit_atom(c == ']' ? "\\]" : "\\}");
        }
        std::size_t length = 1;  // one whole code point, so that a quantifier applies to it
        while (at_ + length < in_.size() && (static_cast<unsigned char>(in_[at_ + length]) & 0xC0) == 0x80) ++length;
        const auto text = in_.substr(at_, length);
        at_ += length;
        return emit_atom(text);
    }

    Result<void> emit_atom(std::string_view text) {
        atom_ = out_.size();
        out_.append(text);
        return {};
    }
    Result<void> emit_assertion(std::string_view text) {
        atom_.reset();
        out_.append(text);
        return {};
    }

    Result<void> open_group() {
        for (const auto look : {"(?=", "(?!", "(?<=", "(?<!"}) {
            if (looking_at(look)) return unsupported("look-around");
        }
        const std::size_t start = out_.size();
        if (!strict_ && looking_at("(?i)")) {
            at_ += 4;
            return emit_assertion("(?i)");
        }
        if (looking_at("(?:")) {
            at_ += 3;
            out_.append("(?:");
        } else if (looking_at("(?i:")) {
            at_ += 4;
            out_.append("(?i:");
        } else if (looking_at("(?<") || (!strict_ && looking_at("(?P<"))) {
            const auto end = in_.find('>', at_);
            if (end == std::string_view::npos) return bad("the name of a group is not closed");
            at_ = end + 1;
            out_.append("(?:");
        } else if (looking_at("(?")) {
            return bad("unknown kind of group");
        } else {
            ++at_;
            out_.append("(?:");
        }
        if (groups_.size() >= 200) return bad("groups are nested too deeply");
        groups_.push_back(start);
        atom_.reset();
        return {};
    }

    Result<void> close_group() {
        if (groups_.empty()) return bad("')' without '('");
        ++at_;
        out_.push_back(')');
        atom_ = groups_.back();
        groups_.pop_back();
        return {};
    }

    Result<void> finish_quantifier() {
        if (more() && in_[at_] == '?') {  // laziness never affects whether there is a match
            ++at_;
        }
        atom_.reset();
        return {};
    }

    Result<void> simple_quantifier() {
        if (!atom_) return bad("nothing to repeat");
        out_.push_back(in_[at_++]);
        return finish_quantifier();
    }

    std::optional<std::uint32_t> number() {
        if (!more() || !is_digit(in_[at_])) return std::nullopt;
        std::uint32_t value = 0;
        for (; more() && is_digit(in_[at_]); ++at_) {
            if (value < 1'000'000) value = value * 10 + static_cast<std::uint32_t>(in_[at_] - '0');
        }
        return value;
    }

    Result<void> counted_quantifier() {
        const std::size_t start = at_++;
        const auto low = number();
        std::optional<std::uint32_t> high = low;
        bool open_end = false;
        if (low && more() && in_[at_] == ',') {
            ++at_;
            high = number();
            open_end = !high;
        }
        if (!low || !more() || in_[at_] != '}') {  // a brace that is not a quantifier is literal
            at_ = start + 1;
            return emit_atom("\\{");
        }
        ++at_;
        if (!atom_) return bad("nothing to repeat");
        if (high && *high < *low) return bad("the numbers of a quantifier are out of order");
        if (*low > kMaxTotalRepeat || (high && *high > kMaxTotalRepeat)) {
            return fail(ErrorCode::kLimit, "regular expression repeats more than 20000 times");
        }
        return repeat(*low, open_end ? std::optional<std::uint32_t>() : high);
    }

    /// Rewrites x{2500} as x{1000}x{1000}x{500}, because RE2 limits a counter to 1000.
    Result<void> repeat(std::uint32_t low, std::optional<std::uint32_t> high) {
        const std::string atom = out_.substr(*atom_);
        out_.resize(*atom_);
        out_.append("(?:");
        const std::uint32_t largest = high ? std::max(low, *high) : low;
        if (largest / kMaxRepeat * atom.size() > (1u << 20)) {
            return fail(ErrorCode::kLimit, "regular expression is too large when compiled");
        }
        std::uint32_t rest = low;
        for (; rest > kMaxRepeat; rest -= kMaxRepeat) out_.append(atom).append("{1000}");
        if (!high) {
            out_.append(atom).append("{" + std::to_string(rest) + ",}");
        } else {
            std::uint32_t more_allowed = *high - low;
            const std::uint32_t first = std::min(more_allowed, kMaxRepeat - rest);
            out_.append(atom).append("{" + std::to_string(rest) + "," + std::to_string(rest + first) + "}");
            for (more_allowed -= first; more_allowed > 0;) {
                const std::uint32_t part = std::min(more_allowed, kMaxRepeat);
                out_.append(atom).append("{0," + std::to_string(part) + "}");
                more_allowed -= part;
            }
        }
        out_.push_back(')');
        if (out_.size() > (4u << 20)) return fail(ErrorCode::kLimit, "regular expression is too large when compiled");
        return finish_quantifier();
    }

    static std::string code_point(std::uint32_t value) {
        constexpr std::string_view kHex = "0123456789abcdef";
        std::string digits;
        do {
            digits.insert(digits.begin(), kHex[value & 15]);
            value >>= 4;
        } while (value != 0);
        return "\\x{" + digits + "}";
    }

    std::optional<std::uint32_t> hex(std::size_t count) {
        if (at_ + count > in_.size()) return std::nullopt;
        std::uint32_t value = 0;
        for (std::size_t i = 0; i < count; ++i) {
            const char c = in_[at_ + i];
            if (is_digit(c)) {
                value = value * 16 + static_cast<std::uint32_t>(c - '0');
            } else if ((c | 32) >= 'a' && (c | 32) <= 'f') {
                value = value * 16 + static_cast<std::uint32_t>((c | 32) - 'a') + 10;
            } else {
                return std::nullopt;
            }
        }
        at_ += count;
        return value;
    }

    /// After "\u": four digits, a surrogate pair, or {…}.
    Result<std::uint32_t> unicode_escape() {
        if (more() && in_[at_] == '{') {
            const auto end = in_.find('}', at_);
            if (end == std::string_view::npos || end - at_ < 2 || end - at_ > 9) return bad("malformed \\u{…}");
            ++at_;
            const auto value = hex(end - at_);
            if (!value || *value > 0x10FFFF) return bad("malformed \\u{…}");
            ++at_;
            return *value;
        }
        auto value = hex(4);
        if (!value) return bad("\\u needs four hexadecimal digits");
        if (*value >= 0xD800 && *value < 0xDC00 && looking_at("\\u")) {
            const std::size_t keep = at_;
            at_ += 2;
            const auto low = hex(4);
            if (low && *low >= 0xDC00 && *low < 0xE000) return 0x10000 + ((*value - 0xD800) << 10) + (*low - 0xDC00);
            at_ = keep;
        }
        if (*value >= 0xD800 && *value < 0xE000) return unsupported("a lone surrogate");
        return *value;
    }

    /// After "\p" or "\P".
    Result<std::string> property(bool negated) {
        const auto end = in_.find('}', at_);
        if (!more() || in_[at_] != '{' || end == std::string_view::npos) return bad("\\p needs a name in braces");
        std::string_view name = in_.substr(at_ + 1, end - at_ - 1);
        at_ = end + 1;
        for (const std::string_view prefix : {"General_Category=", "gc=", "Script=", "sc="}) {
            if (name.starts_with(prefix)) {
                name.remove_prefix(prefix.size());
                break;
            }
        }
        if (name == "Any") return std::string(negated ? "\\P{Any}" : "\\p{Any}");
        if (name == "ASCII") return std::string(negated ? "\\x{80}-\\x{10ffff}" : "\\x{0}-\\x{7f}");
        if (name == "LC" || name == "Cased_Letter") {
            if (negated) return unsupported("\\P{Cased_Letter}");
            return std::string("\\p{Lu}\\p{Ll}\\p{Lt}");
        }
        for (const auto& [long_name, short_name] : kCategories) {
            if (name == long_name) name = short_name;
        }
        for (const char c : name) {
            if (!is_letter(c) && !is_digit(c) && c != '_') return bad("malformed property name");
        }
        return (negated ? "\\P{" : "\\p{") + std::string(name) + "}";
    }

    /// After the backslash: the translated escape, in a form valid inside a class.
    Result<std::string> escape() {
        if (!more()) return bad("it ends in a backslash");
        const char c = in_[at_++];
        switch (c) {
            case 'd': return std::string("0-9");
            case 'D': return std::string("\\x{0}-\\x{2f}\\x{3a}-\\x{10ffff}");
            case 'w': return std::string("0-9A-Za-z_");
            case 'W': return std::string("\\x{0}-\\x{2f}\\x{3a}-\\x{40}\\x{5b}-\\x{5e}\\x{60}\\x{7b}-\\x{10ffff}");
            case 's': return std::string(kSpace);
            case 'S': return std::string(kNotSpace);
            case 't': return code_point('\t');
            case 'n': return code_point('\n');
            case 'v': return code_point('\v');
            case 'f': return code_point('\f');
            case 'r': return code_point('\r');
            case 'p': return property(false);
            case 'P': return property(true);
            case 'u': {
                GANTRY_TRY(const std::uint32_t value, unicode_escape());
                return code_point(value);
            }
            case 'x': {
                const auto value = hex(2);
                if (!value) return bad("\\x needs two hexadecimal digits");
                return code_point(*value);
            }
            case 'c':
                if (!more() || !is_letter(in_[at_])) return bad("\\c needs a letter");
                return code_point(static_cast<std::uint32_t>(in_[at_++]) & 31);
            case '0':
                if (more() && is_digit(in_[at_])) return bad("octal escape");
                return code_point(0);
            default: break;
        }
        if (is_digit(c) || c == 'k') return unsupported("a back-reference");
        if (is_letter(c)) return bad(std::string("unknown escape \\") + c);
        if (static_cast<unsigned char>(c) >= 0x80) return bad("a backslash before a character beyond ASCII");
        return code_point(static_cast<std::uint32_t>(c));
    }

    Result<void> escape_outside_class() {
        ++at_;
        if (more() && (in_[at_] == 'b' || in_[at_] == 'B')) {
            return emit_assertion(in_[at_++] == 'b' ? "\\b" : "\\B");
        }
        GANTRY_TRY(const std::string inside, escape());
        return emit_atom("[" + inside + "]");
    }

    Result<void> character_class() {
        ++at_;
        const bool negated = looking_at("^");
        if (negated) ++at_;
        if (looking_at("]")) {  // ECMA: [] matches nothing, [^] everything
            ++at_;
            return emit_atom(negated ? "[\\x{0}-\\x{10ffff}]" : "[^\\x{0}-\\x{10ffff}]");
        }
        std::string inside = negated ? "[^" : "[";
        for (;;) {
            if (!more()) return bad("a character class is not closed");
            const char c = in_[at_++];
            if (c == ']') break;
            if (c == '\\' && looking_at("b")) {
                ++at_;
                inside.append("\\x{8}");
            } else if (c == '\\' && looking_at("-")) {
                ++at_;
                inside.append("\\x{2d}");
            } else if (c == '\\') {
                GANTRY_TRY(const std::string part, escape());
                inside.append(part);
                // RE2 would read "\w-x" as an invalid range; ECMA's web form takes the dash literally.
                const bool set = part.size() > 2 && part.find_last_of('-') != std::string::npos;
                if ((set || part.starts_with("\\p") || part.starts_with("\\P")) && looking_at("-") &&
                    !looking_at("-]")) {
                    ++at_;
                    inside.append("\\x{2d}");
                }
            } else if (c == '[') {
                inside.append("\\[");  // RE2 supports [[:alpha:]], ECMA does not
            } else if (c == '-' && (looking_at("]") || looking_at("\\w") || looking_at("\\d") || looking_at("\\s"))) {
                inside.append("\\x{2d}");
            } else if (c == '^') {
                inside.append("\\^");
            } else {
                inside.push_back(c);
            }
        }
        return emit_atom(inside + "]");
    }

    std::string_view in_;
    bool strict_;
    std::size_t at_ = 0;
    std::string out_;
    std::optional<std::size_t> atom_;  // start of the last repeatable item in out_
    std::vector<std::size_t> groups_;
};

}  // namespace

Result<std::string> ecma_to_re2(std::string_view pattern, bool strict) {
    return Translator(pattern, strict).run();
}

}  // namespace gantry::schema
