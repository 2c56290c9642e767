#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "gantry/error.hpp"
#include "gantry/json.hpp"

namespace gantry::schema {

struct Program;

enum class Draft : std::uint8_t { kDraft7, k2020_12 };

/// Options for reading a schema. Exceeding a limit is a compile error.
struct CompileOptions {
    /// For schemas without `$schema`.
    Draft default_draft = Draft::k2020_12;
    /// Base URI of the root schema's relative references if it has no `$id`.
    std::string base_uri;
    /// Documents a `$ref` may refer to, by absolute URI. Nothing is ever fetched; the
    /// metaschemas of both drafts are built in.
    std::map<std::string, Json, std::less<>> documents;
    /// `format` is an annotation unless this is set or the dialect's vocabulary requires it.
    bool assert_formats = false;
    /// A regular expression RE2 does not support (look-around, back-references) is a compile
    /// error; with this set it matches everything instead.
    bool ignore_unsupported_patterns = false;

    std::size_t max_nodes = 50'000;
    std::size_t max_depth = 128;
    /// Total size of all compiled regular expressions, in RE2 instructions.
    std::size_t max_pattern_size = 500'000;
    /// Limit on subschemas that `$ref`, `allOf` and the like apply to the same value: `allOf` of two references to the
    /// next level, thirty levels deep, is a short schema that takes a billion steps for any value.
    std::size_t max_fan_out = 100'000;
};

struct ValidateOptions {
    std::size_t max_issues = 5;
    /// One step is roughly one subschema applied to one value, or a few bytes compared.
    std::uint64_t max_steps = 10'000'000;
    /// Nesting of subschemas during evaluation, `$ref` included.
    std::size_t max_depth = 768;
};

/// One reason why a value was rejected. Contains nothing of the value except the names
/// on its path.
struct ValidationIssue {
    std::string instance_path;  ///< RFC 6901 pointer into the value; empty for the value itself
    std::string keyword_path;   ///< "#/properties/age/minimum", with the document's URI in front if not the root's
    std::string message;        ///< "/age: must be at least 0 (minimum)"
};

struct ValidationReport {
    std::vector<ValidationIssue> issues;
    /// A limit ended the evaluation: the verdict is unknown, and the value counts as rejected.
    bool limit_reached = false;

    bool valid() const noexcept { return issues.empty(); }
    /// kSchema, or kLimit if a limit ended it, listing every issue. Precondition: not valid().
    Error to_error() const;
};

/// A JSON Schema, compiled once and then applied any number of times. Thread-safe.
///
/// Only what is reachable from the root is compiled: an invalid subschema without references is not an error.
class Schema {
public:
    /// kSchema if the schema is invalid (with the place in it), kLimit if too large.
    static Result<Schema> compile(const Json& schema, const CompileOptions& options = {});

    ValidationReport validate(const Json& value, const ValidateOptions& options = {}) const;
    /// validate() as a Result, for callers that only propagate the reason.
    Result<void> check(const Json& value, const ValidateOptions& options = {}) const;
    /// The same for a validated JSON text. Most valid texts are recognized without building a tree.
    Result<void> check_text(std::string_view json, const ValidateOptions& options = {}) const;
    /// Only the fast path of check_text(). True: the value satisfies the schema. False: unknown. The work is bounded by
    /// the size of the text and a constant, whatever the schema and the text.
    bool surely_fits(std::string_view json) const noexcept;

private:
    explicit Schema(std::shared_ptr<const Program> program) : program_(std::move(program)) {}

    std::shared_ptr<const Program> program_;
};

}  // namespace gantry::schema
