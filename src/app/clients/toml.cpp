#include "app/clients/toml.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "base/try.hpp"

namespace gantry::app {
namespace {

using Path = std::vector<std::string>;

class Toml {
public:
    explicit Toml(std::string_view text) : rest_(text) {}

    Result<Json> read() {
        Json root = JsonObject();
        Path table;
        for (skip_lines(); !rest_.empty(); skip_lines()) {
            if (rest_.front() == '[') {
                GANTRY_CHECK(read_header(root, table));
            } else {
                GANTRY_TRY(Path key, read_key());
                skip_spaces();
                if (!take('=')) return fault("expected = after a key");
                GANTRY_TRY(Json value, read_value(0));
                Path path = table;
                path.insert(path.end(), key.begin(), key.end());
                GANTRY_CHECK(put(root, path, std::move(value)));
            }
            skip_spaces();
            if (!rest_.empty() && rest_.front() != '\n' && rest_.front() != '#') return fault("text after a value");
        }
        return root;
    }

private:
    static constexpr int kMaxDepth = 32;

    Result<void> read_header(Json& root, Path& table) {
        take('[');
        const bool list = take('[');
        skip_spaces();
        GANTRY_TRY(table, read_key());
        skip_spaces();
        if (!take(']') || (list && !take(']'))) return fault("expected ] after a table's name");
        GANTRY_TRY(Json * place, reach(root, table));
        if (list) {
            if (place->is_null()) *place = JsonArray();
            if (!place->is_array()) return fault("a list of tables has a name that is already used");
            place->if_array()->push_back(JsonObject());
        } else if (place->is_null()) {
            *place = JsonObject();
        } else if (!place->is_object()) {
            return fault("a table has a name that is already used");
        }
        return {};
    }

    /// The value at `path`, created if missing; in an array of tables, its last element.
    Result<Json*> reach(Json& root, const Path& path) {
        Json* at = &root;
        for (const std::string& key : path) {
            if (at->is_null()) *at = JsonObject();
            if (at->is_array() && !at->if_array()->empty()) at = &at->if_array()->back();
            JsonObject* object = at->if_object();
            if (object == nullptr) return fault("a dotted key passes through a value that is not a table");
            if (!object->contains(key)) object->set(key, nullptr);
            at = object->find(key);
        }
        return at;
    }
    Result<void> put(Json& root, const Path& path, Json value) {
        GANTRY_TRY(Json * place, reach(root, path));
        if (!place->is_null()) return fault("a key twice");
        *place = std::move(value);
        return {};
    }

    Result<Path> read_key() {
        Path path;
        do {
            skip_spaces();
            if (rest_.starts_with('"') || rest_.starts_with('\'')) {
                GANTRY_TRY(Json part, read_text());
                path.push_back(*part.if_string());
            } else {
                const auto end = std::ranges::find_if_not(
                    rest_, [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '-'; });
                path.emplace_back(rest_.begin(), end);
                rest_.remove_prefix(path.back().size());
                if (path.back().empty()) return fault("expected a key");
            }
            skip_spaces();
            if (path.size() > kMaxDepth) return fault("too deep");
        } while (take('.'));
        return path;
    }

    Result<Json> read_value(int depth) {
        if (depth > kMaxDepth) return fault("too deep");
        skip_spaces();
        if (rest_.starts_with('"') || rest_.starts_with('\'')) return read_text();
        if (take('[')) return read_list(depth);
        if (take('{')) return read_inline_table(depth);
        const std::string word(rest_.substr(0, rest_.find_first_of(",]}#\n")));
        rest_.remove_prefix(word.size());
        std::string text = word.substr(0, word.find_last_not_of(" \t\r") + 1);
        if (text.empty()) return fault("expected a value");
        if (text == "true" || text == "false") return Json(text == "true");
        std::string digits = text;
        std::erase(digits, '_');
        if (auto number = Json::parse(digits); number && number->is_number()) return *std::move(number);
        // Dates, times, and numbers in other bases.
        const bool odd =
            std::isdigit(static_cast<unsigned char>(text.front())) || text.front() == '+' || text.front() == '-';
        const auto fits = [](char c) {
            return std::isalnum(static_cast<unsigned char>(c)) || std::string_view("+-.:_ ").contains(c);
        };
        if (!odd || !std::ranges::all_of(text, fits)) return fault("expected a value");
        return Json(std::move(text));
    }

