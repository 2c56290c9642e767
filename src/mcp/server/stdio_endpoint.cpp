#include "mcp/server/stdio_endpoint.hpp"

#include "io/scope.hpp"
#include "mcp/protocol/errors.hpp"
#include "mcp/server/conversation.hpp"
#include "mcp/server/line_reader.hpp"
#include "mcp/server/line_sink.hpp"
#include "mcp/server/wire.hpp"

namespace gantry::mcp {
namespace {

/// Reads lines until the peer has closed its end. An error only if reading failed for another reason.
Task<Result<void>> read_all(const Context& ctx, LineReader& reader, LineSink& sink, Conversation& conversation) {
    for (;;) {
        // Back-pressure: a client that does not read our answers is not read either.
        if (!co_await sink.room(ctx)) co_return ctx.check();
        auto line = co_await reader.next(ctx);
        if (!line) {
            if (line.error().code() == ErrorCode::kLimit) {
                sink.push(wire::error_message({}, invalid_request("the line is too long")));
                continue;
            }
            co_return line.error().code() == ErrorCode::kConnection ? Result<void>() : fail(line.error());
        }
        if (!*line) co_return Result<void>();
        if (!(*line)->empty()) conversation.receive(std::string(**line));
    }
}

/// The same until the peer has closed its end or `options.finish` is cancelled.
Task<Result<void>> read_until_last(const Context& ctx, const StdioEndpointOptions& options, LineReader& reader,
                                   LineSink& sink, Conversation& conversation) {
    const CancelSource reading(ctx.cancel());
    const CancelCallback finish(options.finish, [&reading] { reading.cancel(); });
    auto read = co_await read_all(ctx.stopped_by(reading), reader, sink, conversation);
    const bool finished = options.finish.cancelled() && ctx.check();
    co_return finished ? Result<void>() : read;
}

}  // namespace

Task<Result<void>> serve_lines(const Context& ctx, Stream& in, Stream& out, Backend& backend,
                               StdioEndpointOptions options, Duration grace) {
    const auto who = co_await backend.identify(ctx, {});
    if (!who) co_return fail(ErrorCode::kUnauthorized, who.error().message);
    LineSink sink(out, options.max_queued_bytes);
    Conversation conversation(ctx, backend, *who, sink,
                              {.eras = options.eras,
                               .limits = {.max_bytes = options.max_line_bytes, .max_depth = options.max_depth},
                               .max_calls = options.max_calls,
                               .ask_timeout = options.ask_timeout,
                               .session = "stdio"});
    Scope writer(ctx);
    writer.spawn(sink.run(writer.context()));
    LineReader reader(in, options.max_line_bytes);
    auto read = co_await read_until_last(ctx, options, reader, sink, conversation);
    if (options.on_last) options.on_last();
    co_await conversation.finish(read && ctx.check() ? grace : Duration::zero());
    // Flush the last messages.
    (void)co_await sink.close(ctx.within(grace));
    writer.cancel();
    co_await writer.join();
    co_return read;
}

}  // namespace gantry::mcp
