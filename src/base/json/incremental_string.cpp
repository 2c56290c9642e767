#include "base/json/incremental.hpp"

namespace gantry::json {
namespace {

constexpr std::size_t kEscapeBytes = 6;  // \uXXXX

}  // namespace

void IncrementalScanner::begin_string(bool is_key) {
    state_ = State::kString;
    token_ = size_;
    compare_ = is_key && place() != Place::kElsewhere;
    is_key_ = is_key;
    if (!compare_) return;
    digester_.reset();
    name_size_ = 0;
}

std::size_t IncrementalScanner::string(std::string_view rest) {
    const char* const begin = rest.data();
    const char* const end = begin + rest.size();
    const char* p = begin;
    auto used = [&] { return static_cast<std::size_t>(p - begin); };
    while (p != end) {
        const char* const from = p;
        if (state_ == State::kUtf8) {
            if (!utf8_.next(static_cast<unsigned char>(*p++))) return refuse(reason::kUtf8, sequence_);
            if (!utf8_.inside()) state_ = State::kString;
            key_bytes({from, 1});
            continue;
        }
        p = skip_plain(p, end);
        key_bytes({from, static_cast<std::size_t>(p - from)});
        if (p == end) break;
        const auto byte = static_cast<unsigned char>(*p);
        if (byte < 0x20) return refuse(reason::kControl, size_ + used());
        sequence_ = size_ + used();
        ++p;
        if (byte == '"') {
            end_string(size_ + used());
            break;
        }
        if (byte == '\\') {
            state_ = State::kEscape;
            break;
        }
        if (!utf8_.lead(byte)) return refuse(reason::kUtf8, sequence_);
        state_ = State::kUtf8;
        key_bytes({p - 1, 1});
    }
    return used();
}

void IncrementalScanner::end_string(std::size_t after) {
    if (!is_key_) {
        end_value(after);
        return;
    }
    state_ = State::kColon;
    if (compare_) end_key();
}

std::size_t IncrementalScanner::escape(char c) {
    if (state_ == State::kPairBackslash) {
        if (c == '\\') {
            state_ = State::kPairU;
            return 1;
        }
        if (!note_lone(sequence_)) return 0;
        state_ = State::kString;
        return 0;
    }
    if (state_ == State::kPairU && c != 'u') {
        if (!note_lone(sequence_)) return 0;
        sequence_ += kEscapeBytes;  // start of this escape
        state_ = State::kEscape;
    }
    if (state_ == State::kEscape && c != 'u') {
        const char meant = simple_escape(c);
        if (meant == 0) return refuse(reason::kEscape, size_);
        key_bytes({&meant, 1});
        state_ = State::kString;
        return 1;
    }
    state_ = State::kHex;
    hex_left_ = 4;
    unit_ = 0;
    return 1;
}

std::size_t IncrementalScanner::hex(char c) {
    const int digit = hex_value(c);
    if (digit < 0) return refuse(reason::kEscape, size_);
    unit_ = unit_ * 16 + static_cast<unsigned>(digit);
    if (--hex_left_ == 0) code_unit();
    return 1;
}

/// The escape at `at` is a lone surrogate. Recorded and read as U+FFFD, or rejected.
bool IncrementalScanner::note_lone(std::size_t at) {
    if (!notes_lone_) {
        refuse(reason::kSurrogate, at);
        return false;
    }
    lone_.push_back(at);
    high_ = 0;
    // Envelope members are not replaced: drop text that cannot be decoded.
    if (Passed* passed = keeping() ? kept() : nullptr) {
        passed->too_long = true;
        passed->raw = std::string();
    }
    key_bytes("\xEF\xBF\xBD");
    return true;
}

void IncrementalScanner::code_unit() {
    if (high_ != 0 && !is_low_surrogate(unit_)) {
        if (!note_lone(sequence_)) return;
        sequence_ += kEscapeBytes;
    } else if (high_ == 0 && is_low_surrogate(unit_)) {
        state_ = State::kString;
        static_cast<void>(note_lone(sequence_));
        return;
    }
    if (is_high_surrogate(unit_)) {
        high_ = unit_;
        state_ = State::kPairBackslash;
        return;
    }
    const std::uint32_t code_point = high_ != 0 ? 0x10000 + ((high_ - 0xD800) << 10) + (unit_ - 0xDC00) : unit_;
    high_ = 0;
    state_ = State::kString;
    if (!compare_) return;
    char bytes[4];
    key_bytes({bytes, encode_utf8(code_point, bytes)});
}

}  // namespace gantry::json
