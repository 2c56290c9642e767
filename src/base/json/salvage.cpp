#include "base/json/salvage.hpp"

#include "base/json/text.hpp"

namespace gantry::json {
namespace {

constexpr std::size_t kLongestKey = 16;
constexpr std::size_t kLongestId = 256;

void keep(std::string& text, char c, std::size_t most) {
    if (text.size() <= most) text += c;
}

}  // namespace

void EnvelopeSalvage::feed(std::string_view piece) {
    for (const char c : piece) {
        if (!in_string_) {
            structure(c);
            continue;
        }
        if (token_ == Token::kKey && c != '"') keep(key_, c, kLongestKey);
        if (token_ == Token::kId) keep(value_, c, kLongestId);
        if (escaped_) {
            escaped_ = false;
        } else if (c == '\\') {
            escaped_ = true;
        } else if (c == '"') {
            end_string();
        }
    }
}

void EnvelopeSalvage::structure(char c) {
    switch (c) {
        case '"': return begin_string();
        case '{':
        case '[':
            if (token_ == Token::kId) token_ = Token::kNone;
            expects_key_ = ++depth_ == 1 && c == '{';
            return;
        case '}':
        case ']':
            end_id();
            if (depth_ > 0) --depth_;
            return;
        case ',':
            end_id();
            expects_key_ = depth_ == 1;
            return;
        default:
            if (token_ == Token::kId && !is_space(c) && c != ':') keep(value_, c, kLongestId);
    }
}

void EnvelopeSalvage::begin_string() {
    in_string_ = true;
    if (token_ == Token::kId) return keep(value_, '"', kLongestId);
    if (depth_ != 1 || !expects_key_) return;
    token_ = Token::kKey;
    key_.clear();
}

void EnvelopeSalvage::end_string() {
    in_string_ = false;
    if (token_ != Token::kKey) return;
    expects_key_ = false;
    token_ = Token::kNone;
    has_method_ = has_method_ || key_ == "method";
    has_outcome_ = has_outcome_ || key_ == "result" || key_ == "error";
    if (key_ != "id") return;
    token_ = Token::kId;
    value_.clear();
}

/// End of a value of the outermost object.
void EnvelopeSalvage::end_id() {
    if (depth_ != 1 || token_ != Token::kId) return;
    token_ = Token::kNone;
    if (value_.size() <= kLongestId) id_ = value_;
}

}  // namespace gantry::json
