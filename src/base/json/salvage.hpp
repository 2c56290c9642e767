#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace gantry::json {

/// Finds out whose answer a JSON-RPC message was meant to be that no reader accepts: too deep, a lone surrogate, bad
/// UTF-8, cut off. Looks at the members of the outermost object only and forgives everything it can. The text may come
/// in pieces, cut anywhere. For messages that are refused: nothing it says may be relied on for anything else.
class EnvelopeSalvage {
public:
    void feed(std::string_view piece);

    /// The raw JSON of the member "id"; empty when there is none, or none of reasonable length.
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
    bool escaped_ = false;      // the next byte belongs to an escape
    bool expects_key_ = false;  // the next string in the outermost object is a key
    Token token_ = Token::kNone;
    std::string key_;
    std::string id_;
    std::string value_;  // of an id that is passing
    bool has_method_ = false;
    bool has_outcome_ = false;
};

}  // namespace gantry::json
