#include "gateway/approvals/approval_store.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <thread>

#include "gateway/approvals/approval_folder.hpp"
#include "gateway/approvals/approval_text.hpp"
#include "io/loop.hpp"
#include "io/test_temporary_folder.hpp"

namespace gantry::gateway {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

constexpr std::int64_t kFarAway = 4'000'000'000'000;

PendingApproval question(const std::string& id = "a1") {
    return {.id = id,
            .source = "shop",
            .tool = "buy",
            .principal = "local",
            .request_id = "c1",
            .arguments = R"({"text":"\"quoted\" ü"})",
            .descriptor = "d",
            .digest = "e",
            .asked_ms = 1,
            .expires_ms = kFarAway};
}

class ApprovalFiles : public testing::Test {
protected:
    fs::path file(const std::string& name = "approvals/a1.json") const { return fs::path(folder.path()) / name; }
    void put(const std::string& name, const std::string& text) const {
        std::ofstream(file(name), std::ios::trunc) << text;
        fs::permissions(file(name), fs::perms::owner_read | fs::perms::owner_write);
    }
    Loop loop;
    TemporaryFolder folder;
};

TEST_F(ApprovalFiles, AnotherProcessReadsWhatWasKept) {
    {
        const auto store = make_folder_approval_store(folder.path());
        EXPECT_TRUE(store->open()->all.empty());
        ASSERT_TRUE(loop.run_until_done(store->add(Context::background(), question())).has_value());
        const auto answered = loop.run_until_done(store->answer(
            Context::background(), "a1", {.approved = true, .reason = "fine", .expires_ms = kFarAway + 1}));
        ASSERT_TRUE(answered.has_value()) << answered.error().to_string();
        EXPECT_EQ(answered->state, ApprovalState::kApproved);
    }
    const auto again = make_folder_approval_store(folder.path())->open();
    ASSERT_TRUE(again.has_value()) << again.error().to_string();
    ASSERT_EQ(again->all.size(), 1u);
    const StoredApproval& stored = again->all.front();
    EXPECT_EQ(stored.state, ApprovalState::kApproved);
    EXPECT_EQ(stored.reason, "fine");
    EXPECT_EQ(stored.approval.arguments, question().arguments);
    EXPECT_EQ(stored.approval.digest, "e");
    EXPECT_EQ(stored.approval.expires_ms, kFarAway + 1);
    EXPECT_EQ(fs::status(file()).permissions(), fs::perms::owner_read | fs::perms::owner_write);
    EXPECT_EQ(fs::status(file("approvals")).permissions(), fs::perms::owner_all);
}

TEST_F(ApprovalFiles, AnAnswerCountsOnceAndOnlyForAnOpenQuestion) {
    ApprovalFolder files(folder.path());
    ASSERT_TRUE(files.open().has_value());
    ASSERT_TRUE(files.add(question()).has_value());
    EXPECT_TRUE(files.answer("a1", {.approved = false, .expires_ms = kFarAway}).has_value());
    for (const char* id : {"a1", "a2", "", "../a1", "a1.json", ".", "a/b"})
        EXPECT_EQ(files.answer(id, {.approved = true, .expires_ms = kFarAway}).error().code(), ErrorCode::kNotFound)
            << id;
    EXPECT_FALSE(*files.use("a1")) << "it was rejected";
    PendingApproval late = question("late");
    late.expires_ms = 5;
    ASSERT_TRUE(files.add(late).has_value());
    EXPECT_EQ(files.answer("late", {.approved = true, .expires_ms = kFarAway}).error().code(), ErrorCode::kNotFound);
}

TEST_F(ApprovalFiles, AnApprovalIsUsedOnceAndNotAfterItsTime) {
    ApprovalFolder files(folder.path());
    ASSERT_TRUE(files.open().has_value());
    ASSERT_TRUE(files.add(question()).has_value());
    EXPECT_FALSE(*files.use("a1")) << "nobody agreed yet";
    ASSERT_TRUE(files.answer("a1", {.approved = true, .expires_ms = kFarAway}).has_value());
    EXPECT_TRUE(*files.use("a1"));
    EXPECT_FALSE(*files.use("a1"));
    EXPECT_FALSE(fs::exists(file()));
    ASSERT_TRUE(files.add(question()).has_value());
    ASSERT_TRUE(files.answer("a1", {.approved = true, .expires_ms = 5}).has_value());
    EXPECT_FALSE(*files.use("a1")) << "kept too long";
    EXPECT_FALSE(files.expire("a1", 4)->has_value());
    EXPECT_TRUE(files.expire("a1", 5)->has_value());
    EXPECT_FALSE(files.expire("a1", 5)->has_value()) << "one removes it, and tells";
}

/// Processes, not threads: the lock is the kernel's.
TEST_F(ApprovalFiles, OfManyProcessesExactlyOneUsesAnApproval) {
    ApprovalFolder files(folder.path());
    ASSERT_TRUE(files.open().has_value());
    for (int round = 0; round < 20; ++round) {
        const std::string id = "r" + std::to_string(round);
        ASSERT_TRUE(files.add(question(id)).has_value());
        ASSERT_TRUE(files.answer(id, {.approved = true, .expires_ms = kFarAway}).has_value());
        std::vector<pid_t> children;
        for (int i = 0; i < 4; ++i) {
            const pid_t child = ::fork();
            if (child == 0) {
                ApprovalFolder own(folder.path());
                const auto used = own.use(id);
                ::_exit(!used ? 2 : *used ? 1 : 0);
            }
            children.push_back(child);
        }
        int winners = 0;
        for (const pid_t child : children) {
            int status = 0;
            ASSERT_EQ(::waitpid(child, &status, 0), child);
            ASSERT_TRUE(WIFEXITED(status));
            ASSERT_NE(WEXITSTATUS(status), 2) << "nobody fails";
            winners += WEXITSTATUS(status);
        }
        ASSERT_EQ(winners, 1) << id;
    }
}

