// Every service installed by tools/setup starts and answers; tests of their users depend on this.
#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <filesystem>
#include <fstream>

#include "gantry/json.hpp"
#include "support/service.hpp"

namespace gantry::testing {
namespace {

using ::testing::HasSubstr;

/// The output of curl, with further arguments before the URL.
std::string fetch(const std::string& url, std::vector<std::string> more = {}) {
    std::vector<std::string> command{"/usr/bin/curl", "-fsS", "--max-time", "30"};
    command.insert(command.end(), more.begin(), more.end());
    command.push_back(url);
    Child curl({.command = std::move(command), .env = {}});
    EXPECT_EQ(curl.wait(), 0) << curl.err();
    return curl.out();
}

TEST(Services, KeycloakOffersTokenExchangeAndPkce) {
    const Service keycloak("keycloak");
    GANTRY_NEEDS_SERVICE(keycloak.missing());
    const auto document = Json::parse(fetch(keycloak.url() + "/realms/master/.well-known/openid-configuration"));
    ASSERT_TRUE(document.has_value());
    EXPECT_EQ(*document->find("issuer"), Json(keycloak.url() + "/realms/master"));
    EXPECT_THAT(document->find("grant_types_supported")->dump(),
                HasSubstr("urn:ietf:params:oauth:grant-type:token-exchange"));
    EXPECT_THAT(document->find("code_challenge_methods_supported")->dump(), HasSubstr("S256"));
}

/// The answer to an ApiVersions request, version 0, which every Kafka client sends first. Empty when there is none.
std::string ask_api_versions(int port) {
    const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<std::uint16_t>(port));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const timeval limit{.tv_sec = 30, .tv_usec = 0};
    ::setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    std::string answer;
    // Length, API key 18, version 0, correlation id 7, no client id.
    constexpr std::array<unsigned char, 14> kRequest = {0, 0, 0, 10, 0, 18, 0, 0, 0, 0, 0, 7, 0xff, 0xff};
    if (::connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0 &&
        ::send(fd, kRequest.data(), kRequest.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(kRequest.size())) {
        std::array<char, 4096> buffer{};
        const ssize_t got = ::recv(fd, buffer.data(), buffer.size(), 0);
        if (got > 0) answer.assign(buffer.data(), static_cast<std::size_t>(got));
    }
    ::close(fd);
    return answer;
}

TEST(Services, KafkaAnswersWhichVersionsItSpeaks) {
    const Service kafka("kafka");
    GANTRY_NEEDS_SERVICE(kafka.missing());
    const std::string answer = ask_api_versions(std::stoi(kafka.url().substr(kafka.url().rfind(':') + 1)));
    ASSERT_GT(answer.size(), 14u);
    EXPECT_EQ(answer.substr(4, 4), std::string("\0\0\0\7", 4)) << "another request's answer";
    EXPECT_EQ(answer.substr(8, 2), std::string(2, '\0')) << "an error code";
}

TEST(Services, ConsulKeepsAValue) {
    const Service consul("consul");
    GANTRY_NEEDS_SERVICE(consul.missing());
    const std::string key = consul.url() + "/v1/kv/gantry/test";
    EXPECT_EQ(fetch(key, {"-X", "PUT", "--data", "kept"}), "true");
    EXPECT_EQ(fetch(key + "?raw"), "kept");
}

TEST(Services, ChromiumRunsScripts) {
    const char* const browser = "/usr/bin/chromium";
    GANTRY_NEEDS_SERVICE(::access(browser, X_OK) == 0 ? "" : "chromium is not installed (tools/setup services)");
    const TempDir folder;
    std::ofstream(folder.path() + "/page.html")
        << "<p id=told>nothing</p><script>document.getElementById('told').textContent = 6 * 7;</script>";
    Child page({.command = {browser, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
                            "--no-first-run", "--disable-background-networking", "--virtual-time-budget=2000",
                            "--user-data-dir=" + folder.path() + "/profile", "--dump-dom",
                            "file://" + folder.path() + "/page.html"},
                .env = {{"HOME", folder.path()}}});
    EXPECT_EQ(page.wait(std::chrono::seconds(180)), 0) << page.err();
    EXPECT_THAT(page.out(), HasSubstr("<p id=\"told\">42</p>"));
}

TEST(Services, MissingServiceSkipsTheTestAndFailsItWhereServicesAreRequired) {
    // With an empty cache, in child processes, because this test checks how they skip and fail.
    const TempDir empty;
    for (const bool required : {false, true}) {
        Child run({.command = {std::filesystem::read_symlink("/proc/self/exe").string(),
                               "--gtest_filter=Services.ConsulKeepsAValue"},
                   .env = {{"GANTRY_SERVICES_DIR", empty.path()}, {"GANTRY_REQUIRE_SERVICES", required ? "1" : "0"}}});
        EXPECT_EQ(run.wait(), required ? 1 : 0) << run.out();
        EXPECT_THAT(run.out(), HasSubstr("consul is not installed (tools/setup services)"));
        EXPECT_THAT(run.out(), HasSubstr(required ? "[  FAILED  ]" : "[  SKIPPED ]"));
    }
}

}  // namespace
}  // namespace gantry::testing
