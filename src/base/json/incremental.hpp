#pragma once

#include <array>
#include <bitset>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json/fault.hpp"
#include "base/json/key_digests.hpp"
#include "base/json/text.hpp"
#include "gantry/json.hpp"

namespace gantry::json {

/// The position of a member's value in the stream, counted from the first byte fed.
struct Extent {
    std::size_t begin = 0;
    std::optional<std::size_t> end;  // empty until the value is complete
};

/// A small value captured from the stream.
struct Passed {
    Extent extent;
    /// Its raw JSON, complete once extent.end is set; empty if longer than
    /// IncrementalScanner::kMostKept.
    std::string raw;
    bool too_long = false;
};

/// The parts of a JSON-RPC message seen so far; each is set once its value begins.
struct PassedEnvelope {
    std::optional<Json::Kind> kind;  // of the whole text
    std::optional<Passed> jsonrpc;
    std::optional<Passed> id;
    std::optional<Passed> method;
    std::optional<Extent> params;
    std::optional<Extent> result;
    std::optional<Extent> error;
};

/// Validates a message too large to hold in memory as it streams through, in constant memory.
///
/// As strict as Json::parse and with the same errors, except for two differences. Keys
/// are compared only at the top level of an object, in `params` and in `result`; a duplicate
/// deeper down, or inside a batch, is not detected. And those objects may have at most
/// KeyDigests::kMost members each.
class IncrementalScanner {
public:
    static constexpr std::size_t kMostKept = 1024;

    /// How an escaped lone surrogate is treated: as a fault, or recorded in lone() for a caller that replaces it.
    enum class LoneSurrogates : std::uint8_t { kRefuse, kNote };

    explicit IncrementalScanner(const JsonLimits& limits = {}, LoneSurrogates lone = LoneSurrogates::kRefuse)
        : limits_(limits), notes_lone_(lone == LoneSurrogates::kNote) {}

    /// The next piece, split anywhere. After an error every further call returns that error again.
    Result<void> feed(std::string_view bytes);
    /// End of input. An error if the text is incomplete.
    Result<void> finish();

    const PassedEnvelope& envelope() const noexcept { return envelope_; }
    /// Bytes fed so far.
    std::size_t size() const noexcept { return size_; }

    /// Offsets of escaped lone surrogates since forget_lone(); see surrogates.hpp.
    const std::vector<std::size_t>& lone() const noexcept { return lone_; }
    void forget_lone() noexcept { lone_.clear(); }
    /// size() without a trailing incomplete escape: the verdict on everything before is final.
    std::size_t settled() const noexcept {
        const bool escaping = state_ == State::kEscape || state_ == State::kHex || state_ == State::kPairBackslash ||
                              state_ == State::kPairU;
        return escaping ? sequence_ : size_;
    }

private:
    enum class State : std::uint8_t {
        kStart,
        kBomSecond,
        kBomThird,
        kValue,
        kElementOrEnd,
        kKeyOrEnd,
        kKey,
        kColon,
        kAfterValue,
        kString,
        kUtf8,
        kEscape,
        kHex,
        kPairBackslash,
        kPairU,
        kMinus,
        kZero,
        kWhole,
        kPoint,
        kFraction,
        kExponent,
        kExponentSign,
        kExponentDigits,
        kLiteral,
    };
    /// The object a key belongs to, as far as keys are compared.
    enum class Place : std::uint8_t { kElsewhere, kTop, kInside };
    enum class Part : std::uint8_t {
        kNone,
        kParams,
        kResult,
        kError,
        kJsonrpc,
        kId,
        kMethod
    };  // from kJsonrpc on kept

    // Each returns how many bytes of `rest` it consumed, at least one unless it only changed the
    // state or recorded a fault.
    std::size_t step(std::string_view rest);
    std::size_t start(char c);
    std::size_t value(char c);
    std::size_t structure(char c);
    std::size_t number(char c);
    std::size_t literal(char c);
    std::size_t string(std::string_view rest);
    std::size_t escape(char c);
    std::size_t hex(char c);

    std::size_t refuse(const char* reason, std::size_t at, ErrorCode code = ErrorCode::kParse) noexcept;
    std::size_t open(bool object);
    std::size_t close();
    void begin_string(bool is_key);
    void end_string(std::size_t after);
    std::size_t end_number();
    void end_key();
    void begin_value(Json::Kind kind) {
        if (depth_ <= 1) begin_part(kind);
    }
    void begin_part(Json::Kind kind);
    void end_value(std::size_t after) {
        state_ = State::kAfterValue;
        if (depth_ == 1) end_part(after);
    }
    void end_part(std::size_t after);
    void key_bytes(std::string_view bytes) {
        if (compare_) digest(bytes);
    }
    void digest(std::string_view bytes);
    void code_unit();
    bool note_lone(std::size_t at);
    bool innermost_is_object() const noexcept { return objects_[depth_ - 1]; }
    Place place() const noexcept { return depth_ == 1 || depth_ == 2 ? envelope_place() : Place::kElsewhere; }
    Place envelope_place() const noexcept;
    bool keeping() const noexcept { return part_ >= Part::kJsonrpc; }
    std::size_t step_keeping(std::string_view rest);
    /// The envelope value being read, if it is to be captured.
    Passed* kept() noexcept;
    static void keep(Passed& passed, std::string_view bytes);

    JsonLimits limits_;
    Fault fault_;
    State state_ = State::kStart;
    std::size_t size_ = 0;  // bytes checked
    std::size_t depth_ = 0;
    std::bitset<kDepthCeiling> objects_;

    // The current token.
    std::size_t token_ = 0;     // its start
    std::size_t sequence_ = 0;  // start of its current escape or UTF-8 sequence
    bool is_key_ = false;
    bool compare_ = false;  // it is a key to check for duplicates
    Utf8Checker utf8_;
    unsigned unit_ = 0;  // of the current \u escape
    unsigned hex_left_ = 0;
    unsigned high_ = 0;  // the first half of a surrogate pair, else 0
    bool notes_lone_ = false;
    std::vector<std::size_t> lone_;
    std::string_view literal_;  // its remaining characters

    // The envelope.
    PassedEnvelope envelope_;
    Part part_ = Part::kNone;     // the current top-level member
    std::array<char, 8> name_{};  // prefix of a top-level key
    std::size_t name_size_ = 0;
    KeyDigester digester_;
    KeyDigests top_keys_;
    KeyDigests inner_keys_;
};

}  // namespace gantry::json