TEST_F(ApprovalFiles, ADamagedFileIsReportedOnceAndApprovesNothing) {
    ApprovalFolder files(folder.path());
    ASSERT_TRUE(files.open().has_value());
    StoredApproval other{.approval = question("other"), .state = ApprovalState::kApproved};
    for (const std::string& text : {std::string(), std::string("{}"), std::string(R"({"id":"a1","state":"granted"})"),
                                    std::string("[1"), to_text(other)}) {
        put("approvals/a1.json", text);
        const auto kept = files.read();
        ASSERT_TRUE(kept.has_value());
        EXPECT_TRUE(kept->all.empty()) << text;
        ASSERT_EQ(kept->trouble.size(), 1u) << text;
        EXPECT_THAT(kept->trouble[0], HasSubstr("a1.json"));
        EXPECT_TRUE(files.read()->trouble.empty()) << "told once";
        EXPECT_FALSE(files.use("a1").has_value());
        EXPECT_FALSE(files.answer("a1", {.approved = true, .expires_ms = kFarAway}).has_value());
        EXPECT_TRUE(fs::exists(file())) << "nobody writes over it";
    }
    put("approvals/notes.txt", "x");
    EXPECT_TRUE(files.read()->trouble.empty()) << "none of ours";
}

TEST_F(ApprovalFiles, AFileOthersMayReadOrALinkIsNotBelieved) {
    ApprovalFolder files(folder.path());
    ASSERT_TRUE(files.open().has_value());
    const StoredApproval approved{.approval = question(), .state = ApprovalState::kApproved};
    put("approvals/a1.json", to_text(approved));
    fs::permissions(file(), fs::perms::others_read, fs::perm_options::add);
    EXPECT_TRUE(files.read()->all.empty());
    EXPECT_FALSE(files.use("a1").has_value());
    fs::remove(file());
    put("elsewhere", to_text(approved));
    fs::create_symlink(file("elsewhere"), file());
    EXPECT_TRUE(files.read()->all.empty());
    EXPECT_FALSE(files.use("a1").has_value());
}

TEST_F(ApprovalFiles, WhatAnEarlierVersionKeptIsTakenOver) {
    put("approvals.json",
        R"({"version":1,"approvals":[{"id":"old1","state":"pending","server":"shop","tool":"buy","principal":"local",)"
        R"("requestId":"c1","arguments":"{}","descriptor":"d","digest":"e","askedMs":1,"expiresMs":4000000000000},)"
        R"({"id":"old2","state":"approved","server":"shop","tool":"buy","principal":"local","requestId":"c2",)"
        R"("arguments":"{}","descriptor":"d","digest":"f","askedMs":1,"expiresMs":4000000000000}]})");
    const auto kept = make_folder_approval_store(folder.path())->open();
    ASSERT_TRUE(kept.has_value()) << kept.error().to_string();
    EXPECT_EQ(kept->all.size(), 2u);
    EXPECT_FALSE(fs::exists(file("approvals.json")));
    EXPECT_TRUE(*ApprovalFolder(folder.path()).use("old2"));
    EXPECT_EQ(make_folder_approval_store(folder.path())->open()->all.size(), 1u) << "not taken over twice";
}

TEST_F(ApprovalFiles, AnOldFileThatCannotBeReadStopsTheStartAndStays) {
    for (const char* text : {"", "{}", R"({"approvals":[{}]})", R"({"approvals":[{"id":"x","state":"granted"}]})"}) {
        put("approvals.json", text);
        const auto kept = make_folder_approval_store(folder.path())->open();
        ASSERT_FALSE(kept.has_value()) << text;
        EXPECT_THAT(kept.error().message(), HasSubstr("approvals.json"));
        EXPECT_TRUE(fs::exists(file("approvals.json")));
    }
}

TEST_F(ApprovalFiles, WhatAKilledProcessHadNotFinishedIsRemoved) {
    fs::create_directory(file("approvals"), file("").parent_path());
    put("approvals/a1.json.new", "{\"id\":");
    EXPECT_TRUE(ApprovalFolder(folder.path()).open()->all.empty());
    EXPECT_FALSE(fs::exists(file("approvals/a1.json.new")));
}

TEST_F(ApprovalFiles, AnotherProcessesChangeIsTold) {
    const auto store = make_folder_approval_store(folder.path());
    ASSERT_TRUE(store->open().has_value());
    loop.run_until_done([](ApprovalStore& mine, std::string path) -> Task<void> {
        const Context ctx = Context::background().within(seconds(30));
        // Changes made before the first wait are reported too.
        EXPECT_TRUE((co_await mine.changed(ctx)).has_value());
        std::thread other([path] { EXPECT_TRUE(ApprovalFolder(path).add(question()).has_value()); });
        std::size_t seen = 0;
        while (seen == 0) {
            auto told = co_await mine.changed(ctx);
            EXPECT_TRUE(told.has_value());
            if (!told) break;
            seen = (co_await mine.read(ctx))->all.size();
        }
        EXPECT_EQ(seen, 1u);
        other.join();
    }(*store, folder.path()));
}

}  // namespace
}  // namespace gantry::gateway
