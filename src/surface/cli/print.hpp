#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "gantry/error.hpp"
#include "gantry/mcp/types.hpp"

namespace gantry::cli {

/// Human-readable output: colours only where wanted, control characters in a server's text replaced.
class Printer {
public:
    explicit Printer(bool color) : color_(color) {}

    std::string bold(std::string_view text) const { return paint("1", text); }
    std::string dim(std::string_view text) const { return paint("2", text); }
    std::string green(std::string_view text) const { return paint("32", text); }
    std::string red(std::string_view text) const { return paint("31", text); }
    std::string cyan(std::string_view text) const { return paint("36", text); }

    /// Two columns: a name, and text wrapped to the terminal's width. The second may be empty.
    void table(const std::vector<std::pair<std::string, std::string>>& rows) const;
    /// One list entry: head and text on one line if they fit, otherwise the text indented below.
    void entry(std::string_view head, std::string_view text) const;
    void line(std::string_view text) const;
    void heading(std::string_view text) const;
    void content(const mcp::Content& content) const;
    void contents(const mcp::ResourceContents& contents) const;
    /// Prints to stderr, with causes and advice.
    void error(const Error& error) const;

private:
    std::string paint(const char* code, std::string_view text) const;
    bool color_;
};

/// A server's text without escape sequences and other control characters (newlines and tabs stay), so that it cannot
/// control the terminal.
std::string harmless(std::string_view text);

/// "1 server", "2 servers".
std::string counted(std::size_t count, std::string_view noun);

/// `text` in lines of at most `width` characters; a longer word gets a line of its own.
std::vector<std::string> wrapped(std::string_view text, std::size_t width);

}  // namespace gantry::cli
