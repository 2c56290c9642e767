#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace gantry::app {

/// Replacements in a text, by byte offsets of the original. Those that touch keep the order in which they were added.
class TextEdit {
public:
    explicit TextEdit(std::string_view text);

    void replace(std::size_t begin, std::size_t end, std::string with);
    void insert(std::size_t at, std::string what) { replace(at, at, std::move(what)); }
    /// Puts whole lines behind the line that `at` is in.
    void insert_lines_after(std::size_t at, std::string_view lines);
    /// Takes out [begin, end), and with it the lines of which nothing but a comment behind it would be left.
    void erase(std::size_t begin, std::size_t end);

    /// "\n" or "\r\n", as the text has it.
    std::string_view line_end() const noexcept { return line_end_; }
    /// The column of a byte, from 0.
    std::size_t column(std::size_t at) const;
    /// Nothing but blanks stands in front of it on its line.
    bool begins_line(std::size_t at) const;
    /// The next byte that is neither blank nor part of a comment, from `at` on.
    std::size_t skip_blank(std::size_t at) const;
    std::size_t line_begin(std::size_t at) const;
    /// Where the line ends, without its line end.
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
