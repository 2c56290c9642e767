#include "surface/mcp/gateway_backend.hpp"

#include <array>
#include <map>

#include "base/try.hpp"
#include "gateway/ports/source.hpp"
#include "mcp/protocol/codec.hpp"
#include "mcp/protocol/errors.hpp"
#include "mcp/protocol/meta.hpp"
#include "surface/mcp/correlation.hpp"
#include "surface/mcp/decode.hpp"
#include "surface/mcp/errors.hpp"
#include "surface/mcp/redact.hpp"
#include "surface/mcp/reply.hpp"
#include "surface/mcp/tracing.hpp"
#include "surface/mcp/traits.hpp"

namespace gantry::surface {
namespace {

using gateway::CatalogChange;
using gateway::ItemKind;
using gateway::Verb;
namespace method = mcp::method;

std::optional<ItemKind> listed_by(std::string_view name) noexcept {
    if (name == method::kListTools) return ItemKind::kTool;
    if (name == method::kListPrompts) return ItemKind::kPrompt;
    if (name == method::kListResources) return ItemKind::kResource;
    if (name == method::kListResourceTemplates) return ItemKind::kTemplate;
    return std::nullopt;
}

std::optional<ItemKind> named_by(Verb verb) noexcept {
    if (verb == Verb::kCallTool) return ItemKind::kTool;
    if (verb == Verb::kGetPrompt) return ItemKind::kPrompt;
    if (verb == Verb::kReadResource) return ItemKind::kResource;
    return std::nullopt;
}

mcp::Change::Kind kind_of(CatalogChange::Kind kind) noexcept {
    switch (kind) {
        case CatalogChange::Kind::kTools: return mcp::Change::Kind::kTools;
        case CatalogChange::Kind::kPrompts: return mcp::Change::Kind::kPrompts;
        case CatalogChange::Kind::kResources: return mcp::Change::Kind::kResources;
        case CatalogChange::Kind::kTask: return mcp::Change::Kind::kTask;
        case CatalogChange::Kind::kUpdated: break;
    }
    return mcp::Change::Kind::kUpdated;
}

bool wants(const mcp::Interest& interest, const CatalogChange& change) {
    switch (change.kind) {
        case CatalogChange::Kind::kTools: return interest.tools;
        case CatalogChange::Kind::kPrompts: return interest.prompts;
        case CatalogChange::Kind::kResources: return interest.resources;
        case CatalogChange::Kind::kUpdated:
        case CatalogChange::Kind::kTask: break;
    }
    return true;  // only followed items are reported
}

class ScopeWatch final : public mcp::Watch {
public:
    ScopeWatch(gateway::Registry& registry, std::string scope, mcp::Interest lists,
               std::function<void(const mcp::Change&)> tell, gateway::Viewer viewer)
        : honoured_(std::move(lists)),
          tell_(std::move(tell)),
          watch_(
              registry, std::move(scope),
              [this](const CatalogChange& change) {
                  if (wants(honoured_, change))
                      tell_({.kind = kind_of(change.kind), .uri = change.uri, .task = change.task});
              },
              std::move(viewer)) {}

    const mcp::Interest& honoured() const noexcept override { return honoured_; }
    Task<Result<void>> add(const Context& ctx, std::string uri) override {
        GANTRY_CO_CHECK(co_await watch_.follow(ctx, uri));
        honoured_.uris.insert(std::move(uri));
        co_return Result<void>();
    }
    Task<void> add_tasks(const Context& ctx, std::map<std::string, gateway::Registry::Watch::TaskPlace> tasks) {
        honoured_.tasks = co_await watch_.follow_tasks(ctx, std::move(tasks));
    }
    Task<void> remove(const Context& ctx, std::string uri) override {
        honoured_.uris.erase(uri);
        co_await watch_.unfollow(ctx, std::move(uri));
    }

private:
    mcp::Interest honoured_;
    std::function<void(const mcp::Change&)> tell_;
    gateway::Registry::Watch watch_;
};

gateway::Credentials credentials_of(const mcp::RequestOrigin& origin) {
    gateway::Credentials credentials{.peer_address = origin.peer_address};
    if (origin.headers != nullptr)
        credentials.authorization = origin.headers->get(http::FieldName::kAuthorization).value_or(std::string_view());
    return credentials;
}

/// Adapts the received header fields to the argument check.
class Fields {
public:
    explicit Fields(const http::Headers* headers)
        : headers_(headers), lookup_([this](std::string_view name) { return find(name); }) {}
    const mcp::HeaderLookup* lookup() const noexcept { return headers_ == nullptr ? nullptr : &lookup_; }

private:
    const std::string* find(std::string_view name) {
        const auto value = headers_->get(name);
        if (!value) return nullptr;
        found_ = *value;
        return &found_;
    }

