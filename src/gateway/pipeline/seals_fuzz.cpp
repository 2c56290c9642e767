#include "gateway/pipeline/seals.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "gantry/json.hpp"

// Handles that callers return. Only sealed text ever opens; it opens only for its principal and its call, and yields
// what was sealed. The digest of a call does not depend on how its arguments are spelt.
//
// A new key for every input: the fuzzer learns from comparisons and would learn whole tokens. A token from an earlier
// run must be invalid in this one.

namespace {

using namespace gantry;
using namespace gantry::gateway;

void require(bool holds) {
    if (!holds) std::abort();
}

void try_handles(auth::Sealer& sealer, Seals& seals, const Principal& ada, const std::string& text) {
    require(!seals.open_state(text, ada, "d") && !seals.open_task(text, ada));
    // Sealed with our key, but not with our content.
    (void)seals.open_state(sealer.seal("state", text), ada, "d");
    (void)seals.open_task(sealer.seal("task", text), ada);

    const WaitingCall call{.source = "s", .principal = ada.id, .digest = "d", .inner = text};
    const auto state = seals.seal_state(call);
    require(state.has_value());
    const auto opened = seals.open_state(*state, ada, "d");
    require(opened && opened->source == "s" && opened->inner == text);
    const Principal bob{.id = "bob"};
    require(!seals.open_state(*state, bob, "d") && !seals.open_state(*state, ada, "other"));
    require(!seals.open_task(*state, ada));

    const auto task = seals.seal_task({.source = "s", .principal = ada.id, .inner = text});
    require(task.has_value());
    const auto found = seals.open_task(*task, ada);
    require(found && found->inner == text);
    require(!seals.open_task(*task, bob) && !seals.open_state(*task, ada, "d"));
}

void try_digest(std::string_view text) {
    const auto view = json::scan_envelope(text);
    if (!view || !view->in_params.arguments) return;
    const std::string digest = digest_of(Verb::kCallTool, "tool", view->in_params);
    require(digest != digest_of(Verb::kCallTool, "tool2", view->in_params));
    require(digest != digest_of(Verb::kGetPrompt, "tool", view->in_params));
    const auto arguments = Json::parse(view->in_params.arguments.raw());
    require(arguments.has_value());
    const std::string spelt = R"({"params":{"arguments":)" + arguments->pretty() + "}}";
    const auto again = json::scan_envelope(spelt);
    require(again && digest_of(Verb::kCallTool, "tool", again->in_params) == digest);
    const std::string other = R"({"params":{"arguments":{"x":)" + arguments->dump() + "}}}";
    if (const auto changed = json::scan_envelope(other))
        require(digest_of(Verb::kCallTool, "tool", changed->in_params) != digest);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string text(reinterpret_cast<const char*>(data), size);
    auth::Sealer sealer = *auth::Sealer::ephemeral();
    Seals seals(sealer);
    try_handles(sealer, seals, {.id = "ada"}, text);
    try_digest(text);
    return 0;
}
