#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <string>

#include "gateway/model/call.hpp"

namespace gantry::gateway {

/// What of a client's capabilities is declared to a server: what the client declared and the gateway can carry back.
struct Carried {
    /// Elicitation, sampling and roots: all a legacy server may be told about.
    mcp::ClientCapabilities asked = {};
    /// The same as canonical JSON; one legacy session never serves two of these.
    std::string asked_text = "{}";
    /// The same without what has no influence on a server's lists: whether it will be told that roots changed.
    std::string offered_text = "{}";
    /// What a modern request says: the same and the client's extensions.
    std::string modern_text = "{}";
    /// The client knows the tasks extension.
    bool tasks = false;

    bool can_be_asked() const noexcept { return asked.elicitation || asked.sampling || asked.roots; }
    /// The server was promised to be told when the roots change.
    bool tells_roots() const noexcept { return asked.roots && asked.roots->list_changed.value_or(false); }
    bool by_form() const noexcept { return asked.elicitation && asked.elicitation->supports_form(); }
    bool by_url() const noexcept { return asked.elicitation && asked.elicitation->supports_url(); }
};
using CarriedPtr = std::shared_ptr<const Carried>;

/// `reachable`: questions can get to the client. `offer_tasks`: the tasks extension is declared whether or not the
/// client knows it, since somebody here follows the task.
CarriedPtr carry(const ClientTraits& client, bool reachable, bool offer_tasks = false);

/// The same remembered: few clients differ. Bounded; starts anew when full.
class CarriedMemo {
public:
    CarriedPtr of(const ClientTraits& client, bool reachable, bool offer_tasks);

private:
    static constexpr std::size_t kMaxKept = 256;
    static constexpr std::size_t kLongestKept = 4096;
    std::map<std::string, CarriedPtr, std::less<>> kept_[4];
};

}  // namespace gantry::gateway
