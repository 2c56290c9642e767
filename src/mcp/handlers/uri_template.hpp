#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gantry/error.hpp"
#include "gantry/mcp/prompts.hpp"

namespace gantry::mcp {

/// An RFC 6570 template of levels 1 to 3, used for matching: which variables produce this URI?
///
///     auto files = UriTemplate::parse("file:///{+path}{?rev}");
///     auto found = files->match("file:///a/b?rev=2");   // path = "a/b", rev = "2"
///
/// Values are percent-decoded. A variable of `{a}` or `{+a}` is never empty; the other operators may be absent
/// altogether, and `{?…}`, `{&…}`, `{;…}` also in part.
class UriTemplate {
public:
    /// kInvalidArgument if the text is not a template or uses level 4 modifiers.
    static Result<UriTemplate> parse(std::string_view text);

    std::optional<StringMap> match(std::string_view uri) const;
    bool has_variable(std::string_view name) const noexcept;
    const std::string& text() const noexcept { return text_; }

private:
    struct Part {
        std::string literal = {};  // if there are no variables
        char op = 0;               // one of + # . / ; ? & or 0
        std::vector<std::string> variables = {};
    };
    class Matcher;

    std::string text_;
    std::vector<Part> parts_;
};

}  // namespace gantry::mcp
