#include "base/json/incremental.hpp"

#include <algorithm>

namespace gantry::json {

Result<void> IncrementalScanner::feed(std::string_view bytes) {
    const std::size_t room = limits_.max_bytes - std::min(limits_.max_bytes, size_);
    const bool too_much = bytes.size() > room;
    if (too_much) bytes = bytes.substr(0, room);
    while (!fault_ && !bytes.empty()) {
        const std::size_t used = keeping() ? step_keeping(bytes) : step(bytes);
        size_ += used;
        bytes.remove_prefix(used);
    }
    if (!fault_ && too_much) refuse(reason::kSize, limits_.max_bytes, ErrorCode::kLimit);
    if (fault_) return fail(to_error(fault_));
    return {};
}

Result<void> IncrementalScanner::finish() {
    if (!fault_) {
        switch (state_) {
            case State::kBomSecond:
            case State::kBomThird: refuse(reason::kValue, 0); break;
            case State::kZero:
            case State::kWhole:
            case State::kFraction:
            case State::kExponentDigits: end_number(); break;
            default: break;
        }
        if (!fault_ && (depth_ != 0 || state_ != State::kAfterValue)) refuse(reason::kEnd, size_);
    }
    if (fault_) return fail(to_error(fault_));
    return {};
}

std::size_t IncrementalScanner::refuse(const char* reason, std::size_t at, ErrorCode code) noexcept {
    fault_ = {reason, at, code};
    return 0;
}

std::size_t IncrementalScanner::step(std::string_view rest) {
    const char c = rest.front();
    switch (state_) {
        case State::kStart:
        case State::kBomSecond:
        case State::kBomThird: return start(c);
        case State::kValue:
        case State::kElementOrEnd:
        case State::kKeyOrEnd:
        case State::kKey:
        case State::kColon:
        case State::kAfterValue: return is_space(c) ? 1 : structure(c);
        case State::kString:
        case State::kUtf8: return string(rest);
        case State::kEscape:
        case State::kPairBackslash:
        case State::kPairU: return escape(c);
        case State::kHex: return hex(c);
        case State::kLiteral: return literal(c);
        default: return number(c);
    }
}

std::size_t IncrementalScanner::start(char c) {
    if (state_ == State::kStart) {
        state_ = c == '\xEF' ? State::kBomSecond : State::kValue;
        return c == '\xEF' ? 1 : 0;
    }
    if (state_ == State::kBomSecond && c == '\xBB') {
        state_ = State::kBomThird;
        return 1;
    }
    const bool bom = state_ == State::kBomThird && c == '\xBF';
    return refuse(bom ? reason::kBom : reason::kValue, 0);
}

std::size_t IncrementalScanner::structure(char c) {
    switch (state_) {
        case State::kElementOrEnd:
            if (c == ']') return close();
            return value(c);
        case State::kKeyOrEnd:
            if (c == '}') return close();
            [[fallthrough]];
        case State::kKey:
            if (c != '"') return refuse(reason::kKey, size_);
            begin_string(true);
            return 1;
        case State::kColon:
            if (c != ':') return refuse(reason::kColon, size_);
            state_ = State::kValue;
            return 1;
        case State::kAfterValue: break;
        default: return value(c);
    }
    if (depth_ == 0) return refuse(reason::kTrailing, size_);
    const bool object = innermost_is_object();
    if (c == (object ? '}' : ']')) return close();
    if (c != ',') return refuse(reason::kComma, size_);
    state_ = object ? State::kKey : State::kValue;
    return 1;
}

std::size_t IncrementalScanner::value(char c) {
    auto word = [&](std::string_view text, Json::Kind kind) {
        begin_value(kind);
        literal_ = text.substr(1);
        state_ = State::kLiteral;
        return std::size_t{1};
    };
    switch (c) {
        case '"':
            begin_value(Json::Kind::kString);
            begin_string(false);
            return 1;
        case '{': return open(true);
        case '[': return open(false);
        case 't': return word("true", Json::Kind::kBool);
        case 'f': return word("false", Json::Kind::kBool);
        case 'n': return word("null", Json::Kind::kNull);
        default: break;
    }
    if (c != '-' && !is_digit(c)) return refuse(reason::kValue, size_);
    begin_value(Json::Kind::kNumber);
    state_ = c == '-' ? State::kMinus : c == '0' ? State::kZero : State::kWhole;
    return 1;
}

std::size_t IncrementalScanner::open(bool object) {
    if (depth_ >= std::min(limits_.max_depth, kDepthCeiling)) {
        return refuse(reason::kDepth, size_, ErrorCode::kLimit);
    }
    begin_value(object ? Json::Kind::kObject : Json::Kind::kArray);
    objects_[depth_++] = object;
    if (place() == Place::kInside) inner_keys_.clear();
    state_ = object ? State::kKeyOrEnd : State::kElementOrEnd;
    return 1;
}

std::size_t IncrementalScanner::close() {
    --depth_;
    end_value(size_ + 1);
    return 1;
}

std::size_t IncrementalScanner::literal(char c) {
    if (c != literal_.front()) return refuse(reason::kLiteral, size_);
    literal_.remove_prefix(1);
    if (literal_.empty()) end_value(size_ + 1);
    return 1;
}

std::size_t IncrementalScanner::number(char c) {
    const bool digit = is_digit(c);
    const bool exponent = c == 'e' || c == 'E';
    switch (state_) {
        case State::kMinus:
            if (digit) state_ = c == '0' ? State::kZero : State::kWhole;
            break;
        case State::kZero:
        case State::kWhole:
            if (c == '.') {
                state_ = State::kPoint;
            } else if (exponent) {
                state_ = State::kExponent;
            } else if (!digit || state_ == State::kZero) {
                return end_number();
            }
            return 1;
        case State::kPoint:
            if (digit) state_ = State::kFraction;
            break;
        case State::kFraction:
            if (exponent) {
                state_ = State::kExponent;
            } else if (!digit) {
                return end_number();
            }
            return 1;
        case State::kExponent:
            if (c == '+' || c == '-') {
                state_ = State::kExponentSign;
                return 1;
            }
            [[fallthrough]];
        case State::kExponentSign:
            if (digit) state_ = State::kExponentDigits;
            break;
        default: return digit ? 1 : end_number();
    }
    return digit ? 1 : refuse(reason::kDigit, size_);
}

// The byte that ends a number belongs to the next token, so none is consumed.
std::size_t IncrementalScanner::end_number() {
    end_value(size_);
    return 0;
}

}  // namespace gantry::json
