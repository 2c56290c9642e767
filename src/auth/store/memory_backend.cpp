#include <map>

#include "auth/jose/digest.hpp"
#include "auth/store/backend.hpp"

namespace gantry::auth {
namespace {

class MemoryBackend final : public SecretBackend {
public:
    ~MemoryBackend() override {
        for (auto& [id, secret] : secrets_) jose::wipe(secret);
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
    std::string_view name() const noexcept override { return "memory"; }

private:
    std::map<SecretId, std::string> secrets_;
};

}  // namespace

std::unique_ptr<SecretBackend> make_memory_backend() {
    return std::make_unique<MemoryBackend>();
}

}  // namespace gantry::auth
