#pragma once

#include <cstdint>
#include <string_view>

#include "base/schema/schema.hpp"

namespace gantry::schema {

/// Vocabularies of 2020-12, as bits. Draft 7 has all except format assertion.
enum Vocabulary : std::uint8_t {
    kCore = 1,
    kApplicator = 2,
    kUnevaluated = 4,
    kValidation = 8,
    kFormat = 16,
    kFormatAssertion = 32,
    kAnnotation = 64,  ///< meta-data and content: known, without effect here
};

/// The keywords that have a meaning in a schema resource.
struct Dialect {
    Draft draft = Draft::k2020_12;
    std::uint8_t vocabularies = kCore | kApplicator | kUnevaluated | kValidation | kFormat | kAnnotation;

    friend bool operator==(const Dialect&, const Dialect&) = default;
};

/// The dialect for `$schema: uri`. A metaschema in `documents` selects by its `$vocabulary`.
/// kUnsupported if the dialect, or a vocabulary it requires, is unknown.
Result<Dialect> dialect_named(std::string_view uri, const CompileOptions& options);

enum class Keyword : std::uint8_t {
    kId,
    kSchema,
    kAnchor,
    kDynamicAnchor,
    kRef,
    kDynamicRef,
    kDefs,
    kAllOf,
    kAnyOf,
    kOneOf,
    kNot,
    kIf,
    kThen,
    kElse,
    kDependentSchemas,
    kDependencies,
    kPrefixItems,
    kItems,
    kAdditionalItems,
    kContains,
    kProperties,
    kPatternProperties,
    kAdditionalProperties,
    kPropertyNames,
    kUnevaluatedItems,
    kUnevaluatedProperties,
    kType,
    kEnum,
    kConst,
    kMultipleOf,
    kMaximum,
    kExclusiveMaximum,
    kMinimum,
    kExclusiveMinimum,
    kMaxLength,
    kMinLength,
    kPattern,
    kMaxItems,
    kMinItems,
    kUniqueItems,
    kMaxContains,
    kMinContains,
    kMaxProperties,
    kMinProperties,
    kRequired,
    kDependentRequired,
    kFormat,
};

/// Where a keyword's value has subschemas.
enum class Shape : std::uint8_t { kValue, kSchema, kSchemas, kSchemaMap, kSchemaOrSchemas, kSchemaOrNamesMap };

struct KeywordInfo {
    std::string_view name;
    Keyword keyword;
    Shape shape;
};

/// Null for keywords without meaning in that dialect.
const KeywordInfo* find_keyword(std::string_view name, const Dialect& dialect) noexcept;

}  // namespace gantry::schema
