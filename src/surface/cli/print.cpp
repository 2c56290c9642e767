#include "surface/cli/print.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <iostream>

#include "base/terminal_text.hpp"

namespace gantry::cli {

namespace {

std::size_t terminal_width() {
    winsize size{};
    if (isatty(STDOUT_FILENO) == 1 && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 40)
        return size.ws_col;
    return 100;
}

std::string size_text(std::size_t base64_size) {
    return std::to_string(base64_size / 4 * 3) + " bytes";
}

const char* advice(const Error& error) {
    switch (error.code()) {
        case ErrorCode::kUnauthorized:
            return "log in with --login, or pass a token with --header 'Authorization: Bearer …'";
        case ErrorCode::kTimeout: return "give the server more time with --timeout SECONDS";
        case ErrorCode::kOutcomeUnknown: return "check whether the call took effect before repeating it";
        case ErrorCode::kSchema:
            return "`gantry tools NAME` shows the tool's arguments; --no-validate sends them unchecked";
        default: return nullptr;
    }
}

}  // namespace

std::string counted(std::size_t count, std::string_view noun) {
    return std::to_string(count) + ' ' + std::string(noun) + (count == 1 ? "" : "s");
}

std::vector<std::string> wrapped(std::string_view text, std::size_t width) {
    std::vector<std::string> lines;
    std::string line;
    std::size_t at = 0;
    const auto flush = [&] {
        lines.push_back(std::move(line));
        line.clear();
    };
    while (at < text.size()) {
        const std::size_t end = std::min(text.find_first_of(" \n", at), text.size());
        const std::string_view word = text.substr(at, end - at);
        if (!line.empty() && line.size() + 1 + word.size() > width) flush();
        if (!line.empty() && !word.empty()) line += ' ';
        line += word;
        if (end < text.size() && text[end] == '\n') flush();
        at = end + 1;
    }
    if (!line.empty()) flush();
    return lines;
}

std::string harmless(std::string_view text) {
    return terminal_text(text, Lines::kMany);
}

std::string Printer::paint(const char* code, std::string_view text) const {
    if (!color_) return std::string(text);
    return "\033[" + std::string(code) + "m" + std::string(text) + "\033[0m";
}

void Printer::table(const std::vector<std::pair<std::string, std::string>>& rows) const {
    std::size_t name_width = 0;
    for (const auto& row : rows) name_width = std::max(name_width, std::min<std::size_t>(row.first.size(), 40));
    const std::size_t text_width = std::max<std::size_t>(terminal_width() - name_width - 4, 30);
    for (const auto& [name, text] : rows) {
        const std::vector<std::string> lines = wrapped(harmless(text), text_width);
        std::cout << "  " << bold(harmless(name));
        for (std::size_t i = 0; i < lines.size(); ++i) {
            if (i == 0) {
                std::cout << std::string(name.size() < name_width ? name_width - name.size() : 0, ' ') << "  ";
            } else {
                std::cout << '\n' << std::string(name_width + 4, ' ');
            }
            std::cout << lines[i];
        }
        std::cout << '\n';
    }
}

void Printer::entry(std::string_view head, std::string_view text) const {
    const std::string title = harmless(head);
    const std::vector<std::string> lines = wrapped(harmless(text), terminal_width() - 6);
    std::cout << "  " << bold(title);
    if (lines.size() == 1 && title.size() + lines.front().size() + 5 <= terminal_width()) {
        std::cout << " — " << lines.front() << '\n';
        return;
    }
    std::cout << '\n';
    for (const std::string& line : lines) std::cout << "      " << line << '\n';
}

void Printer::line(std::string_view text) const {
    std::cout << text << '\n';
}

void Printer::heading(std::string_view text) const {
    std::cout << cyan(text) << '\n';
}

void Printer::contents(const mcp::ResourceContents& contents) const {
    if (contents.text) {
        line(harmless(*contents.text));
    } else if (contents.blob) {
        line(dim("[" + contents.mime_type.value_or("binary") + ", " + size_text(contents.blob->size()) + ", " +
                 harmless(contents.uri) + "; --output FILE saves it]"));
    }
}

void Printer::content(const mcp::Content& content) const {
    if (const auto* text = std::get_if<mcp::TextContent>(&content)) {
        line(harmless(text->text));
    } else if (const auto* image = std::get_if<mcp::ImageContent>(&content)) {
        line(dim("[image " + harmless(image->mime_type) + ", " + size_text(image->data.size()) +
                 "; --output FILE saves it]"));
    } else if (const auto* audio = std::get_if<mcp::AudioContent>(&content)) {
        line(dim("[audio " + harmless(audio->mime_type) + ", " + size_text(audio->data.size()) +
                 "; --output FILE saves it]"));
    } else if (const auto* link = std::get_if<mcp::ResourceLink>(&content)) {
        line(dim("[resource " + harmless(link->resource.uri) + "; read it with `gantry read`]"));
    } else if (const auto* embedded = std::get_if<mcp::EmbeddedResource>(&content)) {
        contents(embedded->resource);
    } else {
        line(dim("[content of a kind this version does not know; --json shows it]"));
    }
}

void Printer::error(const Error& error) const {
    std::cout.flush();
    std::cerr << red("error: ") << harmless(error.message()) << '\n';
    for (const Error* cause = error.cause(); cause != nullptr; cause = cause->cause()) {
        std::cerr << "  because: " << harmless(cause->message()) << '\n';
    }
    if (const char* what = advice(error)) std::cerr << dim(std::string("  try: ") + what) << '\n';
}

}  // namespace gantry::cli