    const http::Headers* headers_;
    std::string found_;
    mcp::HeaderLookup lookup_;
};

}  // namespace

GatewayBackend::GatewayBackend(Gateway& gateway, std::string scope) : gateway_(gateway), scope_(std::move(scope)) {
    if (gateway_.stamp.server_info.empty())
        gateway_.stamp.server_info = mcp::encode(gateway_.self, mcp::kLatestRevision).dump();
}

std::shared_ptr<const mcp::Identity> GatewayBackend::identity_of(std::shared_ptr<const gateway::Principal> principal) {
    // Reused, because most calls come from the same caller as the one before.
    if (!last_identity_ || checked_cast<PrincipalIdentity>(*last_identity_).principal() != principal)
        last_identity_ = std::make_shared<const PrincipalIdentity>(std::move(principal));
    return last_identity_;
}

std::shared_ptr<const mcp::Identity> GatewayBackend::known(const mcp::RequestOrigin& origin) {
    auto principal = gateway_.pipeline.known(credentials_of(origin));
    return principal ? identity_of(std::move(principal)) : nullptr;
}

Task<std::expected<std::shared_ptr<const mcp::Identity>, mcp::Refusal>> GatewayBackend::identify(
    const Context& ctx, const mcp::RequestOrigin& origin) {
    using Identified = std::expected<std::shared_ptr<const mcp::Identity>, mcp::Refusal>;
    auto principal = co_await gateway_.pipeline.identify(ctx, credentials_of(origin));
    if (!principal) {
        co_return Identified(std::unexpect, mcp::Refusal{.status = 401, .message = principal.error().message()});
    }
    co_return Identified(identity_of(*std::move(principal)));
}

/// Bounded by the time since startup, not per request: after that, a silent server delays no client.
Task<void> GatewayBackend::wait_for_servers(const Context& ctx) {
    const Context limited = ctx.until(Deadline::after(gateway_.settle, gateway_.began));
    auto settled = co_await gateway_.registry.settled(limited, scope_);
    static_cast<void>(settled);  // a late server announces its lists when it answers
}

Task<void> GatewayBackend::wait_for_item(const Context& ctx, Verb verb, std::string_view name) {
    const auto kind = named_by(verb);
    const Context limited = ctx.until(Deadline::after(gateway_.settle, gateway_.began));
    while (kind && !gateway_.registry.is_settled(scope_) && !gateway_.registry.catalog()->find(*kind, scope_, name)) {
        if (auto waited = co_await gateway_.registry.progress(limited); !waited) co_return;
    }
}

Task<void> GatewayBackend::survey(const Context& ctx, const gateway::Audience& audience) {
    co_await gateway_.registry.survey(ctx.within(gateway_.survey), audience);
}

Task<std::shared_ptr<const mcp::ServerProfile>> GatewayBackend::profile(const Context& ctx, const mcp::Peer&) {
    if (complete_handshakes_ && !gateway_.registry.is_settled(scope_)) co_await wait_for_servers(ctx);
    const gateway::CatalogPtr& catalog = gateway_.registry.catalog();
    if (!gateway_.registry.is_settled(scope_)) {
        // A legacy client reads this once, so capabilities of servers that have not answered are assumed.
        mcp::ServerCapabilities capabilities = catalog->capabilities(scope_);
        if (capabilities.resources) capabilities.resources->subscribe = true;
        if (!capabilities.logging) capabilities.logging.emplace();
        if (!capabilities.completions) capabilities.completions.emplace();
        co_return std::make_shared<const mcp::ServerProfile>(
            mcp::ServerProfile{.self = catalog->presented_as(scope_),
                               .capabilities = std::move(capabilities),
                               .instructions = catalog->instructions(scope_)});
    }
    if (profiled_catalog_ != catalog) {
        profiled_catalog_ = catalog;
        profile_ = std::make_shared<const mcp::ServerProfile>(
            mcp::ServerProfile{.self = catalog->presented_as(scope_),
                               .capabilities = catalog->capabilities(scope_),
                               .instructions = catalog->instructions(scope_)});
    }
    co_return profile_;
}

Task<mcp::Answer> GatewayBackend::answer(const Context& ctx, const mcp::Call& call, mcp::ReplyChannel& line) {
    if (const auto kind = listed_by(call.method)) return answer_list(ctx, call, *kind, line.can_ask());
    return answer_call(ctx, call, line);
}

Task<mcp::Answer> GatewayBackend::answer_list(const Context& ctx, const mcp::Call& call, ItemKind kind,
                                              bool reachable) {
    if (!gateway_.registry.is_settled()) co_await wait_for_servers(ctx);
    const gateway::Audience audience = audience_of(*call.peer, reachable);
    if (audience.client.can_be_asked() && !gateway_.registry.is_surveyed(audience)) co_await survey(ctx, audience);
    if (gateway_.registry.known_snapshot(audience) == nullptr) co_await gateway_.registry.prepare_for(ctx, audience);
    std::optional<std::string> cursor;
    if (const json::Span& given = call.view.in_params.cursor; given && !given.is_null()) {
        cursor = given.text();
        if (!cursor) co_return mcp::Answer::failure(call, mcp::invalid_params("params.cursor must be a string"));
    }
    auto page = gateway_.registry.snapshot_for(audience)->catalog->list(kind, scope_, terms_of(*call.peer), cursor);
    if (!page) co_return mcp::Answer::failure(call, mcp::invalid_params(page.error().message()));
    co_return mcp::Answer::result(call, *std::move(page));
}

Task<gateway::SnapshotPtr> GatewayBackend::find_snapshot(const Context& ctx, const gateway::Audience& audience,
                                                         std::optional<ItemKind> kind, std::string_view wanted) {
    gateway::Registry& registry = gateway_.registry;
    if (registry.known_snapshot(audience) == nullptr) co_await registry.prepare_for(ctx, audience);
    gateway::SnapshotPtr snapshot = registry.snapshot_for(audience);
    // A client may call tools it remembers without listing them first.
    if (kind && audience.client.can_be_asked() && !snapshot->catalog->find(*kind, scope_, wanted) &&
        !registry.is_surveyed(audience)) {
        co_await survey(ctx, audience);
        snapshot = registry.snapshot_for(audience);
    }
    co_return snapshot;
}

Task<mcp::Answer> GatewayBackend::answer_call(const Context& ctx, const mcp::Call& call, mcp::ReplyChannel& line) {
    auto decoded = decode_call(call);
    if (!decoded) {
        if (decoded.error().code() == ErrorCode::kNotFound)
            co_return mcp::Answer::failure(call, mcp::method_not_found(call.method));
        gateway_.pipeline.turned_away({.verb = verb_of(call.method).value_or(Verb::kCallTool),
                                       .name = {},
                                       .params = call.view.params.raw(),
                                       .view = call.view.in_params,
                                       .client = traits_of(*call.peer),
                                       .snapshot = *gateway_.registry.snapshot(),
                                       .correlation_id = correlation_id_of(call)},
                                      *principal_of(*call.peer), decoded.error());
        co_return mcp::Answer::failure(call, mcp::invalid_params(decoded.error().message()));
    }
    if (!gateway_.registry.is_settled()) [[unlikely]]
        co_await wait_for_item(ctx, decoded->verb, decoded->name);
    const gateway::Audience audience = audience_of(*call.peer, line.can_ask());
    const auto* known = gateway_.registry.known_snapshot(audience);
    const bool settled = known != nullptr && !audience.client.can_be_asked();
    const gateway::SnapshotPtr snapshot =
        settled ? *known : co_await find_snapshot(ctx, audience, named_by(decoded->verb), decoded->name);
    Reply reply(call, line, gateway_.redactor);
    const Fields fields(call.headers);
    const std::string correlation_id = correlation_id_of(call);
    const auto traced =
        snapshot->settings->tracer == nullptr ? nullptr : begin_trace(call, *snapshot->settings->tracer);
    auto output =
        co_await gateway_.pipeline.run(ctx,
                                       gateway::IncomingCall{.verb = decoded->verb,
                                                             .name = decoded->name,
                                                             .about = decoded->about,
                                                             .params = traced ? traced->params : call.view.params.raw(),
                                                             .view = traced ? traced->view : call.view.in_params,
                                                             .client = audience.client,
                                                             .snapshot = *snapshot,
                                                             .scope = scope_,
                                                             .headers = fields.lookup(),
                                                             .correlation_id = correlation_id,
                                                             .trace = traced ? traced->ids : gateway::TraceIds()},
                                       principal_of(*call.peer), reply);
    if (ctx.cancel().cancelled()) co_return mcp::Answer{};
    if (!output)
        co_return answer_failure(call, decoded->verb, decoded->name, without_secrets(output.error(), gateway_.redactor),
                                 correlation_id);
    auto answer = encode(call, decoded->verb, without_secrets(*std::move(output), gateway_.redactor), gateway_.stamp,
                         decoded->name);
    if (!answer) co_return answer_failure(call, decoded->verb, decoded->name, answer.error(), correlation_id);
    co_return *std::move(answer);
}

Task<Result<std::unique_ptr<mcp::Watch>>> GatewayBackend::watch(const Context& ctx, mcp::PeerPtr peer,
                                                                mcp::Interest wanted,
                                                                std::function<void(const mcp::Change&)> tell) {
    const auto uris = std::exchange(wanted.uris, {});
    const auto ids = std::exchange(wanted.tasks, {});
    // A legacy client is asked on the stream of a call, which requires a session.
    gateway::Viewer viewer{.principal = principal_of(*peer),
                           .client = traits_of(*peer),
                           .reachable = !peer->modern() && !peer->session.empty()};
    auto watch =
        std::make_unique<ScopeWatch>(gateway_.registry, scope_, std::move(wanted), std::move(tell), std::move(viewer));
    for (const std::string& uri : uris) {
        // URIs that cannot be followed are left out of the acknowledgement.
        auto added = co_await watch->add(ctx, uri);
        static_cast<void>(added);
    }
    std::map<std::string, gateway::Registry::Watch::TaskPlace> tasks;
    for (const std::string& id : ids) {
        auto task = gateway_.pipeline.open_task(id, *principal_of(*peer));
        if (task) tasks[id] = {.source = std::move(task->source), .own_id = std::move(task->inner)};
    }
    if (!tasks.empty()) co_await watch->add_tasks(ctx, std::move(tasks));
    co_return Result<std::unique_ptr<mcp::Watch>>(std::move(watch));
}

void GatewayBackend::heard(const mcp::Peer& peer, std::string_view name, const Json&) {
    // A modern client has no such notification: its roots are requested when they are needed.
    if (name != method::kRootsChanged || peer.modern()) return;
    for (const auto& entry : gateway_.registry.sources())
        entry.source->roots_changed(*principal_of(peer), traits_of(peer));
}

void GatewayBackend::session_ended(const mcp::Peer& peer) {
    if (peer.session.empty()) return;
    for (const auto& entry : gateway_.registry.sources()) entry.source->client_gone(peer.session);
}

}  // namespace gantry::surface
