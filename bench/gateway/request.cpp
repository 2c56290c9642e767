#include "request.hpp"

namespace bench {
namespace {

class Walk {
public:
    explicit Walk(std::string_view text) : text_(text) {}

    /// Calls `member(key, *this)` for each member of the object that begins here; it must consume the value.
    template <typename Member>
    void object(Member member) {
        if (peek() != '{') return static_cast<void>(value());
        ++at_;
        while (peek() == '"') {
            const std::string_view key = unquoted(value());
            if (peek() != ':') return;
            ++at_;
            member(key, *this);
            if (peek() == ',') ++at_;
        }
        ++at_;
    }

    /// The value that begins here, and past it.
    std::string_view value() {
        peek();
        const std::size_t begin = at_;
        int depth = 0;
        while (at_ < text_.size()) {
            const char c = text_[at_];
            if (c == '"') {
                string();
            } else if (c == '{' || c == '[') {
                ++depth, ++at_;
            } else if (depth == 0 && (c == ',' || c == '}' || c == ']')) {
                break;
            } else {
                ++at_;
                if (c == '}' || c == ']') --depth;
            }
            if (depth == 0 && (c == '"' || c == '}' || c == ']')) break;
        }
        return text_.substr(begin, at_ - begin);
    }

    static std::string_view unquoted(std::string_view text) {
        return text.size() < 2 ? std::string_view() : text.substr(1, text.size() - 2);
    }

private:
    char peek() {
        while (at_ < text_.size() && static_cast<unsigned char>(text_[at_]) <= ' ') ++at_;
        return at_ < text_.size() ? text_[at_] : '\0';
    }

    void string() {
        for (++at_; at_ < text_.size() && text_[at_] != '"'; ++at_) {
            if (text_[at_] == '\\') ++at_;
        }
        ++at_;
    }

    std::string_view text_;
    std::size_t at_ = 0;
};

}  // namespace

Request read_request(std::string_view text) {
    Request request;
    Walk walk(text);
    walk.object([&](std::string_view key, Walk& at) {
        if (key == "id") {
            request.id = at.value();
        } else if (key == "method") {
            request.method = Walk::unquoted(at.value());
        } else if (key == "params") {
            at.object([&](std::string_view param, Walk& inner) {
                if (param == "name") {
                    request.name = Walk::unquoted(inner.value());
                } else if (param == "_meta") {
                    inner.object([&](std::string_view meta, Walk& deep) {
                        const std::string_view found = deep.value();
                        if (meta == "progressToken") request.token = found;
                    });
                } else {
                    inner.value();
                }
            });
        } else {
            at.value();
        }
    });
    return request;
}

}  // namespace bench
