#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "auth/store/backend.hpp"
#include "auth/store/values.hpp"
#include "io/context.hpp"
#include "io/task.hpp"

namespace gantry {
class Worker;
}

namespace gantry::auth {

/// Tokens belong to one issuer, client and resource; they are never found under another issuer.
struct TokenKey {
    std::string issuer;
    std::string client_id;
    std::string resource;
};

/// Stores tokens, client registrations and which server uses which. The backend's blocking calls run on a
/// thread of their own. May be shared by loops; destroy it only when no task waits in it.
class TokenStore {
public:
    explicit TokenStore(std::unique_ptr<SecretBackend> backend);
    ~TokenStore();
    TokenStore(const TokenStore&) = delete;
    TokenStore& operator=(const TokenStore&) = delete;

    Task<Result<std::optional<Tokens>>> tokens(const Context& ctx, TokenKey key);
    /// An error means the tokens are not durable: after a rotation the caller must warn its user.
    Task<Result<void>> save_tokens(const Context& ctx, TokenKey key, Tokens tokens);
    Task<Result<void>> erase_tokens(const Context& ctx, TokenKey key);

    /// Waits for the lock of these tokens, across processes. Hold it from reading
    /// a refresh token until its successor is stored: a rotating token used twice revokes the whole grant.
    Task<Result<std::unique_ptr<SecretLock>>> lock_tokens(const Context& ctx, TokenKey key);

    Task<Result<std::optional<ClientRegistration>>> registration(const Context& ctx, std::string issuer);
    Task<Result<void>> save_registration(const Context& ctx, std::string issuer, ClientRegistration registration);
    Task<Result<void>> erase_registration(const Context& ctx, std::string issuer);

    /// `server` is the URL the user configured.
    Task<Result<std::optional<ServerBinding>>> binding(const Context& ctx, std::string server);
    Task<Result<void>> save_binding(const Context& ctx, std::string server, ServerBinding binding);
    Task<Result<void>> erase_binding(const Context& ctx, std::string server);

    std::string_view backend_name() const noexcept;

private:
    Task<Result<std::optional<std::string>>> load(const Context& ctx, SecretId id);
    Task<Result<void>> save(const Context& ctx, SecretId id, std::string text);
    Task<Result<void>> erase(const Context& ctx, SecretId id);

    std::shared_ptr<SecretBackend> backend_;
    std::unique_ptr<Worker> worker_;
};

/// The keyring if there is one, else the encrypted file in default_store_folder(). Blocks briefly:
/// call it before the loop runs.
Result<std::unique_ptr<TokenStore>> open_default_store();

}  // namespace gantry::auth
