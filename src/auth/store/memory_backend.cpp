#include <map>
#include <mutex>
#include <set>

#include "auth/store/backend.hpp"
#include "base/crypto/digest.hpp"

namespace gantry::auth {
namespace {

/// Shared with the locks, which may outlive the backend.
struct Locks {
    std::mutex mutex;
    std::set<SecretId> held;
};

class MemoryLock final : public SecretLock {
public:
    MemoryLock(std::shared_ptr<Locks> locks, SecretId id) : locks_(std::move(locks)), id_(std::move(id)) {}
    ~MemoryLock() override {
        const std::lock_guard guard(locks_->mutex);
        locks_->held.erase(id_);
    }

private:
    std::shared_ptr<Locks> locks_;
    SecretId id_;
};

class MemoryBackend final : public SecretBackend {
public:
    ~MemoryBackend() override {
        for (auto& [id, secret] : secrets_) crypto::wipe(secret);
    }

    Result<std::optional<std::string>> load(const SecretId& id) override {
        const auto found = secrets_.find(id);
        if (found == secrets_.end()) return std::optional<std::string>();
        return std::optional(found->second);
    }
    Result<void> save(const SecretId& id, std::string_view secret) override {
        secrets_[id] = secret;
        return {};
    }
    Result<void> erase(const SecretId& id) override {
        secrets_.erase(id);
        return {};
    }
    Result<std::vector<SecretId>> list(std::string_view kind) override {
        std::vector<SecretId> ids;
        for (const auto& [id, secret] : secrets_) {
            if (id.kind == kind) ids.push_back(id);
        }
        return ids;
    }
    Result<std::unique_ptr<SecretLock>> try_lock(const SecretId& id) override {
        const std::lock_guard guard(locks_->mutex);
        if (!locks_->held.insert(id).second) return std::unique_ptr<SecretLock>();
        return std::unique_ptr<SecretLock>(std::make_unique<MemoryLock>(locks_, id));
    }
    std::string_view name() const noexcept override { return "memory"; }

private:
    std::shared_ptr<Locks> locks_ = std::make_shared<Locks>();
    std::map<SecretId, std::string> secrets_;
};

}  // namespace

std::unique_ptr<SecretBackend> make_memory_backend() {
    return std::make_unique<MemoryBackend>();
}

}  // namespace gantry::auth
