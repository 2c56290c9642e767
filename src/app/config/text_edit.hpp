#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace gantry::app {

/// Replacements in a text, by byte offsets of the original. Adjacent ones keep the order in which they were added.
class TextEdit {
public:
    explicit TextEdit(std::string_view text);

    void replace(std::size_t begin, std::size_t end, std::string with);
    void insert(std::size_t at, std::string what) { replace(at, at, std::move(what)); }
    /// Inserts whole lines after the line that contains `at`.
    void insert_lines_after(std::size_t at, std::string_view lines);
    /// Removes [begin, end), and every line that would be left with nothing but a trailing comment.
    void erase(std::size_t begin, std::size_t end);

    /// "\n" or "\r\n", as used in the text.
    std::string_view line_end() const noexcept { return line_end_; }
    /// The column of a byte, from 0.
    std::size_t column(std::size_t at) const;
    /// Whether only blanks precede it on its line.
    bool begins_line(std::size_t at) const;
    /// The next byte from `at` on that is neither blank nor part of a comment.
    std::size_t skip_blank(std::size_t at) const;
    std::size_t line_begin(std::size_t at) const;
    /// The end of the line, without its line end characters.
    std::size_t end_of_line(std::size_t at) const;
    char at(std::size_t at) const noexcept { return at < text_.size() ? text_[at] : '\0'; }

    std::string result() const;

private:
    struct Replacement {
        std::size_t begin;
        std::size_t end;
        std::string with;
    };
    std::string_view text_;
    std::string_view line_end_;
    std::vector<Replacement> replacements_;
};

}  // namespace gantry::app
