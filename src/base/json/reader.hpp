#pragma once

#include <algorithm>
#include <array>
#include <string_view>

#include "base/json/cursor.hpp"
#include "base/json/keys.hpp"
#include "gantry/json.hpp"

namespace gantry::json {

/// Reads one complete text strictly and tells `events` what it meets; the tree parser and the
/// scanner are both this with other events, so they accept the same texts.
///
/// Events has these members, all called in the order of the text:
///   void open(Json::Kind kind, const char* at)            '{' or '['
///   void close(Json::Kind kind, const char* after)        '}' or ']'
///   void key(std::string_view key, const char* at)        unescaped, valid during the call; its quote
///   void string(std::string_view token, bool escaped)     with its quotes
///   void number(std::string_view token)
///   void literal(Json::Kind kind, std::string_view token)  true, false, null
template <class Events>
class Reader {
public:
    Reader(std::string_view text, const JsonLimits& limits, Events& events) noexcept
        : text_(text), cursor_(text), limits_(limits), events_(events) {}

    /// The first fault, or none. After a fault the events seen so far mean nothing.
    Fault read() {
        if (text_.size() > limits_.max_bytes) {
            return {reason::kSize, limits_.max_bytes, ErrorCode::kLimit};
        }
        if (text_.starts_with("\xEF\xBB\xBF")) return {reason::kBom, 0};
        if (run() && cursor_.skip_space()) cursor_.fail(reason::kTrailing, cursor_.p);
        return cursor_.fault;
    }

private:
    bool run() {
        if (!first_value()) return false;
        while (depth_ != 0) {
            if (!(in_object_[depth_ - 1] ? member_or_end() : element_or_end())) return false;
        }
        return true;
    }

    bool first_value() { return next() && value(); }

    /// Behind '{', or behind a member's value.
    bool member_or_end() {
        if (!next()) return false;
        if (*cursor_.p == '}') {
            keys_.close();
            return close(Json::Kind::kObject);
        }
        if (!fresh_) {
            if (*cursor_.p != ',') return cursor_.fail(reason::kComma, cursor_.p);
            ++cursor_.p;
            if (!next()) return false;
        }
        if (*cursor_.p != '"') return cursor_.fail(reason::kKey, cursor_.p);
        const char* const start = cursor_.p;
        std::string_view inside;
        bool escaped = false;
        if (!cursor_.string(inside, escaped)) return false;
        const std::string_view key = keys_.add(inside, escaped);
        if (key.data() == nullptr) return cursor_.fail(reason::kDuplicate, start);
        events_.key(key, start);
        if (!next()) return false;
        if (*cursor_.p != ':') return cursor_.fail(reason::kColon, cursor_.p);
        ++cursor_.p;
        return next() && value();
    }

    bool element_or_end() {
        if (!next()) return false;
        if (*cursor_.p == ']') return close(Json::Kind::kArray);
        if (!fresh_) {
            if (*cursor_.p != ',') return cursor_.fail(reason::kComma, cursor_.p);
            ++cursor_.p;
            if (!next()) return false;
        }
        return value();
    }

    bool value() {
        const char* const start = cursor_.p;
        fresh_ = false;
        switch (*start) {
            case '"': {
                std::string_view inside;
                bool escaped = false;
                if (!cursor_.string(inside, escaped)) return false;
                events_.string({start, static_cast<std::size_t>(cursor_.p - start)}, escaped);
                return true;
            }
            case '{': return open(Json::Kind::kObject);
            case '[': return open(Json::Kind::kArray);
            case 't': return literal("true", Json::Kind::kBool);
            case 'f': return literal("false", Json::Kind::kBool);
            case 'n': return literal("null", Json::Kind::kNull);
            default: break;
        }
        if (*start != '-' && !is_digit(*start)) return cursor_.fail(reason::kValue, start);
        if (!cursor_.number()) return false;
        events_.number({start, static_cast<std::size_t>(cursor_.p - start)});
        return true;
    }

    bool literal(std::string_view word, Json::Kind kind) {
        const char* const start = cursor_.p;
        if (!cursor_.literal(word)) return false;
        events_.literal(kind, {start, word.size()});
        return true;
    }

    bool open(Json::Kind kind) {
        if (depth_ >= std::min(limits_.max_depth, kDepthCeiling)) {
            return cursor_.fail(reason::kDepth, cursor_.p, ErrorCode::kLimit);
        }
        events_.open(kind, cursor_.p);
        ++cursor_.p;
        const bool object = kind == Json::Kind::kObject;
        if (object) keys_.open();
        in_object_[depth_++] = object;
        fresh_ = true;
        return true;
    }
    bool close(Json::Kind kind) {
        ++cursor_.p;
        events_.close(kind, cursor_.p);
        --depth_;
        fresh_ = false;
        return true;
    }

    bool next() noexcept { return cursor_.skip_space() || cursor_.fail(reason::kEnd, cursor_.end); }

    std::string_view text_;
    Cursor cursor_;
    const JsonLimits& limits_;
    Events& events_;
    OpenKeys keys_;
    std::size_t depth_ = 0;
    bool fresh_ = false;                         // nothing yet in the innermost object or array
    std::array<bool, kDepthCeiling> in_object_;  // uninitialised on purpose: filled up to depth_
};

}  // namespace gantry::json
