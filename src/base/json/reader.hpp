#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string_view>

#include "base/json/cursor.hpp"
#include "base/json/keys.hpp"
#include "gantry/json.hpp"

namespace gantry::json {

/// Reads one complete text strictly and reports its tokens to `events`. The tree parser and the
/// scanner share it with different events, so they accept the same texts.
///
/// Events has these members, called in text order:
///   void open(Json::Kind kind, const char* at)             '{' or '['
///   void close(Json::Kind kind, const char* after)         '}' or ']'
///   void key(std::string_view key, const char* at)         unescaped, valid during the call; its quote
///   void string(std::string_view token, bool escaped)      with its quotes
///   void number(std::string_view token)
///   void literal(Json::Kind kind, std::string_view token)  true, false, null
template <class Events>
class Reader {
public:
    Reader(std::string_view text, const JsonLimits& limits, Events& events) noexcept
        : text_(text), cursor_(text), limits_(limits), events_(events) {}

    /// The first fault, or none. After a fault discard the events reported so far.
    Fault read() {
        // Spans and key tables count in 32 bits.
        const std::size_t most = std::min<std::size_t>(limits_.max_bytes, std::numeric_limits<std::uint32_t>::max());
        if (text_.size() > most) return {reason::kSize, most, ErrorCode::kLimit};
        if (text_.starts_with("\xEF\xBB\xBF")) return {reason::kBom, 0};
        const char* p = next(cursor_.begin);
        while (p != nullptr) {
            switch (*p) {  // the first byte of a value
                case '"': p = string(p); break;
                case '{':
                    p = open(Json::Kind::kObject, p);
                    if (p == nullptr || *p == '}') break;
                    p = key(p);
                    continue;
                case '[':
                    p = open(Json::Kind::kArray, p);
                    if (p == nullptr || *p == ']') break;
                    continue;
                case 't': p = literal(p, "true", Json::Kind::kBool); break;
                case 'f': p = literal(p, "false", Json::Kind::kBool); break;
                case 'n': p = literal(p, "null", Json::Kind::kNull); break;
                default: p = number(p);
            }
            p = after_value(p);
        }
        return cursor_.fault;
    }

private:
    /// From after a value, or the end of an empty object or array, to the next value.
    /// Null at the end of the text and after a fault.
    const char* after_value(const char* p) {
        while (p != nullptr && depth_ != 0) {
            p = next(p);
            if (p == nullptr) return nullptr;
            const bool object = in_object_[depth_ - 1];
            if (*p == ',') {
                p = next(p + 1);
                return object && p != nullptr ? key(p) : p;
            }
            if (*p != (object ? '}' : ']')) return cursor_.fail(reason::kComma, p);
            ++p;
            --depth_;
            if (object) keys_.close();
            events_.close(object ? Json::Kind::kObject : Json::Kind::kArray, p);
        }
        if (p == nullptr) return nullptr;
        p = cursor_.skip_space(p);
        return p == cursor_.end ? nullptr : cursor_.fail(reason::kTrailing, p);
    }

    /// From where a key is expected to its value.
    const char* key(const char* p) {
        if (*p != '"') return cursor_.fail(reason::kKey, p);
        const char* const start = p;
        bool escaped = false;
        p = cursor_.string(p, escaped);
        if (p == nullptr) return nullptr;
        const std::string_view key = keys_.add({start + 1, static_cast<std::size_t>(p - start - 2)}, escaped);
        if (key.data() == nullptr) return cursor_.fail(reason::kDuplicate, start);
        events_.key(key, start);
        p = next(p);
        if (p == nullptr) return nullptr;
        if (*p != ':') return cursor_.fail(reason::kColon, p);
        return next(p + 1);
    }

    const char* open(Json::Kind kind, const char* p) {
        if (depth_ >= std::min(limits_.max_depth, kDepthCeiling)) {
            return cursor_.fail(reason::kDepth, p, ErrorCode::kLimit);
        }
        events_.open(kind, p);
        const bool object = kind == Json::Kind::kObject;
        if (object) keys_.open();
        in_object_[depth_++] = object;
        return next(p + 1);
    }

    const char* string(const char* p) {
        bool escaped = false;
        const char* const after = cursor_.string(p, escaped);
        if (after != nullptr) events_.string({p, static_cast<std::size_t>(after - p)}, escaped);
        return after;
    }
    const char* number(const char* p) {
        if (*p != '-' && !is_digit(*p)) return cursor_.fail(reason::kValue, p);
        const char* const after = cursor_.number(p);
        if (after != nullptr) events_.number({p, static_cast<std::size_t>(after - p)});
        return after;
    }
    const char* literal(const char* p, std::string_view word, Json::Kind kind) {
        const char* const after = cursor_.literal(p, word);
        if (after != nullptr) events_.literal(kind, {p, word.size()});
        return after;
    }

    /// The next byte that is not white space; end of text is a fault.
    const char* next(const char* p) noexcept {
        if (p != cursor_.end && static_cast<unsigned char>(*p) > ' ') [[likely]]
            return p;
        p = cursor_.skip_space(p);
        return p != cursor_.end ? p : cursor_.fail(reason::kEnd, p);
    }

    std::string_view text_;
    Cursor cursor_;
    const JsonLimits& limits_;
    Events& events_;
    OpenKeys keys_;
    std::size_t depth_ = 0;
    bool in_object_[kDepthCeiling];  // deliberately uninitialised: filled up to depth_
};

}  // namespace gantry::json
