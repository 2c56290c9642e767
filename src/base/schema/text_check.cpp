#include "base/schema/text_check.hpp"

#include <algorithm>
#include <cstring>

namespace gantry::schema {
namespace {

/// Deeper values are rare, and the evaluator has its own limits.
constexpr unsigned kMaxDepth = 24;
/// Limit on comparisons with enum values; beyond it, the evaluator counts its steps.
constexpr std::size_t kMaxComparisons = 4096;

constexpr bool is_space(char c) noexcept {
    return c == ' ' || c == '\n' || c == '\t' || c == '\r';
}

/// Walks a text known to be valid, which keeps this short.
class TextWalk {
public:
    TextWalk(const Program& program, std::string_view text) noexcept
        : program_(program), at_(text.data()), end_(text.data() + text.size()) {}

    bool value(NodeId id) noexcept {
        const Node& node = program_.nodes[id];
        if (node.never || node.in_place || node.unevaluated_items != kNoNode || node.unevaluated_properties != kNoNode)
            return false;
        if (++depth_ > kMaxDepth) return false;
        skip_space();
        bool fits = false;
        switch (*at_) {
            case '{': fits = (node.types & kTypeObject) != 0 && !node.value && object(node.object.get()); break;
            case '[': fits = (node.types & kTypeArray) != 0 && !node.value && array(node.array.get()); break;
            case '"': fits = (node.types & kTypeString) != 0 && string(node); break;
            case 't': fits = (node.types & kTypeBoolean) != 0 && !node.value && skip_word(4); break;
            case 'f': fits = (node.types & kTypeBoolean) != 0 && !node.value && skip_word(5); break;
            case 'n': fits = (node.types & kTypeNull) != 0 && !node.value && skip_word(4); break;
            default: fits = !node.value && number(node); break;
        }
        --depth_;
        return fits;
    }

private:
    void skip_space() noexcept {
        while (is_space(*at_)) ++at_;
    }

    bool skip_word(std::size_t size) noexcept {
        at_ += size;
        return true;
    }

    /// The string's content; false if it has escapes, which are not supported here.
    bool plain_string(std::string_view& out) noexcept {
        const char* const begin = ++at_;
        const auto* close = static_cast<const char*>(std::memchr(begin, '"', static_cast<std::size_t>(end_ - begin)));
        out = {begin, static_cast<std::size_t>(close - begin)};
        if (std::memchr(begin, '\\', out.size()) != nullptr) return false;
        at_ = close + 1;
        return true;
    }

    void skip_string() noexcept {
        for (++at_; *at_ != '"'; ++at_) {
            if (*at_ == '\\') ++at_;
        }
        ++at_;
    }

    /// Skips any value, whatever is inside.
    void skip_value() noexcept {
        std::size_t open = 0;
        skip_space();
        do {
            switch (*at_) {
                case '"': skip_string(); continue;
                case '{':
                case '[': ++open; break;
                case '}':
                case ']': --open; break;
                default:
                    if (open == 0) {
                        while (at_ != end_ && *at_ != ',' && *at_ != '}' && *at_ != ']' && !is_space(*at_)) ++at_;
                        return;
                    }
            }
            ++at_;
        } while (open > 0);
    }

    /// After a member or an element: whether another follows. Consumes the closing bracket too.
    bool another() noexcept {
        skip_space();
        return *at_++ == ',';
    }

    bool string(const Node& node) noexcept {
        std::string_view text;
        if (!plain_string(text)) return false;
        if (node.value && !is_option(*node.value, text)) return false;
        if (!node.string) return true;
        const StringRules& rules = *node.string;
        if (rules.pattern != nullptr || rules.format != Format::kNone) return false;
        // The number of characters is at most the number of bytes and at least a quarter of it.
        if (rules.max_length && text.size() > *rules.max_length) return false;
        return !rules.min_length || text.size() / 4 >= *rules.min_length ||
               (text.size() >= *rules.min_length &&
                std::ranges::none_of(text, [](char c) { return static_cast<signed char>(c) < 0; }));
    }

