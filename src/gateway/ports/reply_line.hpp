#pragma once

#include <string>
#include <string_view>

#include "gantry/mcp/notifications.hpp"
#include "io/context.hpp"
#include "io/task.hpp"

namespace gantry::gateway {

/// The way back to a caller while its call is served. Handed in with the call, valid until its outcome; no part keeps
/// a pointer to its caller beyond that.
class ReplyLine {
public:
    virtual ~ReplyLine() = default;

    virtual bool wants_progress() const noexcept = 0;
    /// `params` of notifications/progress without its token, as JSON text.
    virtual void progress(std::string_view params) = 0;
    /// The level the caller asked for; empty: it asked for none.
    virtual std::optional<mcp::LogLevel> log_level() const noexcept = 0;
    /// The caller takes what a server logs without being asked to, as legacy clients do that have set no level.
    virtual bool takes_unasked_logs() const noexcept { return false; }
    /// `params` of notifications/message as JSON text. Only at or above log_level() where there is one.
    virtual void log(std::string_view params) = 0;

    /// Whether the caller can be asked while it waits. If not, a source that must ask answers kInputRequired.
    virtual bool can_ask() const noexcept = 0;
    /// One question, e.g. "elicitation/create" with its params as JSON text; the answer's result as JSON text.
    virtual Task<Result<std::string>> ask(const Context& ctx, std::string_view method, std::string params) = 0;

    /// The source lets its own line rest for that long and thinks its caller might do the same. A wish: who cannot
    /// come back for the rest goes on waiting.
    virtual void hang_up(Duration retry) { static_cast<void>(retry); }
};

}  // namespace gantry::gateway
