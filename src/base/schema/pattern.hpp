#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "gantry/error.hpp"

namespace re2 {
class RE2;
}

namespace gantry::schema {

/// The same language in RE2's syntax, or kUnsupported naming the construct RE2 has no
/// linear-time answer for, or kSchema when it is no ECMA-262 expression at all. Unless
/// `strict`, `(?i)` and `(?P<name>…)` pass as well: schemas made by other languages carry them.
Result<std::string> ecma_to_re2(std::string_view pattern, bool strict = false);

/// An ECMA-262 regular expression (with the `u` flag), found anywhere in a text in time
/// linear in the text. Safe to use from several threads.
class Pattern {
public:
    static Result<Pattern> compile(std::string_view pattern);
    /// Stands for a pattern that cannot be run and is to be ignored.
    static Pattern matching_everything();

    Pattern(Pattern&&) noexcept;
    Pattern& operator=(Pattern&&) noexcept;
    ~Pattern();

    bool found_in(std::string_view text) const;
    /// Compiled size in RE2 instructions.
    std::size_t size() const;
    /// Steps of found_in() for a text of that many bytes. Linear in the text; large expressions count more, because RE2
    /// falls back from its automaton to visiting all states where the automaton outgrows its memory.
    std::uint64_t cost(std::size_t bytes) const noexcept { return (bytes / 16 + 2) * (1 + weight_); }

private:
    Pattern();

    std::unique_ptr<re2::RE2> regex_;  // null matches everything
    std::uint64_t weight_ = 0;
};

}  // namespace gantry::schema
