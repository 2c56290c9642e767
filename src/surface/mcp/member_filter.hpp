#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "gantry/error.hpp"

namespace gantry::surface {

/// Decides what happens to each member of an object, in the order of the text.
class MemberRules {
public:
    /// kWrap: passed on inside `{"result":…}`.
    enum class MemberAction : std::uint8_t { kPass, kWrap, kDrop, kRewrite };

    virtual ~MemberRules() = default;
    /// `name` is unescaped, `first` is the first byte of the value. Not called for names that are too long to be known.
    virtual MemberAction decide(std::string_view name, char first) = 0;
    /// kRewrite: returns the JSON that replaces `value`; empty: the member is dropped. No `value`: it is longer than
    /// MemberFilter::kMostRewritten.
    virtual Result<std::string> rewrite(std::string_view name, std::optional<std::string_view> value) = 0;
    /// Members to append to the object: `"a":1,"b":2`, or empty.
    virtual std::string last_members() = 0;
};

/// Rewrites members of one JSON object while its text streams through, in constant memory. All other bytes are
/// unchanged, except that longer runs of white space between the object's own tokens are shortened.
///
/// Precondition: the text is valid JSON; the filter does not validate.
class MemberFilter {
public:
    static constexpr std::size_t kMostRewritten = 64u << 10;

    /// `rules` must outlive it.
    explicit MemberFilter(MemberRules& rules) noexcept : rules_(rules) {}

    /// Returns the output for `piece`, valid until the next call and only as long as `piece`. kProtocol if the text is
    /// not an object; otherwise errors of the rules.
    Result<std::string_view> feed(std::string_view piece);

private:
    enum class State : std::uint8_t { kStart, kBeforeKey, kKey, kBeforeValue, kValue, kOver };

    // Each returns the position after what it consumed.
    Result<std::size_t> step(std::string_view piece, std::size_t at);
    std::size_t read_key(std::string_view piece, std::size_t at);
    std::size_t skip_string(std::string_view piece, std::size_t at);
    std::size_t skip_value(std::string_view piece, std::size_t at);

    void lead(char c);
    void begin_value(char first);
    void take(std::string_view bytes);
    void write_lead();
    Result<void> end_member();
    void close();

    MemberRules& rules_;
    State state_ = State::kStart;
    bool in_string_ = false;
    bool escaped_ = false;
    bool any_ = false;       // a member has been written
    std::size_t depth_ = 0;  // inside the value

    // The current member.
    MemberRules::MemberAction action_ = MemberRules::MemberAction::kPass;
    bool begun_ = false;  // the text before its value has been written
    std::string lead_;    // otherwise that text
    std::size_t spaces_ = 0;
    std::size_t name_begin_ = 0;  // inside lead_, without quotes
    std::size_t name_end_ = 0;
    std::string name_;
    std::string held_;  // its value, if it has to be rewritten
    bool too_long_ = false;

    std::string out_;
};

}  // namespace gantry::surface
