#include "app/config/yaml.hpp"

#include <yaml.h>

#include <algorithm>
#include <array>
#include <optional>

#include "base/try.hpp"

namespace gantry::app {

namespace {

template <class T>
using Read = std::expected<T, YamlFault>;

Mark mark_of(const yaml_mark_t& mark) noexcept {
    return {.line = mark.line + 1, .column = mark.column + 1};
}

Mark mark_at(std::string_view text, std::size_t offset) {
    const std::string_view before = text.substr(0, offset);
    const auto line_start = before.rfind('\n');
    return {.line = static_cast<std::size_t>(std::ranges::count(before, '\n')) + 1,
            .column = before.size() - (line_start == std::string_view::npos ? 0 : line_start + 1) + 1};
}

/// Owns one event of the parser.
class Event {
public:
    Event() { std::fill_n(reinterpret_cast<char*>(&event_), sizeof(event_), '\0'); }
    ~Event() { yaml_event_delete(&event_); }
    Event(const Event&) = delete;
    Event& operator=(const Event&) = delete;

    yaml_event_t* raw() noexcept { return &event_; }
    yaml_event_type_t type() const noexcept { return event_.type; }
    Mark mark() const noexcept { return mark_of(event_.start_mark); }

    std::string_view text() const noexcept {
        const auto& scalar = event_.data.scalar;
        return {reinterpret_cast<const char*>(scalar.value), scalar.length};
    }
    bool is_plain() const noexcept { return event_.data.scalar.style == YAML_PLAIN_SCALAR_STYLE; }
    std::string_view tag() const noexcept {
        switch (event_.type) {
            case YAML_SCALAR_EVENT: return view(event_.data.scalar.tag);
            case YAML_SEQUENCE_START_EVENT: return view(event_.data.sequence_start.tag);
            case YAML_MAPPING_START_EVENT: return view(event_.data.mapping_start.tag);
            default: return {};
        }
    }
    std::string_view anchor() const noexcept {
        switch (event_.type) {
            case YAML_ALIAS_EVENT: return view(event_.data.alias.anchor);
            case YAML_SCALAR_EVENT: return view(event_.data.scalar.anchor);
            case YAML_SEQUENCE_START_EVENT: return view(event_.data.sequence_start.anchor);
            case YAML_MAPPING_START_EVENT: return view(event_.data.mapping_start.anchor);
            default: return {};
        }
    }

private:
    static std::string_view view(const yaml_char_t* text) noexcept {
        return text == nullptr ? std::string_view() : std::string_view(reinterpret_cast<const char*>(text));
    }
    yaml_event_t event_;
};

bool is_one_of(std::string_view text, std::initializer_list<std::string_view> words) {
    return std::ranges::find(words, text) != words.end();
}

/// The value of an unquoted scalar.
Json plain_value(std::string_view text) {
    if (is_one_of(text, {"", "~", "null", "Null", "NULL"})) return nullptr;
    if (is_one_of(text, {"true", "True", "TRUE"})) return true;
    if (is_one_of(text, {"false", "False", "FALSE"})) return false;
    constexpr std::size_t kLongestNumber = 64;
    const char first = text.front();
    if ((first == '-' || (first >= '0' && first <= '9')) && text.size() <= kLongestNumber) {
        if (auto number = Json::parse(text); number && number->is_number()) return *std::move(number);
    }
    return text;
}

class Reader {
public:
    Reader(std::string_view text, const YamlLimits& limits) : text_(text), limits_(limits) {
        // Fails only when out of memory, and then every later step fails too.
        ready_ = yaml_parser_initialize(&parser_) == 1;
        if (!ready_) return;
        yaml_parser_set_encoding(&parser_, YAML_UTF8_ENCODING);
        yaml_parser_set_input_string(&parser_, reinterpret_cast<const unsigned char*>(text.data()), text.size());
    }
    ~Reader() {
        if (ready_) yaml_parser_delete(&parser_);
    }
    Reader(const Reader&) = delete;
    Reader& operator=(const Reader&) = delete;

    Read<YamlDocument> read() {
        if (!ready_) return std::unexpected(YamlFault{{}, "out of memory"});
        Event start;
        GANTRY_CHECK(next(start));  // start of the stream
        Event document;
        GANTRY_CHECK(next(document));
        if (document.type() == YAML_STREAM_END_EVENT) return std::move(out_);
        Event first;
        GANTRY_CHECK(next(first));
        GANTRY_TRY(out_.tree, value(first, "", 0));
        Event document_end;
        GANTRY_CHECK(next(document_end));
        Event end;
        GANTRY_CHECK(next(end));
        if (end.type() != YAML_STREAM_END_EVENT) return fault(end.mark(), "only one document is allowed");
        return std::move(out_);
    }

private:
    struct Anchored {
        Json value;
        std::size_t nodes;
        std::size_t bytes;
    };

    static std::unexpected<YamlFault> fault(Mark at, std::string what) {
        return std::unexpected(YamlFault{at, std::move(what)});
    }

    Read<void> next(Event& event) {
        if (yaml_parser_parse(&parser_, event.raw()) == 1) return {};
        std::string what = parser_.problem != nullptr ? parser_.problem : "not YAML";
        if (parser_.error == YAML_READER_ERROR) return fault(mark_at(text_, parser_.problem_offset), what);
        const Mark at = mark_of(parser_.problem_mark);
        const std::size_t index = parser_.problem_mark.index;
        if (index < text_.size() && text_[index] == '\t') what += " (tabs cannot indent in YAML)";
        return fault(at, std::move(what));
    }

