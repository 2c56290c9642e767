#include "auth/store/token_store.hpp"

#include "base/crypto/digest.hpp"
#include "base/try.hpp"
#include "io/worker.hpp"

namespace gantry::auth {
namespace {

/// Poll interval: a lock is held for about one request to a token endpoint.
constexpr Duration kLockPause = milliseconds(50);

SecretId id_of(const TokenKey& key) {
    return {"tokens", key.issuer, key.client_id, key.resource};
}
SecretId registration_id(std::string issuer) {
    return {"client", std::move(issuer), "", ""};
}
SecretId binding_id(std::string server) {
    return {"server", "", "", std::move(server)};
}

}  // namespace

TokenStore::TokenStore(std::unique_ptr<SecretBackend> backend)
    : backend_(std::move(backend)), worker_(std::make_unique<Worker>()) {}

TokenStore::~TokenStore() {
    backend_->interrupt();
    worker_.reset();
}

std::string_view TokenStore::backend_name() const noexcept {
    return backend_->name();
}

Task<Result<std::optional<std::string>>> TokenStore::load(const Context& ctx, SecretId id) {
    co_return co_await worker_->run<std::optional<std::string>>(
        ctx, [backend = backend_, id = std::move(id)] { return backend->load(id); });
}

Task<Result<void>> TokenStore::save(const Context& ctx, SecretId id, std::string text) {
    co_return co_await worker_->run<void>(ctx,
                                          [backend = backend_, id = std::move(id), text = std::move(text)]() mutable {
                                              auto saved = backend->save(id, text);
                                              crypto::wipe(text);
                                              return saved;
                                          });
}

Task<Result<void>> TokenStore::erase(const Context& ctx, SecretId id) {
    co_return co_await worker_->run<void>(ctx, [backend = backend_, id = std::move(id)] { return backend->erase(id); });
}

Task<Result<std::optional<Tokens>>> TokenStore::tokens(const Context& ctx, TokenKey key) {
    GANTRY_CO_TRY(const auto text, co_await load(ctx, id_of(key)));
    if (!text) co_return Result<std::optional<Tokens>>(std::nullopt);
    GANTRY_CO_TRY(auto tokens, parse_tokens(*text));
    co_return Result<std::optional<Tokens>>(std::move(tokens));
}

Task<Result<void>> TokenStore::save_tokens(const Context& ctx, TokenKey key, Tokens tokens) {
    return save(ctx, id_of(key), to_text(tokens));
}

Task<Result<void>> TokenStore::erase_tokens(const Context& ctx, TokenKey key) {
    return erase(ctx, id_of(key));
}

Task<Result<std::unique_ptr<SecretLock>>> TokenStore::lock_tokens(const Context& ctx, TokenKey key) {
    for (;;) {
        // Poll instead of blocking the worker's thread: the holder may need that thread.
        GANTRY_CO_TRY(auto lock, co_await worker_->run<std::unique_ptr<SecretLock>>(
                                     ctx, [backend = backend_, id = id_of(key)] { return backend->try_lock(id); }));
        if (lock) co_return Result<std::unique_ptr<SecretLock>>(std::move(lock));
        GANTRY_CO_CHECK(co_await sleep_for(ctx, kLockPause));
    }
}

Task<Result<std::optional<ClientRegistration>>> TokenStore::registration(const Context& ctx, std::string issuer) {
    GANTRY_CO_TRY(const auto text, co_await load(ctx, registration_id(std::move(issuer))));
    if (!text) co_return Result<std::optional<ClientRegistration>>(std::nullopt);
    GANTRY_CO_TRY(auto registration, parse_registration(*text));
    co_return Result<std::optional<ClientRegistration>>(std::move(registration));
}

Task<Result<void>> TokenStore::save_registration(const Context& ctx, std::string issuer,
                                                 ClientRegistration registration) {
    return save(ctx, registration_id(std::move(issuer)), to_text(registration));
}

Task<Result<void>> TokenStore::erase_registration(const Context& ctx, std::string issuer) {
    return erase(ctx, registration_id(std::move(issuer)));
}

Task<Result<std::optional<ServerBinding>>> TokenStore::binding(const Context& ctx, std::string server) {
    GANTRY_CO_TRY(const auto text, co_await load(ctx, binding_id(std::move(server))));
    if (!text) co_return Result<std::optional<ServerBinding>>(std::nullopt);
    GANTRY_CO_TRY(auto binding, parse_binding(*text));
    co_return Result<std::optional<ServerBinding>>(std::move(binding));
}

Task<Result<void>> TokenStore::save_binding(const Context& ctx, std::string server, ServerBinding binding) {
    return save(ctx, binding_id(std::move(server)), to_text(binding));
}

Task<Result<void>> TokenStore::erase_binding(const Context& ctx, std::string server) {
    return erase(ctx, binding_id(std::move(server)));
}

Result<std::unique_ptr<TokenStore>> open_default_store() {
    if (auto keyring = make_keyring_backend()) return std::make_unique<TokenStore>(*std::move(keyring));
    GANTRY_TRY(auto folder, default_store_folder());
    GANTRY_TRY(auto file, make_file_backend(std::move(folder)));
    return std::make_unique<TokenStore>(std::move(file));
}

}  // namespace gantry::auth
