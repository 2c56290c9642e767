#include "auth/store/token_store.hpp"
#include "auth/store/secret_lock.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <condition_variable>
#include <mutex>

#include "io/fd.hpp"
#include "io/loop.hpp"
#include "io/private_file.hpp"
#include "io/scope.hpp"
#include "io/test_temporary_folder.hpp"

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

Task<void> hold_and_release(TokenStore& store, std::vector<std::string>& seen, std::string who) {
    const Context ctx = Context().within(seconds(30));
    auto lock = co_await store.lock_tokens(ctx, kKey);
    if (!lock) co_return;
    seen.push_back(who + " in");
    // The worker is free while the lock is held.
    EXPECT_TRUE(co_await store.save_tokens(ctx, kKey, kTokens));
    seen.push_back(who + " out");
}

Task<void> hold_twice(TokenStore& first, TokenStore& second, std::vector<std::string>& seen) {
    Scope scope(Context{});
    scope.spawn(hold_and_release(first, seen, "a"));
    scope.spawn(hold_and_release(second, seen, "b"));
    co_await scope.join();
}

TEST_P(StoreContract, OneAtATimeHoldsTheLockOfATokenAndTheStoreStaysUsable) {
    std::vector<std::string> seen;
    loop_.run_until_done(hold_twice(*store_, *store_, seen));
    EXPECT_EQ(seen, (std::vector<std::string>{"a in", "a out", "b in", "b out"}));
    TokenKey other = kKey;
    other.resource += "/other";
    const auto lock = loop_.run_until_done(store_->lock_tokens(ctx_, kKey));
    EXPECT_TRUE(loop_.run_until_done(store_->lock_tokens(ctx_, other))) << "locks of different tokens are different";
    EXPECT_EQ(loop_.run_until_done(store_->lock_tokens(ctx_.within(milliseconds(1)), kKey)).error().code(),
              ErrorCode::kTimeout);
}

TEST(TokenStoreLock, IsSharedByAllWhoUseTheSameFolder) {
    Loop loop;
    const TemporaryFolder temporary;
    TokenStore first(*make_file_backend(temporary.path() / "gantry"));
    TokenStore second(*make_file_backend(temporary.path() / "gantry"));
    std::vector<std::string> seen;
    loop.run_until_done(hold_twice(first, second, seen));
    ASSERT_EQ(seen.size(), 4u);
    EXPECT_EQ(seen[0].substr(0, 1), seen[1].substr(0, 1)) << "both were in at the same time";
    EXPECT_EQ(seen[2].substr(0, 1), seen[3].substr(0, 1));
}

TEST(TokenStoreLock, EndsWithTheProcessThatHeldIt) {
    Loop loop;
    const TemporaryFolder temporary;
    TokenStore store(*make_file_backend(temporary.path() / "gantry"));
    const auto folder = open_private_folder(temporary.path() / "gantry");
    int ends[2];
    ASSERT_EQ(::pipe(ends), 0);
    const Fd ready(ends[0]);
    const Fd tell(ends[1]);
    const pid_t child = ::fork();
    if (child == 0) {
        const auto lock = try_lock_secret(*folder, {"tokens", kKey.issuer, kKey.client_id, kKey.resource});
        (void)!::write(tell.get(), lock && *lock ? "y" : "n", 1);
        ::pause();
        ::_exit(0);
    }
    char got = 0;
    EXPECT_EQ(::read(ready.get(), &got, 1), 1);
    EXPECT_EQ(got, 'y');
    const Context ctx;
    EXPECT_FALSE(loop.run_until_done(store.lock_tokens(ctx.within(milliseconds(1)), kKey)));
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    EXPECT_TRUE(loop.run_until_done(store.lock_tokens(ctx.within(seconds(30)), kKey)));
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
    Result<std::vector<SecretId>> list(std::string_view) override { return std::vector<SecretId>(); }
    Result<std::unique_ptr<SecretLock>> try_lock(const SecretId&) override { return std::unique_ptr<SecretLock>(); }
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
