#include "gantry/mount.hpp"

#include "mcp/handlers/facade/mount_entry.hpp"

namespace gantry {
namespace {

void refuse_stopped(detail::MountedReply& reply) {
    constexpr std::string_view kText = "this server has stopped\n";
    if (!reply.begin({.status = 503, .headers = {{"Content-Type", "text/plain"}}, .length = kText.size()})) return;
    reply.push(kText);
    reply.finish();
}

}  // namespace

/// The reader of one response, on the program's threads.
struct MountResponse::State {
    State(std::shared_ptr<detail::MountedReply> given, const std::stop_token& client_gone)
        : reply(std::move(given)), on_gone(client_gone, [raw = reply.get()] { raw->abandon(); }) {}
    ~State() { reply->abandon(); }
    State(const State&) = delete;
    State& operator=(const State&) = delete;

    const std::shared_ptr<detail::MountedReply> reply;
    detail::MountedReply::Head head;
    std::stop_callback<std::function<void()>> on_gone;  // destroyed first: its callback uses the reply
};

MountResponse::MountResponse(std::unique_ptr<State> state) noexcept : state_(std::move(state)) {}
MountResponse::MountResponse(MountResponse&&) noexcept = default;
MountResponse& MountResponse::operator=(MountResponse&&) noexcept = default;
MountResponse::~MountResponse() = default;

int MountResponse::status() const noexcept {
    return state_->head.status;
}
const Fields& MountResponse::headers() const noexcept {
    return state_->head.headers;
}
std::optional<std::uint64_t> MountResponse::length() const noexcept {
    return state_->head.length;
}
Result<std::optional<std::string>> MountResponse::read(std::optional<std::chrono::milliseconds> timeout) {
    return state_->reply->read(timeout);
}

Result<MountResponse> Mount::handle(MountRequest request) const {
    const auto reply = std::make_shared<detail::MountedReply>(impl_->gate);
    auto state = std::make_unique<MountResponse::State>(reply, request.client_gone);
    if (reply->abandoned()) return fail(reply->wait_for_head().error());
    auto shared = std::make_shared<const MountRequest>(std::move(request));
    const bool posted = impl_->gate->post([reply, shared = std::move(shared), host = impl_->host] {
        if (host->now != nullptr) {
            host->now->serve(shared, reply);
        } else {
            refuse_stopped(*reply);
        }
    });
    if (!posted) refuse_stopped(*reply);
    auto head = reply->wait_for_head();
    if (!head) return fail(std::move(head).error());
    state->head = *std::move(head);
    return MountResponse(std::move(state));
}

}  // namespace gantry
