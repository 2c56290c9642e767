#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "gantry/error.hpp"

namespace gantry::surface {

/// What becomes of the members of an object, one after the other as they come.
class MemberRules {
public:
    /// kWrap: passes inside `{"result":…}`.
    enum class Fate : std::uint8_t { kPass, kWrap, kDrop, kRewrite };

    virtual ~MemberRules() = default;
    /// `name` as it reads, `first` the first byte of the value. Not asked about names that are too long to be known.
    virtual Fate decide(std::string_view name, char first) = 0;
    /// kRewrite: the value to take the place of `value`, JSON both; empty: the member is left out. No `value`: it is
    /// longer than MemberFilter::kMostRewritten.
    virtual Result<std::string> rewrite(std::string_view name, std::optional<std::string_view> value) = 0;
    /// What the object gets behind its last member: `"a":1,"b":2`, empty for nothing.
    virtual std::string last_members() = 0;
};

/// Changes members of one JSON object while its text passes, in constant memory. All other bytes stay as they are, but
/// for space beyond a few bytes between the tokens of the object itself.
///
/// The text must be checked already: this only finds its way through it.
class MemberFilter {
public:
    static constexpr std::size_t kMostRewritten = 64u << 10;

    /// `rules` must outlive it.
    explicit MemberFilter(MemberRules& rules) noexcept : rules_(rules) {}

    /// What goes on in the place of `piece`, valid until the next call and as long as `piece`. kProtocol if the text is
    /// no object; what the rules say otherwise.
    Result<std::string_view> feed(std::string_view piece);

private:
    enum class State : std::uint8_t { kStart, kBeforeKey, kKey, kBeforeValue, kValue, kOver };

    // Each gives the place behind what it used.
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

    // The member that is passing.
    MemberRules::Fate fate_ = MemberRules::Fate::kPass;
    bool begun_ = false;  // what stands ahead of its value has been written
    std::string lead_;    // else that
    std::size_t spaces_ = 0;
    std::size_t name_begin_ = 0;  // inside lead_, without quotes
    std::size_t name_end_ = 0;
    std::string name_;
    std::string held_;  // its value, to be rewritten
    bool too_long_ = false;

    std::string out_;
};

}  // namespace gantry::surface
