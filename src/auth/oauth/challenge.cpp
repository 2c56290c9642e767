#include "auth/oauth/challenge.hpp"

#include "base/try.hpp"

namespace gantry::auth {
namespace {

constexpr std::size_t kMaxFieldBytes = 16u << 10;
constexpr std::size_t kMaxChallenges = 16;
constexpr std::size_t kMaxParams = 32;

bool is_token68(char c) noexcept {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '.' ||
           c == '_' || c == '~' || c == '+' || c == '/';
}

std::string lower(std::string_view text) {
    std::string out(text);
    for (char& c : out)
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + ('a' - 'A'));
    return out;
}

std::unexpected<Error> malformed() {
    return fail(ErrorCode::kParse, "WWW-Authenticate is malformed");
}

class Reader {
public:
    explicit Reader(std::string_view text) : text_(text) {}

    bool at_end() const noexcept { return at_ == text_.size(); }
    char peek() const noexcept { return at_end() ? '\0' : text_[at_]; }
    std::size_t position() const noexcept { return at_; }
    void rewind(std::size_t position) noexcept { at_ = position; }

    bool skip_spaces() noexcept {
        const std::size_t start = at_;
        while (peek() == ' ' || peek() == '\t') ++at_;
        return at_ != start;
    }
    void skip_separators() noexcept {
        while (skip_spaces() || peek() == ',')
            if (peek() == ',') ++at_;
    }
    bool take(char c) noexcept {
        if (peek() != c) return false;
        ++at_;
        return true;
    }
    std::string_view token() noexcept {
        const std::size_t start = at_;
        while (!at_end() && http::Headers::valid_name(text_.substr(at_, 1))) ++at_;
        return text_.substr(start, at_ - start);
    }
    /// Empty unless a lone token68 precedes the next comma or the end.
    std::string_view token68() noexcept {
        const std::size_t start = at_;
        while (is_token68(peek())) ++at_;
        if (at_ != start)
            while (peek() == '=') ++at_;
        const std::string_view found = text_.substr(start, at_ - start);
        skip_spaces();
        if (!found.empty() && (at_end() || peek() == ',')) return found;
        at_ = start;
        return {};
    }
    Result<std::string> value() {
        if (!take('"')) {
            const std::string_view plain = token();
            if (plain.empty()) return malformed();
            return std::string(plain);
        }
        std::string out;
        for (;;) {
            if (at_end()) return malformed();
            char c = text_[at_++];
            if (c == '"') return out;
            if (c == '\\') {
                if (at_end()) return malformed();
                c = text_[at_++];
            }
            if ((static_cast<unsigned char>(c) < 0x20 && c != '\t') || c == 0x7f) return malformed();
            out += c;
        }
    }

private:
    std::string_view text_;
    std::size_t at_ = 0;
};

Result<void> read_params(Reader& in, Challenge& challenge) {
    for (;;) {
        const std::size_t start = in.position();
        const std::string_view name = in.token();
        in.skip_spaces();
        if (name.empty() || !in.take('=')) {  // no parameter: the next challenge, or the end
            in.rewind(start);
            return {};
        }
        in.skip_spaces();
        GANTRY_TRY(std::string value, in.value());
        std::string key = lower(name);
        // Duplicate parameters would let two readers see different servers.
        if (challenge.params.size() == kMaxParams || !challenge.get(key).empty()) return malformed();
        challenge.params.emplace_back(std::move(key), std::move(value));
        in.skip_spaces();
        if (!in.at_end() && in.peek() != ',') return malformed();
        in.skip_separators();
    }
}

}  // namespace

std::string_view Challenge::get(std::string_view name) const noexcept {
    for (const auto& [key, value] : params)
        if (key == name) return value;
    return {};
}

Result<std::vector<Challenge>> parse_challenges(std::string_view field) {
    if (field.size() > kMaxFieldBytes) return fail(ErrorCode::kLimit, "WWW-Authenticate is too long");
    std::vector<Challenge> out;
    Reader in(field);
    in.skip_separators();
    while (!in.at_end()) {
        const std::string_view scheme = in.token();
        if (scheme.empty() || out.size() == kMaxChallenges) return malformed();
        Challenge& challenge = out.emplace_back();
        challenge.scheme = lower(scheme);
        const bool spaced = in.skip_spaces();
        if (!in.at_end() && in.peek() != ',') {
            if (!spaced) return malformed();
            challenge.token68 = in.token68();
            if (challenge.token68.empty()) {
                const std::size_t before = in.position();
                GANTRY_CHECK(read_params(in, challenge));
                if (in.position() == before) return malformed();
            }
        }
        in.skip_separators();
    }
    return out;
}

AuthChallenge read_challenge(const http::Headers& headers) {
    AuthChallenge out;
    const auto fill = [](std::string& field, std::string_view value) {
        if (field.empty()) field = value;
    };
    for (std::size_t i = 0; i < headers.size(); ++i) {
        const auto field = headers[i];
        if (!http::equal_ignoring_case(field.name, "www-authenticate")) continue;
        const auto challenges = parse_challenges(field.value);
        if (!challenges) continue;
        for (const Challenge& challenge : *challenges) {
            if (challenge.scheme != "bearer" && challenge.scheme != "dpop") continue;
            out.present = true;
            out.dpop = out.dpop || challenge.scheme == "dpop";
            fill(out.resource_metadata, challenge.get("resource_metadata"));
            fill(out.scope, challenge.get("scope"));
            fill(out.error, challenge.get("error"));
        }
    }
    return out;
}

}  // namespace gantry::auth
