// The sample configuration of examples/nginx with a real nginx and the test's own certificate.
#include <gmock/gmock.h>
#include <unistd.h>

#include <fstream>
#include <sstream>

#include "gateway/rig.hpp"
#include "support/paths.hpp"

namespace gantry::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kNginx = "/usr/sbin/nginx";
const std::string kToken = "Bearer replace-with-the-token-of-alice";

std::string replaced(std::string text, const std::string& from, const std::string& to) {
    EXPECT_TRUE(text.contains(from)) << "the sample has no " << from;
    for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
        text.replace(at, from.size(), to);
    return text;
}

std::string output_of(std::vector<std::string> command, int expected = 0) {
    Child child({.command = std::move(command), .env = {}});
    EXPECT_EQ(child.wait(), expected) << child.err();
    return child.out() + child.err();
}

/// nginx with the sample configuration, in front of one gateway.
class Proxy {
public:
    explicit Proxy(const Gateway& gateway) : port_(free_port()) {
        output_of({"/usr/bin/openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj",
                   "/CN=mcp.example.com", "-addext", "subjectAltName=DNS:mcp.example.com,DNS:localhost", "-keyout",
                   folder_.path() + "/key.pem", "-out", certificate()});
        std::ifstream in(gantry::test_support::source_path("examples/nginx/gantry.conf"));
        std::stringstream sample;
        sample << in.rdbuf();
        std::string site =
            replaced(sample.str(), "listen 443 ssl", "listen 127.0.0.1:" + std::to_string(port_) + " ssl");
        site = replaced(site, "/etc/ssl/mcp.example.com/fullchain.pem", certificate());
        site = replaced(site, "/etc/ssl/mcp.example.com/privkey.pem", folder_.path() + "/key.pem");
        site = replaced(site, "server 127.0.0.1:8090;", "server 127.0.0.1:" + std::to_string(gateway.port()) + ";");
        std::ofstream(folder_.path() + "/site.conf") << site;
        std::string temporary;
        for (const char* const kind : {"client_body", "proxy", "fastcgi", "uwsgi", "scgi"})
            temporary += std::string(kind) + "_temp_path " + folder_.path() + "/" + kind + ";\n";
        std::ofstream(folder_.path() + "/nginx.conf")
            << "daemon off;\nmaster_process off;\npid " << folder_.path()
            << "/pid;\nerror_log stderr;\nevents {}\nhttp {\naccess_log off;\n"
            << temporary << "include " << folder_.path() << "/site.conf;\n}\n";
        child_ = std::make_unique<Child>(Child::Options{
            .command = {kNginx, "-e", "stderr", "-p", folder_.path(), "-c", folder_.path() + "/nginx.conf"},
            .env = {}});
        EXPECT_TRUE(wait_for_port(port_)) << child_->err();
    }

    std::string certificate() const { return folder_.path() + "/certificate.pem"; }
    std::string url(const std::string& host) const { return "https://" + host + ":" + std::to_string(port_); }
    /// Status and body of a GET for mcp.example.com.
    std::string get(const std::string& path, const std::vector<std::string>& more = {}) const {
        std::vector<std::string> command = {"/usr/bin/curl",
                                            "-sS",
                                            "--max-time",
                                            "30",
                                            "--cacert",
                                            certificate(),
                                            "--resolve",
                                            "mcp.example.com:" + std::to_string(port_) + ":127.0.0.1",
                                            "-w",
                                            "\n%{http_code}"};
        command.insert(command.end(), more.begin(), more.end());
        command.push_back(url("mcp.example.com") + path);
        return output_of(std::move(command));
    }

private:
    TempDir folder_;
    int port_;
    std::unique_ptr<Child> child_;
};

TEST(NginxTest, TheSampleServesATeamWithTokensAndShowsNothingElse) {
    for (const char* const program : {kNginx, "/usr/bin/curl", "/usr/bin/openssl"}) {
        if (::access(program, X_OK) != 0) GTEST_SKIP() << program << " is not installed";
    }
    Gateway gateway("demo_tools: true\nallowed_hosts: [mcp.example.com]\n");
    const Proxy proxy(gateway);

    const std::vector<std::string> with_token = {gantry_program(),
                                                 "tools",
                                                 "--url",
                                                 proxy.url("localhost") + "/mcp",
                                                 "--ca-file",
                                                 proxy.certificate(),
                                                 "-H",
                                                 "Authorization: " + kToken};
    EXPECT_THAT(output_of(with_token), HasSubstr("demo_echo"));
    std::vector<std::string> call = with_token;
    call[1] = "call";
    call.insert(call.begin() + 2, {"demo_echo", "message=through nginx"});
    EXPECT_THAT(output_of(call), HasSubstr("through nginx"));

    EXPECT_THAT(proxy.get("/mcp/tools", {"-H", "Authorization: " + kToken}),
                AllOf(HasSubstr("demo_echo"), HasSubstr("\n200")));
    EXPECT_THAT(proxy.get("/mcp/tools"), AllOf(Not(HasSubstr("demo_echo")), HasSubstr("\n401")));
    EXPECT_THAT(proxy.get("/mcp/tools", {"-H", "Authorization: Bearer guessed"}), HasSubstr("\n401"));
    EXPECT_THAT(proxy.get("/ready"), AllOf(HasSubstr(R"({"ready":true})"), HasSubstr("\n200")));
    for (const std::string path : {"/metrics", "/events", "/health", "/sse", "/"})
        EXPECT_THAT(proxy.get(path), HasSubstr("\n404")) << path;
}

TEST(NginxTest, AProxyThatShowsEverythingShowsNoMetricsAllTheSame) {
    for (const char* const program : {kNginx, "/usr/bin/curl", "/usr/bin/openssl"}) {
        if (::access(program, X_OK) != 0) GTEST_SKIP() << program << " is not installed";
    }
    // The simplest common configuration, nothing but proxy_pass, and one that forwards the public name.
    Gateway gateway("demo_tools: true\nmetrics: {enabled: true}\nallowed_hosts: [\"*\"]\n");
    const TempDir folder;
    const int port = free_port();
    const std::string upstream = "http://127.0.0.1:" + std::to_string(gateway.port());
    std::string temporary;
    for (const char* const kind : {"client_body", "proxy", "fastcgi", "uwsgi", "scgi"})
        temporary += std::string(kind) + "_temp_path " + folder.path() + "/" + kind + ";\n";
    std::ofstream(folder.path() + "/nginx.conf")
        << "daemon off;\nmaster_process off;\npid " << folder.path() << "/pid;\nevents {}\nhttp {\naccess_log off;\n"
        << temporary << "server {\nlisten 127.0.0.1:" << port << ";\nlocation / { proxy_pass " << upstream
        << "; }\nlocation /kept/ { proxy_pass " << upstream
        << "/; proxy_http_version 1.1; proxy_set_header Host $host; }\n}\n}\n";
    Child nginx(
        {.command = {kNginx, "-e", "stderr", "-p", folder.path(), "-c", folder.path() + "/nginx.conf"}, .env = {}});
    ASSERT_TRUE(wait_for_port(port)) << nginx.err();
    for (const std::string path : {"/metrics", "/kept/metrics"}) {
        const std::string url = "http://127.0.0.1:" + std::to_string(port) + path;
        EXPECT_THAT(output_of({"/usr/bin/curl", "-sS", "--max-time", "30", "-H", "Host: mcp.example.com", "-w",
                               "\n%{http_code}", url}),
                    AllOf(HasSubstr("\n403"), HasSubstr("metrics.local_only")))
            << path;
    }
}

}  // namespace
}  // namespace gantry::testing
