#include "base/schema/evaluator.hpp"

namespace gantry::schema {
namespace {

std::uint64_t code_points(std::string_view text) {
    std::uint64_t count = 0;
    for (const char c : text) count += (static_cast<unsigned char>(c) & 0xC0) != 0x80 ? 1 : 0;
    return count;
}

std::string_view format_text(Format format) {
    switch (format) {
        case Format::kDateTime: return "a date-time of RFC 3339";
        case Format::kDate: return "a date of RFC 3339";
        case Format::kTime: return "a time of RFC 3339";
        case Format::kDuration: return "a duration of ISO 8601";
        case Format::kEmail: return "an email address";
        case Format::kHostname: return "a host name";
        case Format::kIpv4: return "an IPv4 address";
        case Format::kIpv6: return "an IPv6 address";
        case Format::kUri: return "a URI";
        case Format::kUriReference: return "a URI reference";
        case Format::kIri: return "an IRI";
        case Format::kIriReference: return "an IRI reference";
        case Format::kUuid: return "a UUID";
        case Format::kJsonPointer: return "a JSON pointer";
        case Format::kRelativeJsonPointer: return "a relative JSON pointer";
        case Format::kRegex: return "a regular expression";
        case Format::kNone: break;
    }
    return "of a certain format";
}

}  // namespace

bool Evaluator::check_number(NodeId id, const NumberRules& rules, const At& at) {
    const std::string_view number = at.value.number_text();
    if (number.size() > 18 && !spend(number.size() / 16)) return false;
    bool ok = true;
    if (rules.minimum && rules.minimum->compare_to(number) < 0) {
        ok = refuse(id, "minimum", at.path, "must be at least " + rules.minimum->text());
    }
    if (rules.exclusive_minimum && rules.exclusive_minimum->compare_to(number) <= 0) {
        ok = refuse(id, "exclusiveMinimum", at.path, "must be greater than " + rules.exclusive_minimum->text());
    }
    if (rules.maximum && rules.maximum->compare_to(number) > 0) {
        ok = refuse(id, "maximum", at.path, "must be at most " + rules.maximum->text());
    }
    if (rules.exclusive_maximum && rules.exclusive_maximum->compare_to(number) >= 0) {
        ok = refuse(id, "exclusiveMaximum", at.path, "must be less than " + rules.exclusive_maximum->text());
    }
    if (!rules.multiple_of) return ok;
    const std::size_t divisor_limbs = rules.multiple_of->value().digits.size() / 9 + 1;
    if (!spend(number.size() / 8 * divisor_limbs + divisor_limbs * divisor_limbs)) return false;
    if (!rules.multiple_of->divides(number)) {
        ok = refuse(id, "multipleOf", at.path, "must be a multiple of " + rules.multiple_of->text());
    }
    return ok;
}

bool Evaluator::check_string(NodeId id, const StringRules& rules, const At& at) {
    const std::string& text = *at.value.if_string();
    if (!spend(text.size() / 64)) return false;
    bool ok = true;
    if (rules.min_length || rules.max_length) {
        const std::uint64_t length = code_points(text);
        if (rules.min_length && length < *rules.min_length) {
            ok = refuse(id, "minLength", at.path,
                        "must be at least " + std::to_string(*rules.min_length) + " characters long");
        }
        if (rules.max_length && length > *rules.max_length) {
            ok = refuse(id, "maxLength", at.path,
                        "must be at most " + std::to_string(*rules.max_length) + " characters long");
        }
    }
    if (!ok && !curious()) return false;
    if (rules.pattern) {
        if (!spend(rules.pattern->cost(text.size()))) return false;
        if (!rules.pattern->found_in(text)) {
            ok = refuse(id, "pattern", at.path, "must match the pattern given in the schema");
        }
    }
    if (rules.format != Format::kNone && !has_format(rules.format, text)) {
        ok = refuse(id, "format", at.path, "must be " + std::string(format_text(rules.format)));
    }
    return ok;
}

}  // namespace gantry::schema
