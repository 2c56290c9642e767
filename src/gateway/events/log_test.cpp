#include "gateway/events/log.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <unistd.h>

#include <array>

#include "gateway/events/test_outcome.hpp"
#include "io/fd.hpp"

namespace gantry::gateway::events {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::MatchesRegex;

class LogTest : public ::testing::Test {
protected:
    LogTest() {
        std::array<int, 2> ends{};
        EXPECT_EQ(::pipe2(ends.data(), O_CLOEXEC), 0);
        from_ = Fd(ends[0]);
        to_ = Fd(ends[1]);
    }
    Log log(LogForm form, LogLevel level = LogLevel::kInfo) { return Log({.level = level, .form = form}, to_.get()); }
    std::string written() {
        ::fcntl(from_.get(), F_SETFL, O_NONBLOCK);
        std::string all(1 << 20, '\0');
        const ssize_t size = ::read(from_.get(), all.data(), all.size());
        all.resize(size < 0 ? 0 : static_cast<std::size_t>(size));
        return all;
    }
    Fd from_, to_;
};

TEST_F(LogTest, IsJsonWhereNoTerminalIs) {
    Log log = this->log(LogForm::kAuto);
    log.write(LogLevel::kWarning, "it \"broke\"\n", {{"server", "files"}, {"correlation_id", ""}});
    const Json line = *Json::parse(written());
    EXPECT_EQ(line.string_at("level"), "warning");
    EXPECT_EQ(line.string_at("message"), "it \"broke\"\n");
    EXPECT_EQ(line.string_at("server"), "files");
    EXPECT_EQ(line.find("correlation_id"), nullptr);
    EXPECT_THAT(std::string(line.string_at("time")), MatchesRegex("20..-..-..T..:..:......Z"));
}

TEST_F(LogTest, IsOneReadableLineForPeopleWithoutControlCharacters) {
    Log log = this->log(LogForm::kText);
    log.write(LogLevel::kInfo, "a\x1b[31m\nb", {{"server", "fi\nles"}});
    EXPECT_THAT(written(), MatchesRegex("..:..:.. info     a\\?\\[31m; b  server=fi; les\n"));
}

TEST_F(LogTest, SaysNothingBelowItsLevel) {
    Log log = this->log(LogForm::kText, LogLevel::kError);
    log.write(LogLevel::kWarning, "no");
    EXPECT_THAT(written(), IsEmpty());
    EXPECT_EQ(log_level_from("debug"), LogLevel::kDebug);
    EXPECT_EQ(log_level_from("loud"), std::nullopt);
}

TEST_F(LogTest, ACallIsALineWithItsCorrelationIdAndNoArguments) {
    Log log = this->log(LogForm::kJson);
    LogLines lines(log, true);
    lines.heard(record_of(good_call()));
    const std::string text = written();
    const Json line = *Json::parse(text);
    EXPECT_EQ(line.string_at("correlation_id"), "c-1");
    EXPECT_EQ(line.string_at("name"), "files_read");
    EXPECT_EQ(line.string_at("outcome"), "ok");
    EXPECT_EQ(line.string_at("took_us"), "250");
    EXPECT_THAT(text, Not(HasSubstr("secret-place")));
}

TEST_F(LogTest, AReaderThatSleepsHoldsNobodyUpAndIsToldWhatItMissed) {
    Log log = this->log(LogForm::kText);
    const std::string text(1000, 'x');
    for (int i = 0; i < 1000; ++i) log.write(LogLevel::kInfo, text);
    EXPECT_GT(log.dropped(), 500u);
    written();
    log.write(LogLevel::kInfo, "again");
    const std::string rest = written();
    EXPECT_THAT(rest, HasSubstr("again"));
    EXPECT_THAT(rest, HasSubstr("were lost, because the log was not read: " + std::to_string(log.dropped())));
}

}  // namespace
}  // namespace gantry::gateway::events
