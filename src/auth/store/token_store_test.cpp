#include "auth/store/token_store.hpp"

#include <gtest/gtest.h>

#include <condition_variable>
#include <mutex>

#include "auth/store/temporary_folder.hpp"
#include "io/loop.hpp"

namespace gantry::auth {
namespace {

const TokenKey kKey{"https://as.example", "client", "https://mcp.example"};
const Tokens kTokens{"access", "DPoP", "refresh", "a b", 1'700'000'000, "-----BEGIN…"};

class StoreContract : public ::testing::TestWithParam<const char*> {
protected:
    StoreContract() {
        if (std::string_view(GetParam()) == "memory")
            store_ = std::make_unique<TokenStore>(make_memory_backend());
        else
            store_ = std::make_unique<TokenStore>(*make_file_backend(temporary_.path() / "gantry"));
    }
    Loop loop_;
    TemporaryFolder temporary_;
    std::unique_ptr<TokenStore> store_;
    Context ctx_;
};

TEST_P(StoreContract, TokensComeBackAsTheyWere) {
    EXPECT_EQ(store_->backend_name(), GetParam());
    EXPECT_EQ(loop_.run_until_done(store_->tokens(ctx_, kKey)).value(), std::optional<Tokens>());
    EXPECT_TRUE(loop_.run_until_done(store_->save_tokens(ctx_, kKey, kTokens)));
    EXPECT_EQ(loop_.run_until_done(store_->tokens(ctx_, kKey)).value(), std::optional(kTokens));
    TokenKey other = kKey;
    other.issuer += "/";
    EXPECT_EQ(loop_.run_until_done(store_->tokens(ctx_, other)).value(), std::optional<Tokens>());
    EXPECT_TRUE(loop_.run_until_done(store_->erase_tokens(ctx_, kKey)));
    EXPECT_EQ(loop_.run_until_done(store_->tokens(ctx_, kKey)).value(), std::optional<Tokens>());
}

TEST_P(StoreContract, RegistrationsAndBindingsComeBackAsTheyWere) {
    const ClientRegistration registration{"id", "secret", "client_secret_basic", "http://127.0.0.1:1/cb", 5};
    const ServerBinding binding{"https://as.example", "id", "https://mcp.example/mcp", "a b"};
    EXPECT_TRUE(loop_.run_until_done(store_->save_registration(ctx_, "https://as.example", registration)));
    EXPECT_TRUE(loop_.run_until_done(store_->save_binding(ctx_, "https://mcp.example/mcp", binding)));
    EXPECT_EQ(loop_.run_until_done(store_->registration(ctx_, "https://as.example")).value(),
              std::optional(registration));
    EXPECT_EQ(loop_.run_until_done(store_->registration(ctx_, "https://as.example/")).value(),
              std::optional<ClientRegistration>());
    EXPECT_EQ(loop_.run_until_done(store_->binding(ctx_, "https://mcp.example/mcp")).value(), std::optional(binding));
    EXPECT_TRUE(loop_.run_until_done(store_->erase_registration(ctx_, "https://as.example")));
    EXPECT_TRUE(loop_.run_until_done(store_->erase_binding(ctx_, "https://mcp.example/mcp")));
    EXPECT_EQ(loop_.run_until_done(store_->binding(ctx_, "https://mcp.example/mcp")).value(),
              std::optional<ServerBinding>());
}

INSTANTIATE_TEST_SUITE_P(Backends, StoreContract, ::testing::Values("memory", "file"),
                         [](const auto& info) { return std::string(info.param); });

/// Hangs in load() until interrupted, as a keyring with a dead service does.
class StuckBackend final : public SecretBackend {
public:
    Result<std::optional<std::string>> load(const SecretId&) override {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [this] { return interrupted_; });
        return std::optional<std::string>();
    }
    Result<void> save(const SecretId&, std::string_view) override { return fail(ErrorCode::kInternal, "disk full"); }
    Result<void> erase(const SecretId&) override { return {}; }
    std::string_view name() const noexcept override { return "stuck"; }
    void interrupt() noexcept override {
        const std::lock_guard guard(mutex_);
        interrupted_ = true;
        changed_.notify_all();
    }

private:
    std::mutex mutex_;
    std::condition_variable changed_;
    bool interrupted_ = false;
};

TEST(TokenStore, DeadlineEndsTheWaitForAStuckBackend) {
    Loop loop;
    TokenStore store(std::make_unique<StuckBackend>());
    const auto answer = loop.run_until_done(store.tokens(Context().within(milliseconds(1)), kKey));
    EXPECT_EQ(answer.error().code(), ErrorCode::kTimeout);
}

TEST(TokenStore, SurfacesFailedSaves) {
    Loop loop;
    TokenStore store(std::make_unique<StuckBackend>());
    EXPECT_EQ(loop.run_until_done(store.save_tokens(Context(), kKey, kTokens)).error().message(), "disk full");
}

TEST(TokenStore, RefusesUnreadableContent) {
    Loop loop;
    auto backend = make_memory_backend();
    EXPECT_TRUE(backend->save({"tokens", kKey.issuer, kKey.client_id, kKey.resource}, "{\"access_token\":1}"));
    TokenStore store(std::move(backend));
    EXPECT_EQ(loop.run_until_done(store.tokens(Context(), kKey)).error().code(), ErrorCode::kParse);
}

}  // namespace
}  // namespace gantry::auth