    Result<Json> read_list(int depth) {
        JsonArray list;
        for (skip_lines(); !take(']'); skip_lines()) {
            if (rest_.empty()) return fault("a list is not closed");
            GANTRY_TRY(Json value, read_value(depth + 1));
            list.push_back(std::move(value));
            skip_lines();
            if (!take(',') && !rest_.starts_with(']')) return fault("expected , or ] in a list");
        }
        return Json(std::move(list));
    }

    Result<Json> read_inline_table(int depth) {
        Json table = JsonObject();
        for (skip_lines(); !take('}'); skip_lines()) {
            if (rest_.empty()) return fault("a table is not closed");
            GANTRY_TRY(const Path key, read_key());
            if (!take('=')) return fault("expected = after a key");
            GANTRY_TRY(Json value, read_value(depth + 1));
            GANTRY_CHECK(put(table, key, std::move(value)));
            skip_lines();
            if (!take(',') && !rest_.starts_with('}')) return fault("expected , or } in a table");
        }
        return table;
    }

    Result<Json> read_text() {
        const char quote = rest_.front();
        const std::string three(3, quote);
        const bool many = rest_.starts_with(three);
        rest_.remove_prefix(many ? 3 : 1);
        if (many && take('\r')) {}
        if (many && take('\n')) ++line_;
        std::string out;
        while (!rest_.empty()) {
            if (many ? rest_.starts_with(three) : rest_.front() == quote) {
                rest_.remove_prefix(many ? 3 : 1);
                return Json(std::move(out));
            }
            const char c = rest_.front();
            if (c == '\n' && !many) break;
            if (c == '\n') ++line_;
            rest_.remove_prefix(1);
            if (c == '\\' && quote == '"') {
                GANTRY_CHECK(read_escape(out));
            } else {
                out += c;
            }
        }
        return fault("a quote is not closed");
    }

    Result<void> read_escape(std::string& out) {
        if (rest_.empty()) return fault("a quote is not closed");
        const char c = rest_.front();
        if (c == 'u') {
            // The same four hex digits as in JSON.
            const auto text = Json::parse("\"\\" + std::string(rest_.substr(0, 5)) + "\"");
            if (!text) return fault("unknown escape sequence");
            out += *text->if_string();
            rest_.remove_prefix(5);
            return {};
        }
        rest_.remove_prefix(1);
        constexpr std::string_view kFrom = "btnfre\"\\";
        constexpr std::string_view kTo = "\b\t\n\f\r\x1b\"\\";
        if (const auto at = kFrom.find(c); at != std::string_view::npos) {
            out += kTo[at];
        } else if (c == '\n' || c == '\r' || c == ' ') {
            const auto next = rest_.find_first_not_of(" \t\r\n");
            rest_.remove_prefix(next == std::string_view::npos ? rest_.size() : next);
        } else {
            return fault("unknown escape sequence");
        }
        return {};
    }

    void skip_spaces() {
        while (!rest_.empty() && (rest_.front() == ' ' || rest_.front() == '\t' || rest_.front() == '\r'))
            rest_.remove_prefix(1);
    }
    /// Also skips line ends and comments.
    void skip_lines() {
        for (skip_spaces(); !rest_.empty(); skip_spaces()) {
            if (rest_.front() == '#') {
                rest_.remove_prefix(std::min(rest_.find('\n'), rest_.size()));
            } else if (take('\n')) {
                ++line_;
            } else {
                return;
            }
        }
    }
    bool take(char c) {
        if (!rest_.starts_with(c)) return false;
        rest_.remove_prefix(1);
        return true;
    }
    std::unexpected<Error> fault(const char* what) const {
        return fail(ErrorCode::kParse, "line " + std::to_string(line_) + ": " + what);
    }

    std::string_view rest_;
    std::size_t line_ = 1;
};

}  // namespace

Result<Json> parse_toml(std::string_view text) {
    if (text.size() > 16u << 20) return fail(ErrorCode::kLimit, "larger than 16 MB");
    return Toml(text).read();
}

}  // namespace gantry::app