    bool is_option(const ValueRules& rules, std::string_view text) noexcept {
        if (rules.options && (comparisons_ += rules.options->size()) > kMaxComparisons) return false;
        const auto is_text = [text](const Json& option) {
            const std::string* known = option.if_string();
            return known != nullptr && *known == text;
        };
        if (rules.constant && !is_text(*rules.constant)) return false;
        return !rules.options || std::ranges::any_of(*rules.options, is_text);
    }

    bool number(const Node& node) noexcept {
        const char* const begin = at_;
        bool whole = true;
        for (; at_ != end_ && *at_ != ',' && *at_ != '}' && *at_ != ']' && !is_space(*at_); ++at_) {
            whole = whole && *at_ != '.' && *at_ != 'e' && *at_ != 'E';
        }
        if ((node.types & kTypeNumber) == 0 && !(whole && (node.types & kTypeInteger) != 0)) return false;
        if (!node.number) return true;
        // Comparing longer numbers would need memory.
        const auto size = static_cast<std::size_t>(at_ - begin);
        if (!whole || size > 15 || node.number->multiple_of) return false;
        return within(*node.number, {begin, size});
    }

    static bool within(const NumberRules& rules, std::string_view text) noexcept {
        if (rules.minimum && rules.minimum->compare_to(text) < 0) return false;
        if (rules.exclusive_minimum && rules.exclusive_minimum->compare_to(text) <= 0) return false;
        if (rules.maximum && rules.maximum->compare_to(text) > 0) return false;
        return !rules.exclusive_maximum || rules.exclusive_maximum->compare_to(text) < 0;
    }

    bool array(const ArrayRules* rules) noexcept {
        if (rules == nullptr) {
            skip_value();
            return true;
        }
        if (rules->unique || rules->contains != kNoNode) return false;
        std::size_t count = 0;
        ++at_;
        skip_space();
        if (*at_ == ']') {
            ++at_;
        } else {
            do {
                const NodeId node = count < rules->prefix.size() ? rules->prefix[count] : rules->rest;
                ++count;
                if (node == kNoNode) {
                    skip_value();
                } else if (!value(node)) {
                    return false;
                }
            } while (another());
        }
        return (!rules->min_items || count >= *rules->min_items) && (!rules->max_items || count <= *rules->max_items);
    }

    bool object(const ObjectRules* rules) noexcept {
        if (rules == nullptr) {
            skip_value();
            return true;
        }
        if (!rules->patterns.empty() || rules->names != kNoNode || !rules->dependent_names.empty()) return false;
        std::size_t count = 0;
        std::size_t required = 0;
        std::size_t hint = 0;
        ++at_;
        skip_space();
        if (*at_ == '}') {
            ++at_;
        } else {
            do {
                skip_space();
                std::string_view name;
                if (!plain_string(name)) return false;
                skip_space();
                ++at_;  // the colon
                ++count;
                const Slot* slot = rules->find(name, hint);
                if (slot != nullptr && slot->required) ++required;
                const NodeId node = slot != nullptr && slot->node != kNoNode ? slot->node : rules->additional;
                if (node == kNoNode) {
                    skip_value();
                } else if (!value(node)) {
                    return false;
                }
            } while (another());
        }
        // A valid text has no duplicate names, so counting suffices.
        return required >= rules->required && (!rules->min_properties || count >= *rules->min_properties) &&
               (!rules->max_properties || count <= *rules->max_properties);
    }

    const Program& program_;
    const char* at_;
    const char* end_;
    unsigned depth_ = 0;
    std::size_t comparisons_ = 0;
};

}  // namespace

bool text_fits(const Program& program, std::string_view json) noexcept {
    return !json.empty() && TextWalk(program, json).value(program.root);
}

}  // namespace gantry::schema
