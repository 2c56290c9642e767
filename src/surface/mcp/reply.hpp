#pragma once

#include "base/redact/redactor.hpp"
#include "gateway/ports/reply_line.hpp"
#include "mcp/server/call.hpp"

namespace gantry::surface {

/// An MCP client's line as the pipeline sees it: tokens are the client's own, questions are expressed in the terms of
/// its revision.
class Reply final : public gateway::ReplyLine {
public:
    /// All must outlive the reply. `redactor`, if any, removes secrets from a server's log messages and progress.
    Reply(const mcp::Call& call, mcp::ReplyChannel& line, const Redactor* redactor = nullptr)
        : call_(call), line_(line), redactor_(redactor) {}

    bool wants_progress() const noexcept override { return static_cast<bool>(token()); }
    void progress(std::string_view params) override;
    std::optional<mcp::LogLevel> log_level() const noexcept override { return call_.log_level; }
    bool takes_unasked_logs() const noexcept override { return !call_.peer->modern() && !call_.log_level; }
    void log(std::string_view params) override;
    bool can_ask() const noexcept override { return !call_.peer->modern() && line_.can_ask(); }
    Task<Result<std::string>> ask(const Context& ctx, std::string_view method, std::string params) override;
    void hang_up(Duration retry) override { line_.hang_up(retry); }

private:
    const json::Span& token() const noexcept { return call_.view.in_params.in_meta.progress_token; }

    const mcp::Call& call_;
    mcp::ReplyChannel& line_;
    const Redactor* redactor_;
};

}  // namespace gantry::surface
