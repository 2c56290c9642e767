#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "app/control/status_view.hpp"

namespace {

/// Untrusted text must not reach the terminal as control sequences.
void harmless(const std::string& text) {
    const auto control = [](char c) { return (static_cast<unsigned char>(c) < 0x20 && c != '\n') || c == 0x7f; };
    if (std::ranges::any_of(text, control)) std::abort();
}

}  // namespace

/// Answers of a control socket, rendered for users: names and texts in them come from servers and callers.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace gantry;
    using namespace gantry::app;
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    harmless(show_log_line(text));
    const auto answer = Json::parse(text);
    if (!answer) return 0;
    for (const auto show : {show_status, show_approvals, show_approval, show_breakers, show_dead_letters, show_reload})
        harmless(show(*answer));
    harmless(show_top(*answer, std::nullopt, Duration(0)));
    harmless(show_top(*answer, *answer, seconds(2)));
    return 0;
}
