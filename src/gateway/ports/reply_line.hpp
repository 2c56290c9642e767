#pragma once

#include <string>
#include <string_view>

#include "gantry/mcp/notifications.hpp"
#include "io/context.hpp"
#include "io/task.hpp"

namespace gantry::gateway {

/// The way back to a caller while its call is served. Passed in with the call and valid until its outcome; no component
/// keeps a pointer to its caller beyond that.
class ReplyLine {
public:
    virtual ~ReplyLine() = default;

    virtual bool wants_progress() const noexcept = 0;
    /// `params` of notifications/progress without its token, as JSON text.
    virtual void progress(std::string_view params) = 0;
    /// The log level the caller requested; empty: none.
    virtual std::optional<mcp::LogLevel> log_level() const noexcept = 0;
    /// The caller accepts what a server logs by default, as legacy clients do that have set no level.
    virtual bool takes_unasked_logs() const noexcept { return false; }
    /// `params` of notifications/message as JSON text. Only at or above log_level(), if there is one.
    virtual void log(std::string_view params) = 0;

    /// Whether the caller can be asked during the call. If not, a source that has to ask answers kInputRequired.
    virtual bool can_ask() const noexcept = 0;
    /// Asks one question, e.g. "elicitation/create" with its params as JSON text; returns the answer's result as JSON
    /// text.
    virtual Task<Result<std::string>> ask(const Context& ctx, std::string_view method, std::string params) = 0;

    /// The source closes its own stream for this long, and the caller might do the same. A hint: a caller that cannot
    /// resume keeps waiting.
    virtual void hang_up(Duration retry) { static_cast<void>(retry); }
};

}  // namespace gantry::gateway
