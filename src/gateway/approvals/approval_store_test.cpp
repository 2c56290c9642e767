#include "gateway/approvals/approval_store.hpp"

#include <gtest/gtest.h>

#include <fstream>

#include "auth/store/temporary_folder.hpp"
#include "io/loop.hpp"

namespace gantry::gateway {
namespace {

StoredApproval one() {
    return {.approval = {.id = "a1",
                         .source = "shop",
                         .tool = "buy",
                         .principal = "local",
                         .request_id = "c1",
                         .arguments = R"({"text":"\"quoted\" ü"})",
                         .descriptor = "d",
                         .digest = "e",
                         .asked_ms = 1,
                         .expires_ms = 2},
            .state = ApprovalState::kApproved};
}

TEST(ApprovalStore, AnotherProcessReadsWhatWasSaved) {
    const auth::TemporaryFolder folder;
    Loop loop;
    {
        const auto store = make_file_approval_store(folder.path());
        EXPECT_TRUE(store->load()->empty());
        ASSERT_TRUE(loop.run_until_done(store->save(Context::background(), {one()})).has_value());
    }
    const auto again = make_file_approval_store(folder.path())->load();
    ASSERT_TRUE(again.has_value()) << again.error().to_string();
    ASSERT_EQ(again->size(), 1u);
    EXPECT_EQ(again->front().state, ApprovalState::kApproved);
    EXPECT_EQ(again->front().approval.arguments, one().approval.arguments);
    EXPECT_EQ(again->front().approval.digest, "e");
    EXPECT_EQ(again->front().approval.expires_ms, 2);
    const auto mode = std::filesystem::status(std::filesystem::path(folder.path()) / "approvals.json").permissions();
    EXPECT_EQ(mode, std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
}

TEST(ApprovalStore, ADamagedFileIsReportedAndApprovesNothing) {
    const auth::TemporaryFolder folder;
    Loop loop;
    const auto store = make_file_approval_store(folder.path());
    ASSERT_TRUE(loop.run_until_done(store->save(Context::background(), {one()})).has_value());
    for (const char* text : {"", "{}", R"({"approvals":[{}]})", R"({"approvals":[{"id":"x","state":"granted"}]})"}) {
        std::ofstream(std::filesystem::path(folder.path()) / "approvals.json", std::ios::trunc) << text;
        EXPECT_FALSE(store->load().has_value()) << text;
    }
}

}  // namespace
}  // namespace gantry::gateway
