// Which sessions stay in memory, and what remains of those that do not.
#include "mcp/server/session_table.hpp"

#include <gtest/gtest.h>

#include "mcp/server/session_id.hpp"
#include "mcp/server/test_rig.hpp"

namespace gantry::mcp::testing {
namespace {

class SessionTableTest : public ::testing::Test {
protected:
    std::shared_ptr<HttpSession> added(SessionTable& table, const std::string& name) {
        Peer peer;
        peer.session = name;
        auto session = std::make_shared<HttpSession>(
            backend_, std::make_shared<const Peer>(std::move(peer)), names_,
            HttpSession::Opening{.token = "sealed " + name, .path = "/mcp", .expires = unix_now() + 3600});
        table.add(session);
        return session;
    }

    FakeBackend backend_;
    EventNames names_;
    const SessionTable::Limits at_once_{.release = Duration::zero()};
};

TEST_F(SessionTableTest, ReleasesIdleSessionsThatTheirIdsBringBack) {
    SessionTable table(at_once_);
    added(table, "one");
    table.sweep();
    EXPECT_EQ(table.size(), 0u);
    EXPECT_EQ(table.find("sealed one"), nullptr);
    EXPECT_FALSE(table.revoked("one")) << "it may come back";
    EXPECT_TRUE(backend_.ended.empty()) << "it is not over";
}

TEST_F(SessionTableTest, KeepsThemForAWhile) {
    SessionTable table({});
    added(table, "one");
    table.sweep();
    EXPECT_EQ(table.size(), 1u);
}

TEST_F(SessionTableTest, KeepsWhatAnIdDoesNotSay) {
    SessionTable table(at_once_);
    added(table, "with a log level")->level = LogLevel::kInfo;
    const auto told = added(table, "with events to replay");
    told->tell("{}");
    table.sweep();
    EXPECT_EQ(table.size(), 1u) << "events are dropped once they are too old, and the session with them";
    EXPECT_NE(table.find("sealed with a log level"), nullptr);
    EXPECT_EQ(table.find("sealed with events to replay"), nullptr);
}

}  // namespace
}  // namespace gantry::mcp::testing