    Read<void> count(Mark at, std::size_t nodes, std::size_t bytes) {
        nodes_ += nodes;
        bytes_ += bytes;
        if (nodes_ > limits_.max_nodes) {
            return fault(at, "more than " + std::to_string(limits_.max_nodes) + " values, aliases counted");
        }
        // Aliases may repeat long texts; without them the size of the text is the bound.
        if (bytes_ > 4 * limits_.max_bytes) return fault(at, "aliases make it too large");
        return {};
    }

    Read<Json> value(const Event& event, const std::string& pointer, std::size_t depth) {
        if (event.type() == YAML_ALIAS_EVENT) return aliased(event);
        if (depth > limits_.max_depth) {
            return fault(event.mark(), "nested deeper than " + std::to_string(limits_.max_depth));
        }
        const bool is_scalar = event.type() == YAML_SCALAR_EVENT;
        GANTRY_CHECK(count(event.mark(), 1, is_scalar ? event.text().size() : 0));
        const std::size_t nodes_before = nodes_ - 1;
        const std::size_t bytes_before = bytes_ - (is_scalar ? event.text().size() : 0);
        GANTRY_TRY(Json made, fresh(event, pointer, depth));
        if (!event.anchor().empty()) {
            anchors_.insert_or_assign(std::string(event.anchor()),
                                      Anchored{made, nodes_ - nodes_before, bytes_ - bytes_before});
        }
        return made;
    }

    Read<Json> fresh(const Event& event, const std::string& pointer, std::size_t depth) {
        switch (event.type()) {
            case YAML_SCALAR_EVENT: return scalar(event);
            case YAML_SEQUENCE_START_EVENT: return sequence(event, pointer, depth);
            case YAML_MAPPING_START_EVENT: return mapping(event, pointer, depth);
            default: return fault(event.mark(), "not a value");
        }
    }

    Read<Json> aliased(const Event& event) {
        const auto found = anchors_.find(event.anchor());
        // Also rejects self-references: an anchor is defined only once its value is complete.
        if (found == anchors_.end()) return fault(event.mark(), "an alias without an anchor before it");
        GANTRY_CHECK(count(event.mark(), found->second.nodes, found->second.bytes));
        return found->second.value;
    }

    Read<Json> scalar(const Event& event) {
        const std::string_view tag = event.tag();
        if (tag.empty() && event.is_plain()) return plain_value(event.text());
        if (!tag.empty() && tag != "!" && tag != YAML_STR_TAG) return fault(event.mark(), "tags are not supported");
        return Json(event.text());
    }

    Read<Json> sequence(const Event& begin, const std::string& pointer, std::size_t depth) {
        if (!begin.tag().empty()) return fault(begin.mark(), "tags are not supported");
        JsonArray items;
        while (true) {
            Event event;
            GANTRY_CHECK(next(event));
            if (event.type() == YAML_SEQUENCE_END_EVENT) return Json(std::move(items));
            const std::string inner = pointer + "/" + std::to_string(items.size());
            out_.places.emplace(inner, event.mark());
            GANTRY_TRY(Json item, value(event, inner, depth + 1));
            items.push_back(std::move(item));
        }
    }

    Read<Json> mapping(const Event& begin, const std::string& pointer, std::size_t depth) {
        if (!begin.tag().empty()) return fault(begin.mark(), "tags are not supported");
        JsonObject members;
        while (true) {
            Event key;
            GANTRY_CHECK(next(key));
            if (key.type() == YAML_MAPPING_END_EVENT) return Json(std::move(members));
            if (key.type() != YAML_SCALAR_EVENT) return fault(key.mark(), "a key must be text");
            const std::string name(key.text());
            if (name == "<<" && key.is_plain()) return fault(key.mark(), "merge keys (<<) are not supported");
            const std::string inner = pointer + "/" + pointer_part(name);
            if (members.contains(name)) {
                return fault(key.mark(),
                             "duplicate key; it is first used in line " + std::to_string(out_.place_of(inner).line));
            }
            out_.places.emplace(inner, key.mark());
            GANTRY_CHECK(count(key.mark(), 0, name.size()));
            Event event;
            GANTRY_CHECK(next(event));
            GANTRY_TRY(Json member, value(event, inner, depth + 1));
            members.set(name, std::move(member));
        }
    }

    std::string_view text_;
    const YamlLimits& limits_;
    yaml_parser_t parser_;
    bool ready_ = false;
    YamlDocument out_;
    std::map<std::string, Anchored, std::less<>> anchors_;
    std::size_t nodes_ = 0;
    std::size_t bytes_ = 0;
};

}  // namespace

std::string pointer_part(std::string_view key) {
    std::string out;
    for (const char c : key) {
        if (c == '~') {
            out += "~0";
        } else if (c == '/') {
            out += "~1";
        } else {
            out += c;
        }
    }
    return out;
}

Mark YamlDocument::place_of(std::string_view pointer) const {
    while (true) {
        if (const auto found = places.find(pointer); found != places.end()) return found->second;
        const auto slash = pointer.rfind('/');
        if (slash == std::string_view::npos) return {};
        pointer = pointer.substr(0, slash);
    }
}

std::expected<YamlDocument, YamlFault> parse_yaml(std::string_view text, const YamlLimits& limits) {
    if (text.size() > limits.max_bytes) {
        return std::unexpected(YamlFault{{}, "larger than " + std::to_string(limits.max_bytes) + " bytes"});
    }
    auto read = Reader(text, limits).read();
    if (read) return read;
    // YAML does not support surrogate pairs, which JSON files may use.
    const auto first = text.find_first_not_of(" \t\r\n");
    if (first == std::string_view::npos || text[first] != '{') return read;
    auto json = Json::parse(text, {.max_bytes = limits.max_bytes, .max_depth = limits.max_depth});
    if (!json) return read;
    return YamlDocument{.tree = *std::move(json), .places = {}};
}

}  // namespace gantry::app
