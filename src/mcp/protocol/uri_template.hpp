#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gantry/error.hpp"
#include "gantry/mcp/prompts.hpp"

namespace gantry::mcp {

/// An RFC 6570 template, read backwards: may this URI be one of its expansions, and of which values?
///
///     auto files = UriTemplate::parse_extractable("file:///{+path}{?rev}");
///     auto found = files->extract("file:///a/b?rev=2");   // path = "a/b", rev = "2"
class UriTemplate {
public:
    /// All operators and modifiers. kInvalidArgument if braces are unbalanced or an expression is invalid.
    static Result<UriTemplate> parse(std::string_view text);
    /// Only levels 1 to 3, whose values extract() can find; kInvalidArgument also for the modifiers of level 4.
    static Result<UriTemplate> parse_extractable(std::string_view text);

    /// Whether a URI may be an expansion. Lenient: values may have any characters but those that would end them, and an
    /// expression may be absent where its value may be. Takes time proportional to the URI's length times the number of
    /// expressions, for any template.
    bool matches(std::string_view uri) const;

    /// The values that make this URI, percent-decoded; empty: no values do. Strict: a value has only characters that an
    /// expansion leaves as they are. A variable of `{a}` or `{+a}` is never empty; the other operators may be absent
    /// altogether, and `{?…}`, `{&…}`, `{;…}` also in part. URIs of more than 2048 characters have no values.
    /// Precondition: made by parse_extractable(). Whatever it finds values for, matches() accepts.
    std::optional<StringMap> extract(std::string_view uri) const;
    bool has_variable(std::string_view name) const noexcept;

    /// Number of literal characters: of two templates that match, the one with more is more specific.
    std::size_t literal_size() const noexcept { return literal_size_; }

private:
    /// Literal text, or an expression.
    struct Part {
        std::string literal = {};  // empty for an expression
        char op = 0;               // one of + # . / ; ? & or 0
        std::vector<std::string> variables = {};

        bool is_literal() const noexcept { return !literal.empty(); }
    };
    enum class Levels { kAll, kExtractable };
    class Extraction;

    static Result<UriTemplate> parse(std::string_view text, Levels levels);

    std::vector<Part> parts_;
    std::size_t literal_size_ = 0;
};

}  // namespace gantry::mcp
