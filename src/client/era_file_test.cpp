#include "client/era_file.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "client/route.hpp"
#include "client/runtime.hpp"
#include "io/test_temporary_folder.hpp"

namespace gantry {
namespace {

using mcp::Revision;

mcp::EraCache knowing(const std::string& server) {
    mcp::EraCache cache;
    cache.remember(server, Revision::k2025_06_18);
    return cache;
}

std::optional<Revision> verdict(const EraFile& file, const std::string& server) {
    mcp::EraCache cache;
    cache.merge(file.read());
    return cache.find(server);
}

TEST(EraFile, WhatSeveralProcessesLearnedAddsUp) {
    const TemporaryFolder temporary;
    const EraFile file(temporary.path() / "new" / "gantry");
    EXPECT_EQ(file.read(), "");
    EXPECT_FALSE(std::filesystem::exists(temporary.path() / "new")) << "reading makes nothing";
    file.update(knowing("a"));
    file.update(knowing("b"));
    EXPECT_EQ(verdict(file, "a"), Revision::k2025_06_18);
    EXPECT_EQ(verdict(file, "b"), Revision::k2025_06_18);

    struct stat info{};
    ASSERT_EQ(::stat((temporary.path() / "new" / "gantry" / "eras.json").c_str(), &info), 0);
    EXPECT_EQ(info.st_mode & 0777u, 0600u);
}

TEST(EraFile, ACorruptFileIsIgnoredAndReplaced) {
    const TemporaryFolder temporary;
    const EraFile file(temporary.path());
    std::ofstream(temporary.path() / "eras.json") << "{not json";
    ::chmod((temporary.path() / "eras.json").c_str(), 0600);
    EXPECT_EQ(verdict(file, "a"), std::nullopt);
    file.update(knowing("a"));
    EXPECT_EQ(verdict(file, "a"), Revision::k2025_06_18);
}

TEST(EraFile, AFileOthersMayWriteOrATooLargeOneIsNotRead) {
    const TemporaryFolder temporary;
    const EraFile file(temporary.path());
    file.update(knowing("a"));
    ::chmod((temporary.path() / "eras.json").c_str(), 0666);
    EXPECT_EQ(verdict(file, "a"), std::nullopt);
    ::chmod((temporary.path() / "eras.json").c_str(), 0600);
    EXPECT_EQ(verdict(file, "a"), Revision::k2025_06_18);
    std::ofstream(temporary.path() / "eras.json", std::ios::app) << std::string(EraFile::kMaxBytes, ' ');
    EXPECT_EQ(verdict(file, "a"), std::nullopt);
}

TEST(EraFile, AnUnusableFolderIsNoError) {
    const EraFile file("/proc/no/such/folder");
    EXPECT_EQ(file.read(), "");
    file.update(knowing("a"));
}

Result<std::string> identity(std::variant<StdioServer, HttpServer> server) {
    std::unique_ptr<HttpParts> parts;
    auto route = make_route(Runtime::shared(), {.server = std::move(server)}, {}, parts);
    if (!route) return fail(route.error());
    return route->identity;
}

TEST(EraFile, ServersAreKnownByNamesWithoutSecrets) {
    const auto stdio = identity(StdioServer{.command = "srv", .args = {"positional-secret"}});
    const auto other = identity(StdioServer{.command = "srv", .args = {"positional", "secret"}});
    const auto env = identity(
        StdioServer{.command = "srv", .args = {"positional-secret"}, .env = {{"TOKEN", "environment-secret"}}});
    const auto http = identity(HttpServer{.url = "https://example.com/mcp?key=query-secret"});
    const auto http_other = identity(HttpServer{.url = "https://example.com/mcp?key=query"});
    ASSERT_TRUE(stdio && other && env && http && http_other);
    EXPECT_EQ(stdio->find("secret"), std::string::npos);
    EXPECT_EQ(http->find("secret"), std::string::npos);
    EXPECT_NE(*stdio, *other);
    EXPECT_NE(*http, *http_other);
    EXPECT_EQ(*stdio, *env) << "the environment is no part of it";
    EXPECT_EQ(*stdio, *identity(StdioServer{.command = "srv", .args = {"positional-secret"}}));
}

}  // namespace
}  // namespace gantry
