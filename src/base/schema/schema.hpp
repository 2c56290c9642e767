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

/// How a schema is read. Whatever exceeds a limit is refused at compile time.
struct CompileOptions {
    /// For schemas without `$schema`.
    Draft default_draft = Draft::k2020_12;
    /// What the root schema's relative references are resolved against when it has no `$id`.
    std::string base_uri;
    /// Documents a `$ref` may lead to, by absolute URI. Nothing is ever fetched; the
    /// metaschemas of both drafts are known without being listed here.
    std::map<std::string, Json, std::less<>> documents;
    /// `format` is an annotation unless this is set or the dialect's vocabulary demands it.
    bool assert_formats = false;
    /// A regular expression RE2 cannot run (look-around, back-references) is a compile
    /// error; with this set it matches everything instead.
    bool ignore_unsupported_patterns = false;

    std::size_t max_nodes = 50'000;
    std::size_t max_depth = 128;
    /// Size of all compiled regular expressions together, in RE2 instructions.
    std::size_t max_pattern_size = 500'000;
    /// Subschemas that `$ref`, `allOf` and the like apply to one and the same value: `allOf` of two references to the
    /// next level, thirty levels deep, is a short schema that takes a billion steps for any value.
    std::size_t max_fan_out = 100'000;
};

struct ValidateOptions {
    std::size_t max_issues = 5;
    /// One step is roughly one subschema against one value, or a few bytes compared.
    std::uint64_t max_steps = 10'000'000;
    /// Subschemas nested in one another during evaluation, `$ref` included.
    std::size_t max_depth = 768;
};

/// One reason why a value was refused. Nothing of the value itself is in here except the
/// names on the way to it.
struct ValidationIssue {
    std::string instance_path;  ///< RFC 6901 pointer into the value; empty is the value itself
    std::string keyword_path;   ///< "#/properties/age/minimum", with the document's URI in front if not the root's
    std::string message;        ///< "/age: must be at least 0 (minimum)"
};

struct ValidationReport {
    std::vector<ValidationIssue> issues;
    /// A limit ended the evaluation: nothing is known about the value, it counts as refused.
    bool limit_reached = false;

    bool valid() const noexcept { return issues.empty(); }
    /// kSchema, or kLimit when a limit ended it, naming every issue. Only when not valid.
    Error to_error() const;
};

/// A JSON Schema, read once and then applied any number of times, from any thread.
///
/// Only what the root can reach is compiled: an unusable subschema nobody refers to is no error.
class Schema {
public:
    /// kSchema when the schema is unusable (with the place in it), kLimit when too large.
    static Result<Schema> compile(const Json& schema, const CompileOptions& options = {});

    ValidationReport validate(const Json& value, const ValidateOptions& options = {}) const;
    /// The same as a Result, for callers that only pass the reason on.
    Result<void> check(const Json& value, const ValidateOptions& options = {}) const;
    /// The same for one checked JSON value that is still text. Most texts that fit are recognized without a tree.
    Result<void> check_text(std::string_view json, const ValidateOptions& options = {}) const;
    /// That part alone. True: the value fits. False: nothing is known. Work is bounded whatever schema and text are, by
    /// the size of the text and a constant.
    bool surely_fits(std::string_view json) const noexcept;

private:
    explicit Schema(std::shared_ptr<const Program> program) : program_(std::move(program)) {}

    std::shared_ptr<const Program> program_;
};

}  // namespace gantry::schema
