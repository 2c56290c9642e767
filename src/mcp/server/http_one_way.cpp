// POST of a message that has no answer of its own: a notification, or a response to a question we asked. Both get 202.
#include "mcp/server/housekeeping.hpp"
#include "mcp/server/http_endpoint_impl.hpp"
#include "mcp/server/post_decision.hpp"

namespace gantry::mcp {

Task<void> HttpEndpoint::Impl::post_notification(const Context& ctx, HttpRequest& request, const PostedMessage& message,
                                                 const PostDecision& decided) {
    const auto sender = sender_of(request, message, decided);
    if (!sender && !decided.modern()) co_return co_await send_error(ctx, request, {}, sender.error());
    // Over HTTP a modern client cancels by disconnecting.
    const bool ignored = decided.modern() && message.method == method::kCancelled;
    if (sender && !ignored) {
        CallList* const own = sender->session ? &sender->session->calls : nullptr;
        take_notification(message.view, message.method, request.backend, *sender->peer, own);
    }
    co_await send_empty(ctx, request, 202);
}

Task<void> HttpEndpoint::Impl::post_response(const Context& ctx, HttpRequest& request, const PostedMessage& message) {
    if (options.stateless) co_return co_await send_empty(ctx, request, 202);
    const auto session = session_of(request, message.identity);
    if (!session) co_return co_await send_error(ctx, request, {}, session.error());
    (void)(*session)->asks.answer(message.view);  // a late answer is not the client's mistake
    co_await send_empty(ctx, request, 202);
}

}  // namespace gantry::mcp
