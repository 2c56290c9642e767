#include "gateway/secrets/env_file.hpp"

#include <algorithm>

#include "base/try.hpp"

namespace gantry::gateway {
namespace {

/// A cursor over the text that tracks the line number.
class Reader {
public:
    explicit Reader(std::string_view text) : rest_(text) {}

    Result<EnvFile> read() {
        EnvFile out;
        while (skip_to_entry()) {
            GANTRY_TRY(std::string name, take_name());
            GANTRY_TRY(std::string value, take_value());
            if (value.contains('\0')) return fault("a value has no null characters");
            out.insert_or_assign(std::move(name), std::move(value));
        }
        return out;
    }

private:
    bool skip_to_entry() {
        while (!rest_.empty()) {
            if (rest_.front() == '#') {
                rest_.remove_prefix(std::min(rest_.find('\n'), rest_.size()));
            } else if (is_space(rest_.front()) || rest_.front() == '\n') {
                take();
            } else {
                return true;
            }
        }
        return false;
    }

    Result<std::string> take_name() {
        constexpr std::string_view kExport = "export ";
        if (rest_.starts_with(kExport)) rest_.remove_prefix(kExport.size());
        skip_spaces();
        const auto end = std::ranges::find_if_not(
            rest_, [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; });
        std::string name(rest_.begin(), end);
        rest_.remove_prefix(name.size());
        skip_spaces();
        if (name.empty() || !rest_.starts_with('=')) return fault("expected NAME=VALUE");
        rest_.remove_prefix(1);
        skip_spaces();
        return name;
    }

    Result<std::string> take_value() {
        if (rest_.starts_with('\'') || rest_.starts_with('"')) return take_quoted(take());
        std::string_view line = rest_.substr(0, rest_.find('\n'));
        rest_.remove_prefix(line.size());
        if (const auto comment = line.find(" #"); comment != std::string_view::npos) line = line.substr(0, comment);
        while (!line.empty() && is_space(line.back())) line.remove_suffix(1);
        return std::string(line);
    }

    Result<std::string> take_quoted(char quote) {
        std::string value;
        const std::size_t began = line_;
        while (!rest_.empty()) {
            const char c = take();
            if (c == quote) return after_quote(std::move(value));
            if (c != '\\' || quote == '\'' || rest_.empty()) {
                value += c;
                continue;
            }
            const char escaped = take();
            value += escaped == 'n' ? '\n' : escaped == 't' ? '\t' : escaped == 'r' ? '\r' : escaped;
        }
        line_ = began;
        return fault("a quote is not closed");
    }

    Result<std::string> after_quote(std::string value) {
        skip_spaces();
        if (!rest_.empty() && rest_.front() != '\n' && rest_.front() != '#')
            return fault("text after the closing quote");
        return value;
    }

    static bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r'; }
    void skip_spaces() {
        while (!rest_.empty() && is_space(rest_.front())) rest_.remove_prefix(1);
    }
    char take() {
        const char c = rest_.front();
        rest_.remove_prefix(1);
        if (c == '\n') ++line_;
        return c;
    }
    std::unexpected<Error> fault(const char* what) const {
        return fail(ErrorCode::kParse, "line " + std::to_string(line_) + ": " + what);
    }

    std::string_view rest_;
    std::size_t line_ = 1;
};

}  // namespace

Result<EnvFile> parse_env_file(std::string_view text) {
    if (text.size() > kMaxEnvFileBytes) return fail(ErrorCode::kLimit, "larger than 1 MB");
    return Reader(text).read();
}

}  // namespace gantry::gateway
