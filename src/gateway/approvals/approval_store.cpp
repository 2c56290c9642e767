#include "gateway/approvals/approval_store.hpp"

#include "auth/store/private_file.hpp"
#include "auth/store/worker.hpp"
#include "base/try.hpp"
#include "gantry/json.hpp"

namespace gantry::gateway {
namespace {

constexpr const char* kFile = "approvals.json";
constexpr std::size_t kMaxBytes = 64u << 20;

std::string_view word_of(ApprovalState state) noexcept {
    switch (state) {
        case ApprovalState::kPending: return "pending";
        case ApprovalState::kApproved: return "approved";
        case ApprovalState::kRejected: return "rejected";
    }
    return {};
}

Json to_json(const StoredApproval& stored) {
    const PendingApproval& a = stored.approval;
    return JsonObject{{"id", a.id},
                      {"state", word_of(stored.state)},
                      {"server", a.source},
                      {"tool", a.tool},
                      {"principal", a.principal},
                      {"requestId", a.request_id},
                      {"arguments", a.arguments},
                      {"descriptor", a.descriptor},
                      {"digest", a.digest},
                      {"askedMs", a.asked_ms},
                      {"expiresMs", a.expires_ms}};
}

Result<StoredApproval> from_json(const Json& json) {
    const auto text = [&json](std::string_view key) { return std::string(json.string_at(key)); };
    StoredApproval stored{.approval = {.id = text("id"),
                                       .source = text("server"),
                                       .tool = text("tool"),
                                       .principal = text("principal"),
                                       .request_id = text("requestId"),
                                       .arguments = text("arguments"),
                                       .descriptor = text("descriptor"),
                                       .digest = text("digest")}};
    const Json* asked = json.find("askedMs");
    const Json* expires = json.find("expiresMs");
    const auto asked_ms = asked == nullptr ? std::nullopt : asked->as_int();
    const auto expires_ms = expires == nullptr ? std::nullopt : expires->as_int();
    const std::string state = text("state");
    if (state == "approved") stored.state = ApprovalState::kApproved;
    if (state == "rejected") stored.state = ApprovalState::kRejected;
    if (stored.approval.id.empty() || stored.approval.digest.empty() || !asked_ms || !expires_ms ||
        word_of(stored.state) != state)
        return fail(ErrorCode::kParse, "an entry is damaged");
    stored.approval.asked_ms = *asked_ms;
    stored.approval.expires_ms = *expires_ms;
    return stored;
}

class FileApprovalStore final : public ApprovalStore {
public:
    explicit FileApprovalStore(std::filesystem::path folder) : folder_(std::move(folder)) {}

    Result<std::vector<StoredApproval>> load() override {
        auto all = read();
        // Fail closed: what cannot be read approves nothing, and nobody writes over it.
        if (!all) return fail(all.error().within((folder_ / kFile).string()));
        return all;
    }

    Task<Result<void>> save(const Context& ctx, std::vector<StoredApproval> all) override {
        JsonArray entries;
        for (const StoredApproval& stored : all) entries.push_back(to_json(stored));
        std::string text = Json(JsonObject{{"version", 1}, {"approvals", std::move(entries)}}).dump();
        co_return co_await worker_.run<void>(ctx, [folder = folder_, text = std::move(text)]() -> Result<void> {
            GANTRY_TRY(const auth::Fd opened, auth::open_private_folder(folder));
            return auth::replace_private_file(opened, kFile, text);
        });
    }

private:
    Result<std::vector<StoredApproval>> read() const {
        std::vector<StoredApproval> all;
        GANTRY_TRY(const auth::Fd folder, auth::open_private_folder(folder_));
        GANTRY_TRY(const auto text, auth::read_private_file(folder, kFile, kMaxBytes));
        if (!text) return all;
        GANTRY_TRY(const Json json, Json::parse(*text));
        const Json* entries = json.find("approvals");
        if (entries == nullptr || !entries->is_array()) return fail(ErrorCode::kParse, "there is no list of approvals");
        for (const Json& entry : *entries->if_array()) {
            GANTRY_TRY(auto stored, from_json(entry));
            all.push_back(std::move(stored));
        }
        return all;
    }

    std::filesystem::path folder_;
    auth::Worker worker_;
};

}  // namespace

std::unique_ptr<ApprovalStore> make_file_approval_store(std::filesystem::path folder) {
    return std::make_unique<FileApprovalStore>(std::move(folder));
}

}  // namespace gantry::gateway
