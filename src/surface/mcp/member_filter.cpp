#include "surface/mcp/member_filter.hpp"

#include <utility>

#include "base/json/text.hpp"
#include "base/try.hpp"

namespace gantry::surface {
namespace {

/// No rule applies to a longer name, however it is spelt.
constexpr std::size_t kMostName = 256;
/// White space kept between two tokens of the object.
constexpr std::size_t kMostSpace = 64;

using MemberAction = MemberRules::MemberAction;

std::string_view trimmed(std::string_view text) {
    while (!text.empty() && json::is_space(text.back())) text.remove_suffix(1);
    return text;
}

}  // namespace

Result<std::string_view> MemberFilter::feed(std::string_view piece) {
    out_.clear();
    std::size_t at = 0;
    if (state_ == State::kValue && (action_ == MemberAction::kPass || action_ == MemberAction::kWrap)) {
        at = skip_value(piece, 0);
        // Most pieces are entirely inside one value and are passed on unchanged.
        if (at == piece.size()) return piece;
        out_ += piece.substr(0, at);
    }
    while (at < piece.size()) {
        GANTRY_TRY(at, step(piece, at));
    }
    return std::string_view(out_);
}

Result<std::size_t> MemberFilter::step(std::string_view piece, std::size_t at) {
    const char c = piece[at];
    switch (state_) {
        case State::kStart:
            if (json::is_space(c)) return at + 1;
            if (c != '{') return fail(ErrorCode::kProtocol, "the server's result is not an object");
            out_ += c;
            state_ = State::kBeforeKey;
            return at + 1;
        case State::kBeforeKey:
            if (c == '}') {
                close();
            } else {
                lead(c);
                if (c != '"') return at + 1;
                in_string_ = true;
                name_begin_ = lead_.size();
                state_ = State::kKey;
            }
            return at + 1;
        case State::kKey: return read_key(piece, at);
        case State::kBeforeValue:
            if (c != ':' && !json::is_space(c)) {
                begin_value(c);
                return at;
            }
            begun_ ? out_.push_back(c) : lead(c);
            return at + 1;
        case State::kValue: {
            const std::size_t end = skip_value(piece, at);
            take(piece.substr(at, end - at));
            if (end == piece.size()) return end;
            GANTRY_CHECK(end_member());
            state_ = State::kBeforeKey;
            if (piece[end] == '}') close();
            return end + 1;
        }
        case State::kOver: break;
    }
    return at + 1;
}

/// Keeps the text before a value, with bounded white space.
void MemberFilter::lead(char c) {
    spaces_ = json::is_space(c) ? spaces_ + 1 : 0;
    if (spaces_ <= kMostSpace) lead_ += c;
}

std::size_t MemberFilter::read_key(std::string_view piece, std::size_t at) {
    const std::size_t end = skip_string(piece, at);
    (begun_ ? out_ : lead_) += piece.substr(at, end - at);
    if (!in_string_) {
        name_end_ = begun_ ? 0 : lead_.size() - 1;
        state_ = State::kBeforeValue;
    } else if (!begun_ && lead_.size() - name_begin_ > kMostName) {
        action_ = MemberAction::kPass;
        write_lead();
    }
    return end;
}

/// Advances past the closing quote, if it is in this piece.
std::size_t MemberFilter::skip_string(std::string_view piece, std::size_t at) {
    const char* const end = piece.data() + piece.size();
    while (at < piece.size()) {
        if (std::exchange(escaped_, false)) {
            ++at;
            continue;
        }
        at = static_cast<std::size_t>(json::skip_plain(piece.data() + at, end) - piece.data());
        if (at == piece.size()) break;
        const char c = piece[at++];
        escaped_ = c == '\\';
        in_string_ = c != '"';
        if (!in_string_) break;
    }
    return at;
}

/// Advances to the comma or brace after the value, if it is in this piece.
std::size_t MemberFilter::skip_value(std::string_view piece, std::size_t at) {
    while (at < piece.size()) {
        if (in_string_) {
            at = skip_string(piece, at);
            continue;
        }
        const char c = piece[at];
        if (depth_ == 0 && (c == ',' || c == '}')) break;
        if (c == '"') in_string_ = true;
        if (c == '{' || c == '[') ++depth_;
        if (c == '}' || c == ']') --depth_;
        ++at;
    }
    return at;
}

void MemberFilter::begin_value(char first) {
    state_ = State::kValue;
    if (begun_) return;
    name_.clear();
    json::unescape_to(std::string_view(lead_).substr(name_begin_, name_end_ - name_begin_), name_);
    action_ = rules_.decide(name_, first);
    if (action_ == MemberAction::kPass || action_ == MemberAction::kWrap) write_lead();
    if (action_ == MemberAction::kWrap) out_ += R"({"result":)";
}

void MemberFilter::take(std::string_view bytes) {
    if (action_ == MemberAction::kPass || action_ == MemberAction::kWrap) out_ += bytes;
    if (action_ != MemberAction::kRewrite) return;
    too_long_ |= held_.size() + bytes.size() > kMostRewritten;
    too_long_ ? held_.clear() : static_cast<void>(held_.append(bytes));
}

void MemberFilter::write_lead() {
    if (std::exchange(any_, true)) out_ += ',';
    out_ += lead_;
    begun_ = true;
}

Result<void> MemberFilter::end_member() {
    if (action_ == MemberAction::kWrap) out_ += '}';
    if (action_ == MemberAction::kRewrite) {
        GANTRY_TRY(const std::string value,
                   rules_.rewrite(name_, too_long_ ? std::nullopt : std::optional(trimmed(held_))));
        if (!value.empty()) {
            write_lead();
            out_ += value;
        }
    }
    lead_.clear();
    held_.clear();
    begun_ = too_long_ = false;
    spaces_ = 0;
    return {};
}

void MemberFilter::close() {
    if (const std::string last = rules_.last_members(); !last.empty()) {
        if (any_) out_ += ',';
        out_ += last;
    }
    out_ += '}';
    state_ = State::kOver;
}

}  // namespace gantry::surface
