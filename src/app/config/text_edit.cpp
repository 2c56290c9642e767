#include "app/config/text_edit.hpp"

#include <algorithm>

namespace gantry::app {
namespace {

bool is_blank(char c) noexcept {
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

}  // namespace

TextEdit::TextEdit(std::string_view text) : text_(text) {
    const std::size_t first = text.find('\n');
    line_end_ = first != std::string_view::npos && first > 0 && text[first - 1] == '\r' ? "\r\n" : "\n";
}

void TextEdit::replace(std::size_t begin, std::size_t end, std::string with) {
    replacements_.push_back({.begin = begin, .end = end, .with = std::move(with)});
}

std::size_t TextEdit::line_begin(std::size_t at) const {
    const std::size_t before = at == 0 ? std::string_view::npos : text_.rfind('\n', at - 1);
    return before == std::string_view::npos ? 0 : before + 1;
}

std::size_t TextEdit::end_of_line(std::size_t at) const {
    std::size_t end = std::min(text_.find('\n', at), text_.size());
    if (end > at && end < text_.size() && text_[end - 1] == '\r') --end;
    return end;
}

std::size_t TextEdit::column(std::size_t at) const {
    return at - line_begin(at);
}

bool TextEdit::begins_line(std::size_t at) const {
    const std::string_view before = text_.substr(line_begin(at), column(at));
    return std::ranges::all_of(before, is_blank);
}

std::size_t TextEdit::skip_blank(std::size_t at) const {
    while (at < text_.size()) {
        if (text_[at] == '#') {
            at = end_of_line(at);
        } else if (is_blank(text_[at])) {
            ++at;
        } else {
            break;
        }
    }
    return at;
}

void TextEdit::insert_lines_after(std::size_t at, std::string_view lines) {
    insert(end_of_line(at), std::string(line_end_).append(lines));
}

void TextEdit::erase(std::size_t begin, std::size_t end) {
    const std::size_t line = end_of_line(end);
    const std::string_view rest = text_.substr(end, line - end);
    const std::size_t first = std::min(rest.find_first_not_of(" \t"), rest.size());
    const bool alone = begins_line(begin) && (first == rest.size() || rest[first] == '#');
    if (!alone) return replace(begin, end, "");
    const std::size_t next = std::min(text_.find('\n', line), text_.size());
    replace(line_begin(begin), next < text_.size() ? next + 1 : next, "");
}

std::string TextEdit::result() const {
    std::vector<const Replacement*> sorted;
    for (const Replacement& one : replacements_) sorted.push_back(&one);
    // The address reflects the order in which they were added.
    std::ranges::sort(sorted, {}, [](const Replacement* one) { return std::pair(one->begin, one); });
    std::string out;
    std::size_t done = 0;
    for (const Replacement* const one : sorted) {
        if (one->begin > done) out.append(text_.substr(done, one->begin - done));
        out.append(one->with);
        done = std::max(done, one->end);
    }
    return out.append(text_.substr(std::min(done, text_.size())));
}

}  // namespace gantry::app
