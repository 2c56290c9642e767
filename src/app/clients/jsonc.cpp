#include "app/clients/jsonc.hpp"

#include <optional>

#include "base/try.hpp"

namespace gantry::app {
namespace {

/// Replaces comments and trailing commas by spaces: strict JSON with every part at its old position.
std::string blanked(std::string_view text) {
    std::string out(text);
    std::optional<std::size_t> comma;
    char before = '{';  // the last significant character
    for (std::size_t at = 0; at < out.size(); ++at) {
        const char c = out[at];
        if (c == '"') {
            comma.reset();
            before = c;
            for (++at; at < out.size() && out[at] != '"'; ++at) at += out[at] == '\\' ? 1 : 0;
        } else if (c == '/' && at + 1 < out.size() && (out[at + 1] == '/' || out[at + 1] == '*')) {
            const bool line = out[at + 1] == '/';
            const std::size_t found = line ? out.find('\n', at) : out.find("*/", at + 2);
            const std::size_t end = found == std::string::npos ? out.size() : found + (line ? 0 : 2);
            for (; at < end; ++at) out[at] = out[at] == '\n' ? '\n' : ' ';
            --at;
        } else if (c != ' ' && c != '\t' && c != '\n' && c != '\r') {
            if ((c == '}' || c == ']') && comma) out[*comma] = ' ';
            const bool follows_value = before != '{' && before != '[' && before != ',';
            comma = c == ',' && follows_value ? std::optional(at) : std::nullopt;
            before = c;
        }
    }
    return out;
}

/// Finds positions in a text that is known to be strict JSON.
class Finder {
public:
    explicit Finder(std::string_view json) : json_(json) {}

    std::size_t skip_space(std::size_t at) const {
        const auto found = json_.find_first_not_of(" \t\r\n", at);
        return found == std::string_view::npos ? json_.size() : found;
    }
    /// The position after the value that begins at `at`.
    std::size_t skip_value(std::size_t at) const {
        if (json_[at] == '"') return skip_string(at);
        if (json_[at] != '{' && json_[at] != '[') return std::min(json_.find_first_of(",]} \t\r\n", at), json_.size());
        int depth = 0;
        do {
            if (json_[at] == '"') {
                at = skip_string(at);
                continue;
            }
            if (json_[at] == '{' || json_[at] == '[') ++depth;
            if (json_[at] == '}' || json_[at] == ']') --depth;
            ++at;
        } while (depth > 0);
        return at;
    }
    /// The position of the value of `key` in the object at `object`.
    std::optional<std::size_t> member(std::size_t object, std::string_view key) const {
        for (std::size_t at = skip_space(object + 1); json_[at] != '}';) {
            const std::size_t end = skip_string(at);
            const auto name = Json::parse(json_.substr(at, end - at));
            const std::size_t value = skip_space(skip_space(end) + 1);
            if (name && *name == Json(key)) return value;
            at = skip_space(skip_value(value));
            if (json_[at] == ',') at = skip_space(at + 1);
        }
        return std::nullopt;
    }
    /// Begin and end of the member `key` of the object at `object`, including the comma that has to be removed with it.
    std::optional<std::pair<std::size_t, std::size_t>> member_span(std::size_t object, std::string_view key) const {
        std::optional<std::size_t> comma;
        for (std::size_t at = skip_space(object + 1); json_[at] != '}';) {
            const std::size_t end = skip_string(at);
            const auto name = Json::parse(json_.substr(at, end - at));
            const std::size_t behind = skip_value(skip_space(skip_space(end) + 1));
            const std::size_t next = skip_space(behind);
            if (name && *name == Json(key)) {
                if (json_[next] == ',') return std::pair(at, next + 1);
                return std::pair(comma.value_or(at), behind);
            }
            at = next;
            if (json_[at] == ',') {
                comma = at;
                at = skip_space(at + 1);
            }
        }
        return std::nullopt;
    }
    bool is_empty_object(std::size_t object) const { return json_[skip_space(object + 1)] == '}'; }
    char at(std::size_t place) const { return json_[place]; }

private:
    std::size_t skip_string(std::size_t at) const {
        for (++at; json_[at] != '"'; ++at) at += json_[at] == '\\' ? 1 : 0;
        return at + 1;
    }
    std::string_view json_;
};

/// `value` in a file's usual layout, `depth` levels deep.
std::string laid_out(const Json& value, std::size_t depth) {
    std::string out;
    for (const char c : value.pretty()) {
        out += c;
        if (c == '\n') out.append(2 * depth, ' ');
    }
    return out;
}

}  // namespace

Result<Json> parse_jsonc(std::string_view text) {
    return Json::parse(blanked(text), {.max_bytes = 16u << 20});
}

Result<std::string> put_member(std::string_view text, std::span<const std::string> path, const Json& value) {
    std::string file(text);
    if (file.find_first_not_of(" \t\r\n") == std::string::npos) file = "{}\n";
    const std::string json = blanked(file);
    GANTRY_TRY(const Json tree, Json::parse(json, {.max_bytes = 16u << 20}));
    const Finder finder(json);
    std::size_t object = finder.skip_space(0);
    for (std::size_t level = 0; level < path.size(); ++level) {
        if (finder.at(object) != '{') return fail(ErrorCode::kInvalidArgument, "is not an object, but has to be one");
        const auto found = finder.member(object, path[level]);
        if (found && level + 1 < path.size()) {
            object = *found;
            continue;
        }
        if (found) return file.replace(*found, finder.skip_value(*found) - *found, laid_out(value, level + 1));
        Json inner = value;
        for (std::size_t i = path.size(); i-- > level + 1;) inner = JsonObject{{path[i], std::move(inner)}};
        const std::string indent(2 * (level + 1), ' ');
        std::string member = "\n" + indent + Json(path[level]).dump() + ": " + laid_out(inner, level + 1);
        member += finder.is_empty_object(object) ? "\n" + std::string(2 * level, ' ') : ",";
        return file.insert(object + 1, member);
    }
    return fail(ErrorCode::kInvalidArgument, "no member was named");
}

Result<std::string> remove_member(std::string_view text, std::span<const std::string> path) {
    std::string file(text);
    const std::string json = blanked(file);
    GANTRY_TRY(const Json tree, Json::parse(json, {.max_bytes = 16u << 20}));
    const Finder finder(json);
    std::size_t object = finder.skip_space(0);
    for (std::size_t level = 0; level < path.size(); ++level) {
        if (finder.at(object) != '{') break;
        if (level + 1 == path.size()) {
            const auto span = finder.member_span(object, path[level]);
            if (!span) break;
            auto [begin, end] = *span;
            // A line that would be left empty is removed too.
            const std::size_t start = file.find_last_not_of(" \t", begin == 0 ? 0 : begin - 1);
            const std::size_t stop = file.find_first_not_of(" \t\r", end);
            if (start != std::string::npos && file[start] == '\n' && stop != std::string::npos && file[stop] == '\n') {
                begin = start + 1;
                end = stop + 1;
            }
            return file.erase(begin, end - begin);
        }
        const auto found = finder.member(object, path[level]);
        if (!found) break;
        object = *found;
    }
    return fail(ErrorCode::kNotFound, "there is no such member");
}

}  // namespace gantry::app
