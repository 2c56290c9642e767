#include "base/schema/dialect.hpp"

#include <algorithm>
#include <array>

#include "base/schema/metaschemas.hpp"
#include "base/schema/uri.hpp"
#include "base/try.hpp"

namespace gantry::schema {
namespace {

constexpr std::uint8_t k7 = 1, k2020 = 2, kBoth = 3;

struct Entry {
    KeywordInfo info;
    std::uint8_t vocabularies;
    std::uint8_t drafts;
};

constexpr std::uint8_t kAnyFormat = kFormat | kFormatAssertion;

// Sorted by name. `dependencies` stays known in 2020-12, as its specification allows.
// `items` is listed once per draft because its shape changed.
constexpr auto kKeywords = std::to_array<Entry>({
    {{"$anchor", Keyword::kAnchor, Shape::kValue}, kCore, k2020},
    {{"$defs", Keyword::kDefs, Shape::kSchemaMap}, kCore, k2020},
    {{"$dynamicAnchor", Keyword::kDynamicAnchor, Shape::kValue}, kCore, k2020},
    {{"$dynamicRef", Keyword::kDynamicRef, Shape::kValue}, kCore, k2020},
    {{"$id", Keyword::kId, Shape::kValue}, kCore, kBoth},
    {{"$ref", Keyword::kRef, Shape::kValue}, kCore, kBoth},
    {{"$schema", Keyword::kSchema, Shape::kValue}, kCore, kBoth},
    {{"additionalItems", Keyword::kAdditionalItems, Shape::kSchema}, kApplicator, k7},
    {{"additionalProperties", Keyword::kAdditionalProperties, Shape::kSchema}, kApplicator, kBoth},
    {{"allOf", Keyword::kAllOf, Shape::kSchemas}, kApplicator, kBoth},
    {{"anyOf", Keyword::kAnyOf, Shape::kSchemas}, kApplicator, kBoth},
    {{"const", Keyword::kConst, Shape::kValue}, kValidation, kBoth},
    {{"contains", Keyword::kContains, Shape::kSchema}, kApplicator, kBoth},
    {{"definitions", Keyword::kDefs, Shape::kSchemaMap}, kCore, kBoth},
    {{"dependencies", Keyword::kDependencies, Shape::kSchemaOrNamesMap}, kApplicator, kBoth},
    {{"dependentRequired", Keyword::kDependentRequired, Shape::kValue}, kValidation, k2020},
    {{"dependentSchemas", Keyword::kDependentSchemas, Shape::kSchemaMap}, kApplicator, k2020},
    {{"else", Keyword::kElse, Shape::kSchema}, kApplicator, kBoth},
    {{"enum", Keyword::kEnum, Shape::kValue}, kValidation, kBoth},
    {{"exclusiveMaximum", Keyword::kExclusiveMaximum, Shape::kValue}, kValidation, kBoth},
    {{"exclusiveMinimum", Keyword::kExclusiveMinimum, Shape::kValue}, kValidation, kBoth},
    {{"format", Keyword::kFormat, Shape::kValue}, kAnyFormat, kBoth},
    {{"if", Keyword::kIf, Shape::kSchema}, kApplicator, kBoth},
    {{"items", Keyword::kItems, Shape::kSchema}, kApplicator, k2020},
    {{"items", Keyword::kItems, Shape::kSchemaOrSchemas}, kApplicator, k7},
    {{"maxContains", Keyword::kMaxContains, Shape::kValue}, kValidation, k2020},
    {{"maxItems", Keyword::kMaxItems, Shape::kValue}, kValidation, kBoth},
    {{"maxLength", Keyword::kMaxLength, Shape::kValue}, kValidation, kBoth},
    {{"maxProperties", Keyword::kMaxProperties, Shape::kValue}, kValidation, kBoth},
    {{"maximum", Keyword::kMaximum, Shape::kValue}, kValidation, kBoth},
    {{"minContains", Keyword::kMinContains, Shape::kValue}, kValidation, k2020},
    {{"minItems", Keyword::kMinItems, Shape::kValue}, kValidation, kBoth},
    {{"minLength", Keyword::kMinLength, Shape::kValue}, kValidation, kBoth},
    {{"minProperties", Keyword::kMinProperties, Shape::kValue}, kValidation, kBoth},
    {{"minimum", Keyword::kMinimum, Shape::kValue}, kValidation, kBoth},
    {{"multipleOf", Keyword::kMultipleOf, Shape::kValue}, kValidation, kBoth},
    {{"not", Keyword::kNot, Shape::kSchema}, kApplicator, kBoth},
    {{"oneOf", Keyword::kOneOf, Shape::kSchemas}, kApplicator, kBoth},
    {{"pattern", Keyword::kPattern, Shape::kValue}, kValidation, kBoth},
    {{"patternProperties", Keyword::kPatternProperties, Shape::kSchemaMap}, kApplicator, kBoth},
    {{"prefixItems", Keyword::kPrefixItems, Shape::kSchemas}, kApplicator, k2020},
    {{"properties", Keyword::kProperties, Shape::kSchemaMap}, kApplicator, kBoth},
    {{"propertyNames", Keyword::kPropertyNames, Shape::kSchema}, kApplicator, kBoth},
    {{"required", Keyword::kRequired, Shape::kValue}, kValidation, kBoth},
    {{"then", Keyword::kThen, Shape::kSchema}, kApplicator, kBoth},
    {{"type", Keyword::kType, Shape::kValue}, kValidation, kBoth},
    {{"unevaluatedItems", Keyword::kUnevaluatedItems, Shape::kSchema}, kUnevaluated, k2020},
    {{"unevaluatedProperties", Keyword::kUnevaluatedProperties, Shape::kSchema}, kUnevaluated, k2020},
    {{"uniqueItems", Keyword::kUniqueItems, Shape::kValue}, kValidation, kBoth},
});

constexpr std::string_view entry_name(const Entry& entry) {
    return entry.info.name;
}
static_assert(std::ranges::is_sorted(kKeywords, {}, entry_name));

constexpr std::string_view kVocabularyBase = "https://json-schema.org/draft/2020-12/vocab/";
constexpr auto kVocabularies = std::to_array<std::pair<std::string_view, std::uint8_t>>({
    {"core", kCore},
    {"applicator", kApplicator},
    {"unevaluated", kUnevaluated},
    {"validation", kValidation},
    {"format-annotation", kFormat},
    {"format-assertion", kFormat | kFormatAssertion},
    {"meta-data", kAnnotation},
    {"content", kAnnotation},
});

std::uint8_t vocabulary_named(std::string_view uri) {
    if (!uri.starts_with(kVocabularyBase)) return 0;
    uri.remove_prefix(kVocabularyBase.size());
    for (const auto& [name, bits] : kVocabularies) {
        if (name == uri) return bits;
    }
    return 0;
}

Result<Dialect> dialect_of_metaschema(std::string_view uri, const Json& metaschema, const CompileOptions& options) {
    const std::string_view parent = split_fragment(metaschema.string_at("$schema")).first;
    Dialect dialect;
    if (parent == uri) {
        return fail(ErrorCode::kUnsupported, "dialect '" + std::string(uri) + "' is defined only by itself");
    }
    if (parent == kDraft7Uri || parent == kDraft7HttpsUri) return dialect_named(parent, options);
    if (parent != k2020Uri) {
        return fail(ErrorCode::kUnsupported, "dialect '" + std::string(uri) + "' builds on an unsupported one");
    }
    const Json* vocabularies = metaschema.find("$vocabulary");
    const JsonObject* listed = vocabularies ? vocabularies->if_object() : nullptr;
    if (!listed) return dialect;
    dialect.vocabularies = kCore;
    for (const auto& [name, required] : *listed) {
        const std::uint8_t bits = vocabulary_named(name);
        dialect.vocabularies |= bits;
        if (const bool* must = required.if_bool(); bits == 0 && (!must || *must)) {
            return fail(ErrorCode::kUnsupported,
                        "dialect '" + std::string(uri) + "' requires the unknown vocabulary '" + name + "'");
        }
    }
    return dialect;
}

}  // namespace

Result<Dialect> dialect_named(std::string_view uri, const CompileOptions& options) {
    const auto [name, fragment] = split_fragment(uri);
    if (name == k2020Uri) return Dialect();
    if (name == kDraft7Uri || name == kDraft7HttpsUri) {
        return Dialect{Draft::kDraft7, kCore | kApplicator | kValidation | kFormat | kAnnotation};
    }
    if (const auto found = options.documents.find(name); found != options.documents.end()) {
        return dialect_of_metaschema(name, found->second, options);
    }
    return fail(ErrorCode::kUnsupported,
                "unsupported dialect '" + std::string(uri) + "' in $schema: only draft 2020-12 and draft-07 are known");
}

const KeywordInfo* find_keyword(std::string_view name, const Dialect& dialect) noexcept {
    const std::uint8_t draft = dialect.draft == Draft::kDraft7 ? k7 : k2020;
    const auto range = std::ranges::equal_range(kKeywords, name, {}, entry_name);
    for (const Entry& entry : range) {
        if ((entry.drafts & draft) != 0 && (entry.vocabularies & dialect.vocabularies) != 0) return &entry.info;
    }
    return nullptr;
}

}  // namespace gantry::schema
