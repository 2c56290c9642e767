#include "gantry/client.hpp"

#include "base/try.hpp"
#include "client/impl.hpp"

namespace gantry {

namespace {

using Self = std::shared_ptr<Client::Impl>;

Task<Result<mcp::CallToolResult>> call_tool(Context ctx, Self self, std::string tool, JsonObject arguments,
                                            CallOptions options) {
    GANTRY_CO_CHECK(co_await self->check_filter(ctx, tool));
    co_return co_await self->mcp().call_tool(ctx, std::move(tool), std::move(arguments),
                                             call_settings(options, self->mcp().settings()));
}

Task<Result<std::vector<Tool>>> list_tools(Context ctx, Self self, ListToolsOptions options) {
    GANTRY_CO_TRY(auto definitions, co_await self->mcp().list_tools(ctx, options.refresh));
    std::vector<Tool> tools;
    tools.reserve(definitions.size());
    for (mcp::Tool& definition : definitions) {
        if (!self->admits(definition)) continue;
        std::string name = options.prefix.empty() ? definition.name : options.prefix + '_' + definition.name;
        // The tool keeps the connection's object alive, but not open: after close() it fails.
        auto run = [self, original = definition.name](JsonObject arguments, CallOptions call) {
            return self->launch<mcp::CallToolResult>(&call_tool, original, std::move(arguments), std::move(call));
        };
        tools.emplace_back(std::move(name), std::move(definition), std::move(run));
    }
    co_return tools;
}

Task<Result<std::vector<mcp::Resource>>> list_resources(Context ctx, Self self) {
    co_return co_await self->mcp().list_resources(ctx);
}

Task<Result<std::vector<mcp::ResourceTemplate>>> list_resource_templates(Context ctx, Self self) {
    co_return co_await self->mcp().list_resource_templates(ctx);
}

Task<Result<mcp::ReadResourceResult>> read_resource(Context ctx, Self self, std::string uri) {
    co_return co_await self->mcp().read_resource(ctx, std::move(uri));
}

Task<Result<std::vector<mcp::Prompt>>> list_prompts(Context ctx, Self self) {
    co_return co_await self->mcp().list_prompts(ctx);
}

Task<Result<mcp::GetPromptResult>> get_prompt(Context ctx, Self self, std::string name, Fields arguments) {
    mcp::GetPromptParams params;
    params.name = std::move(name);
    for (auto& [key, value] : arguments) params.arguments.insert_or_assign(std::move(key), std::move(value));
    co_return co_await self->mcp().get_prompt(ctx, std::move(params));
}

Task<Result<mcp::CompleteResult>> complete(Context ctx, Self self, mcp::CompleteParams params) {
    co_return co_await self->mcp().complete(ctx, std::move(params));
}

Task<Result<void>> subscribe(Context ctx, Self self, std::string uri) {
    co_return co_await self->mcp().subscribe(ctx, std::move(uri));
}

Task<Result<void>> unsubscribe(Context ctx, Self self, std::string uri) {
    co_return co_await self->mcp().unsubscribe(ctx, std::move(uri));
}

Task<Result<void>> set_log_level(Context ctx, Self self, mcp::LogLevel level) {
    co_return co_await self->mcp().set_log_level(ctx, level);
}

Task<Result<void>> set_roots(Context ctx, Self self, std::vector<mcp::Root> roots) {
    GANTRY_CO_CHECK(self->replace_roots(std::move(roots)));
    co_return co_await self->mcp().announce_roots(ctx);
}

Task<Result<void>> roots_changed(Context ctx, Self self) {
    co_return co_await self->mcp().announce_roots(ctx);
}

Task<Result<void>> ping(Context ctx, Self self) {
    co_return co_await self->mcp().ping(ctx);
}

Task<Result<Client>> open_client(Context ctx, Runtime& runtime, ConnectOptions options, ConnectHooks hooks) {
    GANTRY_CO_TRY(auto impl, co_await Client::Impl::open(ctx, runtime, std::move(options), std::move(hooks)));
    co_return Client(std::move(impl));
}

}  // namespace

std::string_view to_string(ConnectionState state) noexcept {
    switch (state) {
        case ConnectionState::kDisconnected: return "disconnected";
        case ConnectionState::kConnecting: return "connecting";
        case ConnectionState::kConnected: return "connected";
        case ConnectionState::kReconnecting: return "reconnecting";
    }
    return "disconnected";
}

Pending<Client> connect_async(ConnectOptions options) {
    Runtime& runtime = Runtime::shared();
    return runtime.start<Client>(
        [&runtime, options = std::move(options)](Context ctx) { return open_client(ctx, runtime, options, {}); });
}

Result<Client> connect_with(ConnectOptions options, ConnectHooks hooks) {
    Runtime& runtime = Runtime::shared();
    return runtime
        .start<Client>([&runtime, options = std::move(options), hooks = std::move(hooks)](Context ctx) {
            return open_client(ctx, runtime, options, hooks);
        })
        .get();
}

Result<Client> connect(ConnectOptions options) {
    return connect_async(std::move(options)).get();
}

Client::Client(std::shared_ptr<Impl> impl) : impl_(std::move(impl)) {}
Client::Client(Client&&) noexcept = default;

Client& Client::operator=(Client&& other) noexcept {
    if (this != &other) {
        close();
        impl_ = std::move(other.impl_);
    }
    return *this;
}

Client::~Client() {
    close();
}

void Client::close() {
    if (!impl_) return;
    auto closing = impl_->close_async();
    // On Gantry's own thread waiting would deadlock; the operation keeps itself alive until it is done.
    if (impl_->on_own_thread()) {
        std::move(closing).leave();
        return;
    }
    auto closed = closing.get();
    static_cast<void>(closed);  // closing cannot fail
}

Pending<void> Client::close_async() {
    return impl_->close_async();
}

mcp::ServerDescription Client::server() const {
    return impl_->server();
}

ConnectionState Client::state() const {
    return impl_->state();
}

Pending<std::vector<Tool>> Client::list_tools_async(ListToolsOptions options) {
    return impl_->launch<std::vector<Tool>>(&gantry::list_tools, std::move(options));
}
Result<std::vector<Tool>> Client::list_tools(ListToolsOptions options) {
    return list_tools_async(std::move(options)).get();
}

Pending<mcp::CallToolResult> Client::call_async(std::string tool, JsonObject arguments, CallOptions options) {
    return impl_->launch<mcp::CallToolResult>(&call_tool, std::move(tool), std::move(arguments), std::move(options));
}
Result<mcp::CallToolResult> Client::call(std::string tool, JsonObject arguments, CallOptions options) {
    return call_async(std::move(tool), std::move(arguments), std::move(options)).get();
}

Pending<std::vector<mcp::Resource>> Client::list_resources_async() {
    return impl_->launch<std::vector<mcp::Resource>>(&gantry::list_resources);
}
Result<std::vector<mcp::Resource>> Client::list_resources() {
    return list_resources_async().get();
}

Pending<std::vector<mcp::ResourceTemplate>> Client::list_resource_templates_async() {
    return impl_->launch<std::vector<mcp::ResourceTemplate>>(&gantry::list_resource_templates);
}
Result<std::vector<mcp::ResourceTemplate>> Client::list_resource_templates() {
    return list_resource_templates_async().get();
}

Pending<mcp::ReadResourceResult> Client::read_resource_async(std::string uri) {
    return impl_->launch<mcp::ReadResourceResult>(&gantry::read_resource, std::move(uri));
}
Result<mcp::ReadResourceResult> Client::read_resource(std::string uri) {
    return read_resource_async(std::move(uri)).get();
}

Pending<std::vector<mcp::Prompt>> Client::list_prompts_async() {
    return impl_->launch<std::vector<mcp::Prompt>>(&gantry::list_prompts);
}
Result<std::vector<mcp::Prompt>> Client::list_prompts() {
    return list_prompts_async().get();
}

Pending<mcp::GetPromptResult> Client::get_prompt_async(std::string name, Fields arguments) {
    return impl_->launch<mcp::GetPromptResult>(&gantry::get_prompt, std::move(name), std::move(arguments));
}
Result<mcp::GetPromptResult> Client::get_prompt(std::string name, Fields arguments) {
    return get_prompt_async(std::move(name), std::move(arguments)).get();
}

Pending<mcp::CompleteResult> Client::complete_async(mcp::CompleteParams params) {
    return impl_->launch<mcp::CompleteResult>(&gantry::complete, std::move(params));
}
Result<mcp::CompleteResult> Client::complete(mcp::CompleteParams params) {
    return complete_async(std::move(params)).get();
}

Pending<void> Client::subscribe_async(std::string uri) {
    return impl_->launch<void>(&gantry::subscribe, std::move(uri));
}
Result<void> Client::subscribe(std::string uri) {
    return subscribe_async(std::move(uri)).get();
}

Pending<void> Client::unsubscribe_async(std::string uri) {
    return impl_->launch<void>(&gantry::unsubscribe, std::move(uri));
}
Result<void> Client::unsubscribe(std::string uri) {
    return unsubscribe_async(std::move(uri)).get();
}

Pending<void> Client::set_log_level_async(mcp::LogLevel level) {
    return impl_->launch<void>(&gantry::set_log_level, level);
}
Result<void> Client::set_log_level(mcp::LogLevel level) {
    return set_log_level_async(level).get();
}

Pending<void> Client::set_roots_async(std::vector<mcp::Root> roots) {
    return impl_->launch_unconnected<void>(&gantry::set_roots, std::move(roots));
}
Result<void> Client::set_roots(std::vector<mcp::Root> roots) {
    return set_roots_async(std::move(roots)).get();
}

Pending<void> Client::roots_changed_async() {
    return impl_->launch_unconnected<void>(&gantry::roots_changed);
}
Result<void> Client::roots_changed() {
    return roots_changed_async().get();
}

Pending<void> Client::ping_async() {
    return impl_->launch<void>(&gantry::ping);
}
Result<void> Client::ping() {
    return ping_async().get();
}

}  // namespace gantry
