#include "gateway/sources/mcp/source_status.hpp"

namespace gantry::gateway {

void SourceStatus::set_state(SourceState state, std::string trouble) {
    trouble_ = std::move(trouble);
    if (state_ == state) return;
    state_ = state;
    changed_.pulse();
    tell({.kind = SourceChange::Kind::kState});
}

void SourceStatus::problem(const Error& why) const {
    if (options_.on_problem) options_.on_problem(spec_.name, reason(why));
}

std::string reason(const Error& error) {
    std::string text = error.message();
    for (const Error* cause = error.cause(); cause != nullptr; cause = cause->cause()) text += ": " + cause->message();
    return text;
}

}  // namespace gantry::gateway
