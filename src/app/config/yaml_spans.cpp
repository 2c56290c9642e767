#include "app/config/yaml_spans.hpp"

#include <yaml.h>

#include <algorithm>
#include <cstring>

#include "app/config/yaml.hpp"
#include "base/try.hpp"

namespace gantry::app {
namespace {

/// The byte offset of every character, because libyaml counts characters.
std::vector<std::size_t> offsets_of(std::string_view text) {
    std::vector<std::size_t> offsets;
    offsets.reserve(text.size() + 1);
    for (std::size_t i = 0; i < text.size(); ++i) {
        if ((static_cast<unsigned char>(text[i]) & 0xC0) != 0x80) offsets.push_back(i);
    }
    offsets.push_back(text.size());
    return offsets;
}

/// A text with the same layout that libyaml accepts: JSON may escape surrogate pairs and indent with tabs.
std::string without_json_peculiarities(std::string_view text) {
    std::string out(text);
    std::ranges::replace(out, '\t', ' ');
    for (std::size_t at = 0; (at = out.find('\\', at)) != std::string::npos && at + 1 < out.size(); at += 2) {
        if (out[at + 1] == 'u' && at + 6 <= out.size())
            std::fill_n(out.begin() + static_cast<std::ptrdiff_t>(at), 6, 'x');
    }
    return out;
}

class Locator {
public:
    explicit Locator(std::string_view text) : text_(text), offsets_(offsets_of(text)) {
        ready_ = yaml_parser_initialize(&parser_) == 1;
        if (!ready_) return;
        yaml_parser_set_encoding(&parser_, YAML_UTF8_ENCODING);
        yaml_parser_set_input_string(&parser_, reinterpret_cast<const unsigned char*>(text.data()), text.size());
    }
    ~Locator() {
        if (!ready_) return;
        yaml_event_delete(&event_);
        yaml_parser_delete(&parser_);
    }
    Locator(const Locator&) = delete;
    Locator& operator=(const Locator&) = delete;

    Result<YamlNode> locate() {
        GANTRY_CHECK(next());  // start of the stream
        GANTRY_CHECK(next());
        if (event_.type == YAML_STREAM_END_EVENT) return YamlNode{.begin = text_.size(), .end = text_.size()};
        GANTRY_CHECK(next());
        return node();
    }

private:
    Result<void> next() {
        if (!ready_) return fail(ErrorCode::kLimit, "out of memory");
        yaml_event_delete(&event_);
        if (yaml_parser_parse(&parser_, &event_) == 1) return {};
        return fail(ErrorCode::kParse, parser_.problem != nullptr ? parser_.problem : "not YAML");
    }

    std::size_t offset(const yaml_mark_t& mark) const { return offsets_[std::min(mark.index, offsets_.size() - 1)]; }

    /// Excludes blank lines that libyaml counts as part of block scalars.
    std::size_t trimmed(std::size_t begin, std::size_t end) const {
        while (end > begin && std::string_view(" \t\r\n").contains(text_[end - 1])) --end;
        return end;
    }

    /// The node whose first event is the current one. The depth is bounded by parse_yaml().
    Result<YamlNode> node() {
        const std::size_t begin = offset(event_.start_mark);
        YamlNode made{.begin = begin, .end = trimmed(begin, offset(event_.end_mark))};
        switch (event_.type) {
            case YAML_SCALAR_EVENT:
                made.text.assign(reinterpret_cast<const char*>(event_.data.scalar.value), event_.data.scalar.length);
                return made;
            case YAML_ALIAS_EVENT: made.kind = YamlNode::Kind::kAlias; return made;
            case YAML_SEQUENCE_START_EVENT: return sequence(std::move(made));
            case YAML_MAPPING_START_EVENT: return mapping(std::move(made));
            default: return fail(ErrorCode::kParse, "not a value");
        }
    }

    Result<YamlNode> sequence(YamlNode made) {
        made.kind = YamlNode::Kind::kSequence;
        made.flow = event_.data.sequence_start.style == YAML_FLOW_SEQUENCE_STYLE;
        for (;;) {
            GANTRY_CHECK(next());
            if (event_.type == YAML_SEQUENCE_END_EVENT) break;
            GANTRY_TRY(YamlNode item, node());
            made.end = std::max(made.end, item.end);
            made.items.push_back(std::move(item));
        }
        if (made.flow) made.end = offset(event_.end_mark);
        return made;
    }

    Result<YamlNode> mapping(YamlNode made) {
        made.kind = YamlNode::Kind::kMapping;
        made.flow = event_.data.mapping_start.style == YAML_FLOW_MAPPING_STYLE;
        for (;;) {
            GANTRY_CHECK(next());
            if (event_.type == YAML_MAPPING_END_EVENT) break;
            GANTRY_TRY(YamlNode key, node());
            GANTRY_CHECK(next());
            GANTRY_TRY(YamlNode value, node());
            made.end = std::max({made.end, key.end, value.end});
            made.keys.push_back(std::move(key));
            made.items.push_back(std::move(value));
        }
        if (made.flow) made.end = offset(event_.end_mark);
        return made;
    }

    std::string_view text_;
    std::vector<std::size_t> offsets_;
    yaml_parser_t parser_ = {};
    yaml_event_t event_ = {};
    bool ready_ = false;
};

}  // namespace

const YamlNode* YamlNode::find(std::string_view key) const noexcept {
    const auto found = std::ranges::find(keys, key, &YamlNode::text);
    return found == keys.end() ? nullptr : &items[static_cast<std::size_t>(found - keys.begin())];
}

Result<YamlNode> locate_yaml(std::string_view text) {
    if (auto read = parse_yaml(text); !read) {
        const auto& [at, what] = read.error();
        return fail(ErrorCode::kParse, at.line == 0 ? what : "line " + std::to_string(at.line) + ": " + what);
    }
    if (auto located = Locator(text).locate()) return located;
    const std::string plain = without_json_peculiarities(text);
    return Locator(plain).locate();
}

}  // namespace gantry::app
