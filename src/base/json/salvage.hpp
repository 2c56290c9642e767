#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace gantry::json {

/// Finds the id of a JSON-RPC message that no reader accepts: too deep, a lone surrogate, bad UTF-8, truncated. Reads
/// only the members of the outermost object, as leniently as possible. The text may come in pieces, split anywhere. For
/// rejected messages only: rely on its result for nothing else.
class EnvelopeSalvage {
public:
    void feed(std::string_view piece);

    /// The raw JSON of the member "id"; empty if there is none, or none of reasonable length.
    std::string_view id() const noexcept { return id_; }
    bool has_method() const noexcept { return has_method_; }
    /// A result or an error, and no method.
    bool is_answer() const noexcept { return has_outcome_ && !has_method_; }

private:
    enum class Token : std::uint8_t { kNone, kKey, kId };

    void structure(char c);
    void begin_string();
    void end_string();
    void end_id();

    std::size_t depth_ = 0;
    bool in_string_ = false;
    bool escaped_ = false;      // the next byte is part of an escape
    bool expects_key_ = false;  // the next string in the outermost object is a key
    Token token_ = Token::kNone;
    std::string key_;
    std::string id_;
    std::string value_;  // of the id being read
    bool has_method_ = false;
    bool has_outcome_ = false;
};

}  // namespace gantry::json
