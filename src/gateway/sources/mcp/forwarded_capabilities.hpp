#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <string>

#include "gateway/model/call.hpp"

namespace gantry::gateway {

/// The part of a client's capabilities that is declared to a server: what the client declared and the gateway can
/// forward.
struct ForwardedCapabilities {
    /// Elicitation, sampling and roots: the only capabilities a legacy server is shown.
    mcp::ClientCapabilities asked = {};
    /// The same as canonical JSON; a legacy session serves a single value of it.
    std::string asked_text = "{}";
    /// The same without roots.listChanged, which has no influence on a server's lists.
    std::string offered_text = "{}";
    /// The capabilities of a modern request: the same plus the client's extensions.
    std::string modern_text = "{}";
    /// The client supports the tasks extension.
    bool tasks = false;

    bool can_be_asked() const noexcept { return asked.elicitation || asked.sampling || asked.roots; }
    /// The server was promised notifications about changed roots.
    bool tells_roots() const noexcept { return asked.roots && asked.roots->list_changed.value_or(false); }
    bool by_form() const noexcept { return asked.elicitation && asked.elicitation->supports_form(); }
    bool by_url() const noexcept { return asked.elicitation && asked.elicitation->supports_url(); }
};
using ForwardedCapabilitiesPtr = std::shared_ptr<const ForwardedCapabilities>;

/// `reachable`: questions can reach the client. `offer_tasks`: declares the tasks extension even if the client does not
/// support it, because the gateway follows the task itself.
ForwardedCapabilitiesPtr carry(const ClientTraits& client, bool reachable, bool offer_tasks = false);

/// Memoizes carry(), because few clients differ. Bounded; cleared when full.
class ForwardedCapabilitiesMemo {
public:
    ForwardedCapabilitiesPtr of(const ClientTraits& client, bool reachable, bool offer_tasks);

private:
    static constexpr std::size_t kMaxKept = 256;
    static constexpr std::size_t kLongestKept = 4096;
    std::map<std::string, ForwardedCapabilitiesPtr, std::less<>> kept_[4];
};

}  // namespace gantry::gateway
