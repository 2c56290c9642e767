#include "base/json/splice.hpp"

#include <algorithm>
#include <functional>
#include <utility>

#include "base/json/text.hpp"

namespace gantry::json {

bool Splice::locate(std::string_view part, std::size_t& begin) {
    const std::less_equal<const char*> ordered;
    if (!ordered(text_.data(), part.data()) || !ordered(part.data() + part.size(), text_.data() + text_.size())) {
        foreign_ = true;
        return false;
    }
    begin = static_cast<std::size_t>(part.data() - text_.data());
    return true;
}

std::size_t Splice::skip_space(std::size_t at) const noexcept {
    while (at < text_.size() && is_space(text_[at])) ++at;
    return at;
}

// Sorted by position; an insertion precedes a change that begins at the same place.
void Splice::note(const Edit& edit) {
    constexpr std::size_t kUsual = 8;
    if (edits_.empty()) edits_.reserve(kUsual);
    auto by_place = [](const Edit& e) { return std::pair(e.begin, e.end); };
    edits_.insert(std::ranges::upper_bound(edits_, by_place(edit), {}, by_place), edit);
}

void Splice::replace(const Span& span, std::string_view json) {
    std::size_t begin = 0;
    if (!span || !locate(span.raw(), begin)) return;
    note({.begin = begin, .end = begin + span.raw().size(), .text = held_.size(), .text_size = json.size()});
    held_ += json;
}

void Splice::remove(const Span& span) {
    std::size_t begin = 0;
    if (!span) return;
    if (span.member().empty()) {
        foreign_ = true;
        return;
    }
    if (!locate(span.member(), begin)) return;
    note({.begin = begin, .end = begin + span.member().size(), .takes_member = true});
}

void Splice::add(const Span& object, std::string_view key, std::string_view json) {
    std::size_t begin = 0;
    if (!object.is_object()) {
        foreign_ = true;
        return;
    }
    if (!locate(object.raw(), begin)) return;
    const std::size_t text = held_.size();
    held_.reserve(text + key.size() + json.size() + 3);
    quote_to(key, held_);
    held_ += ':';
    held_ += json;
    note({.begin = begin + 1, .end = begin + 1, .text = text, .text_size = held_.size() - text, .adds_member = true});
}

// Extends removals by the comma to remove: the one after a member or, if the last members of an
// object are removed, also the one before them.
Result<void> Splice::settle() {
    if (foreign_) return fail(ErrorCode::kInvalidArgument, "a spliced span does not belong to the text");
    auto& edits = edits_;
    for (std::size_t i = 0; i + 1 < edits.size(); ++i) {
        if (edits[i].end > edits[i + 1].begin) {
            return fail(ErrorCode::kInvalidArgument, "spliced parts of a message overlap");
        }
    }
    for (std::size_t i = 0; i < edits.size(); ++i) {
        if (!edits[i].takes_member) continue;
        std::size_t last = i;
        std::size_t after = skip_space(edits[i].end);
        while (after < text_.size() && text_[after] == ',') {
            edits[last].end = after + 1;
            after = skip_space(after + 1);
            if (last + 1 == edits.size() || !edits[last + 1].takes_member || edits[last + 1].begin != after) break;
            after = skip_space(edits[++last].end);
        }
        if (after < text_.size() && text_[after] == '}') {
            std::size_t before = edits[i].begin;
            while (before > 0 && is_space(text_[before - 1])) --before;
            if (before > 0 && text_[before - 1] == ',') edits[i].begin = before - 1;
        }
        i = last;
    }
    return {};
}

Result<std::string> Splice::finish() {
    if (auto settled = settle(); !settled) return fail(std::move(settled).error());
    const auto& edits = edits_;
    std::string out;
    out.reserve(text_.size() + held_.size() + edits.size());
    std::size_t done = 0;
    for (std::size_t i = 0; i < edits.size(); ++i) {
        const Edit& edit = edits[i];
        out += text_.substr(done, edit.begin - done);
        out.append(held_, edit.text, edit.text_size);
        done = edit.end;
        if (!edit.adds_member) continue;
        std::size_t next = skip_space(done);
        for (std::size_t k = i + 1; k < edits.size(); ++k) {
            const Edit& later = edits[k];
            if (later.begin == done && later.adds_member) {
                next = std::string_view::npos;  // another member follows in any case
                break;
            }
            if (!later.takes_member || later.begin != next) break;
            next = skip_space(later.end);
        }
        if (next == std::string_view::npos || text_[next] != '}') out += ',';
    }
    out += text_.substr(done);
    return out;
}

Span whole(std::string_view text) noexcept {
    while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
    while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
    return Span(text);
}

void make_one_line(std::string& json) noexcept {
    for (char& c : json) {
        if (c == '\n' || c == '\r') c = ' ';
    }
}

}  // namespace gantry::json
