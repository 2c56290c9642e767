#include "gateway/approvals/approval_store.hpp"

#include "base/try.hpp"
#include "gateway/approvals/approval_folder.hpp"
#include "io/file_watch.hpp"
#include "io/loop.hpp"
#include "io/worker.hpp"

namespace gantry::gateway {
namespace {

/// Polling interval when the kernel does not report changes to the folder.
constexpr Duration kLookEvery = seconds(1);

class FolderApprovalStore final : public ApprovalStore {
public:
    explicit FolderApprovalStore(std::filesystem::path state_dir)
        : folder_(std::make_shared<ApprovalFolder>(std::move(state_dir))) {}

    Result<KeptApprovals> open() override { return folder_->open(); }

    Task<Result<KeptApprovals>> read(const Context& ctx) override {
        return worker_.run<KeptApprovals>(ctx, [folder = folder_] { return folder->read(); });
    }
    Task<Result<void>> add(const Context& ctx, PendingApproval question) override {
        return worker_.run<void>(ctx,
                                 [folder = folder_, question = std::move(question)] { return folder->add(question); });
    }
    Task<Result<StoredApproval>> answer(const Context& ctx, std::string id, StoredAnswer answer) override {
        return worker_.run<StoredApproval>(ctx, [folder = folder_, id = std::move(id), answer = std::move(answer)] {
            return folder->answer(id, answer);
        });
    }
    Task<Result<bool>> use(const Context& ctx, std::string id) override {
        return worker_.run<bool>(ctx, [folder = folder_, id = std::move(id)] { return folder->use(id); });
    }
    Task<Result<std::optional<StoredApproval>>> expire(const Context& ctx, std::string id,
                                                       std::int64_t at_ms) override {
        return worker_.run<std::optional<StoredApproval>>(
            ctx, [folder = folder_, id = std::move(id), at_ms] { return folder->expire(id, at_ms); });
    }

    Task<Result<void>> changed(const Context& ctx) override {
        if (!watch_) {
            if (auto opened = FileWatch::open(folder_->path() / "any")) watch_.emplace(*std::move(opened));
            // Changes before the watch was opened were not reported, so report one now.
            if (watch_) co_return Result<void>();
            co_return co_await look_again(ctx);
        }
        auto told = co_await watch_->changed(ctx);
        if (told) co_return told;
        GANTRY_CO_CHECK(ctx.check());
        watch_.reset();
        co_return co_await look_again(ctx);
    }

private:
    static Task<Result<void>> look_again(const Context& ctx) { return sleep_for(ctx, kLookEvery); }

    std::shared_ptr<ApprovalFolder> folder_;  // used on the worker's thread after open()
    std::optional<FileWatch> watch_;
    Worker worker_;
};

}  // namespace

std::unique_ptr<ApprovalStore> make_folder_approval_store(std::filesystem::path state_dir) {
    return std::make_unique<FolderApprovalStore>(std::move(state_dir));
}

}  // namespace gantry::gateway
