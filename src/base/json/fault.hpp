#pragma once

#include <cstddef>

#include "gantry/error.hpp"

namespace gantry::json {

/// Why a text was rejected and where: `offset` is the first invalid byte, the start of the
/// offending key, escape or UTF-8 sequence, or the size of a truncated text. The tree parser,
/// the scanner and the incremental scanner report the same fault for the same text.
struct Fault {
    const char* reason = nullptr;  // null: no fault
    std::size_t offset = 0;
    ErrorCode code = ErrorCode::kParse;

    explicit operator bool() const noexcept { return reason != nullptr; }
};

/// "<reason> at byte <offset>". Not retryable: the same bytes fail again.
Error to_error(const Fault& fault);

namespace reason {
inline constexpr const char* kEnd = "unexpected end of JSON";
inline constexpr const char* kTrailing = "data after the JSON value";
inline constexpr const char* kBom = "byte order mark before the JSON value";
inline constexpr const char* kValue = "expected a JSON value";
inline constexpr const char* kKey = "expected an object key";
inline constexpr const char* kColon = "expected ':' after an object key";
inline constexpr const char* kComma = "expected ',' or the end of the object or array";
inline constexpr const char* kLiteral = "misspelt literal";
inline constexpr const char* kDigit = "expected a digit";
inline constexpr const char* kControl = "unescaped control character in a string";
inline constexpr const char* kEscape = "invalid escape in a string";
inline constexpr const char* kSurrogate = "lone surrogate in a string";
inline constexpr const char* kUtf8 = "invalid UTF-8 in a string";
inline constexpr const char* kDuplicate = "duplicate object key";
inline constexpr const char* kDepth = "JSON nested too deeply";
inline constexpr const char* kSize = "JSON too large";
inline constexpr const char* kMembers = "too many members in the message envelope";
}  // namespace reason

/// Upper bound for all depth limits, because copying, comparing and destroying a tree recurse.
inline constexpr std::size_t kDepthCeiling = 1024;

}  // namespace gantry::json
