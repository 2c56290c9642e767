#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "gateway/model/item.hpp"
#include "gateway/model/principal.hpp"

namespace gantry::gateway {

/// What may be seen and used of one source: patterns (see glob_match) on the source's own names, i.e. names of tools
/// and prompts, URIs of resources and templates. The same patterns apply to all kinds.
struct Rules {
    std::vector<std::string> allow = {};  ///< empty: everything
    std::vector<std::string> deny = {};   ///< wins over allow
};

bool permits(const Rules& rules, std::string_view own_name) noexcept;

/// Static policy: the same lists for every caller. A source without rules is open, since an operator who configures
/// none wants all of it.
class StaticPolicy {
public:
    StaticPolicy() = default;
    explicit StaticPolicy(std::map<std::string, Rules, std::less<>> by_source) : by_source_(std::move(by_source)) {}

    /// Whether `principal` may use what `source` calls `own_name`. `item` is null for what no list names: a task, or a
    /// resource that only a template covers. Then the name alone decides; for a task the caller passes the name of the
    /// running tool, or nothing, which relies on the check made when the tool was admitted.
    bool permits(const Principal& principal, const Item* item, std::string_view source,
                 std::string_view own_name) const;

private:
    std::map<std::string, Rules, std::less<>> by_source_;
};

}  // namespace gantry::gateway
