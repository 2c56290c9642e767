// Our server against curl and our client against nginx, if they are installed.
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>

#include "io/http/http_test_support.hpp"
#include "io/sync.hpp"

namespace gantry::http::testing {
namespace {

class PeersTest : public HttpTest {};

bool installed(const char* command) {
    return std::system(("command -v " + std::string(command) + " >/dev/null 2>&1").c_str()) == 0;
}

/// Output of a command that runs concurrently with the loop.
Task<std::string> output_of(Loop& loop, std::string command) {
    std::string output;
    Event done;
    std::jthread thread([&] {
        if (FILE* pipe = ::popen(command.c_str(), "r")) {
            std::array<char, 4096> buffer;
            while (const std::size_t got = std::fread(buffer.data(), 1, buffer.size(), pipe))
                output.append(buffer.data(), got);
            ::pclose(pipe);
        }
        loop.post([&] { done.set(); });
    });
    EXPECT_TRUE(co_await done.wait(patiently()));
    co_return output;
}

Task<void> check_curl(Loop& loop, std::uint16_t port) {
    const std::string curl = "curl -sS --max-time 15 ";
    const std::string url = "http://127.0.0.1:" + std::to_string(port);
    EXPECT_EQ(co_await output_of(loop, curl + url + "/a " + url + "/b"), "GET /a GET /b ");
    EXPECT_EQ(co_await output_of(loop, curl + "--http1.0 " + url + "/old"), "GET /old ");
    EXPECT_EQ(co_await output_of(loop, curl + "-d data " + url + "/post"), "POST /post data");
    EXPECT_EQ(co_await output_of(loop, curl + "-H 'Transfer-Encoding: chunked' -d data " + url + "/c"), "POST /c data");
    // curl sends Expect: 100-continue before a megabyte.
    EXPECT_EQ(co_await output_of(loop, "head -c 2000000 /dev/zero | tr '\\0' x | " + curl +
                                           "-H 'Expect: 100-continue' --data-binary @- " + url +
                                           "/big | wc -c | tr -d ' \\n'"),
              "2000010");
    EXPECT_EQ(co_await output_of(loop, curl + "-I -o /dev/null -w '%{http_code}' " + url + "/head"), "200");
}

TEST_F(PeersTest, CurlUnderstandsOurServer) {
    if (!installed("curl")) GTEST_SKIP() << "curl is not installed";
    run(check_curl(loop_, serve(echo).port()));
}

/// nginx on a free port, in its own directory, stopped at the end of the test.
class Nginx {
public:
    Nginx() {
        std::string pattern = (std::filesystem::temp_directory_path() / "gantry-nginx-XXXXXX").string();
        directory_ = ::mkdtemp(pattern.data());
    }
    ~Nginx() {
        if (pid_ > 0) {
            ::kill(pid_, SIGTERM);
            ::waitpid(pid_, nullptr, 0);
        }
        std::filesystem::remove_all(directory_);
    }

    void start(std::uint16_t port) {
        std::ofstream(directory_ / "large.txt") << std::string(500'000, 'n');
        const std::string d = directory_.string();
        std::ofstream(directory_ / "nginx.conf")
            << "daemon off; master_process off; pid " << d << "/pid; error_log " << d << "/log;\n"
            << "events {}\nhttp { access_log off; client_body_temp_path " << d << "/1; proxy_temp_path " << d
            << "/2; fastcgi_temp_path " << d << "/3; uwsgi_temp_path " << d << "/4; scgi_temp_path " << d << "/5;\n"
            << "gzip on; gzip_types text/plain; gzip_min_length 1;\n"
            << "server { listen 127.0.0.1:" << port << "; keepalive_requests 2; root " << d << ";\n"
            << "location = /hello { return 200 hello; } location = /none { return 204; }\n"
            << "location = /away { return 301 /hello; } } }\n";
        const std::string config = d + "/nginx.conf";
        const std::string log = d + "/log";
        pid_ = ::fork();
        if (pid_ == 0) {
            ::execlp("nginx", "nginx", "-e", log.c_str(), "-p", d.c_str(), "-c", config.c_str(),
                     static_cast<char*>(nullptr));
            ::execl("/usr/sbin/nginx", "nginx", "-e", log.c_str(), "-p", d.c_str(), "-c", config.c_str(),
                    static_cast<char*>(nullptr));
            ::_exit(127);
        }
    }

private:
    std::filesystem::path directory_;
    pid_t pid_ = -1;
};

Task<std::string> fetch(Client& client, Url url, std::string method, bool follow) {
    Request request;
    request.method = std::move(method);
    request.url = std::move(url);
    request.follow_redirects = follow;
    auto response = co_await client.send(patiently(), std::move(request));
    if (!response) co_return response.error().to_string();
    auto body = co_await response->read_all(patiently(), 1u << 20);
    co_return std::to_string(response->status()) + " " + (body ? *body : body.error().to_string());
}

Task<void> check_nginx(Loop& loop, const net::EgressGuard& guard, std::uint16_t port) {
    // Wait until it listens: connection refused is the only error that is retried.
    for (const Context ctx = patiently(); !co_await net::connect(ctx, {.address = "127.0.0.1", .port = port});) {
        CO_ASSERT_OK(co_await sleep_for(ctx, milliseconds(20)));
    }
    Client client(loop, guard);
    for (int i = 0; i < 5; ++i) EXPECT_EQ(co_await fetch(client, url_of(port, "/hello"), "GET", false), "200 hello");
    EXPECT_EQ(co_await fetch(client, url_of(port, "/hello"), "HEAD", false), "200 ");
    EXPECT_EQ(co_await fetch(client, url_of(port, "/none"), "GET", false), "204 ");
    EXPECT_EQ(co_await fetch(client, url_of(port, "/away"), "GET", true), "200 hello");
    EXPECT_EQ((co_await fetch(client, url_of(port, "/large.txt"), "GET", false)).size(), 500'004u);
    Request request;
    request.url = url_of(port, "/large.txt");
    request.headers.add("Accept-Encoding", "gzip");  // nginx compresses on the fly: a chunked answer
    auto response = co_await client.send(patiently(), std::move(request));
    CO_ASSERT_OK(response);
    EXPECT_FALSE(response->body_length());
    const auto body = co_await response->read_all(patiently(), 1u << 20);
    CO_ASSERT_OK(body);
    EXPECT_EQ(body->substr(0, 2), "\x1f\x8b");
}

TEST_F(PeersTest, OurClientUnderstandsNginx) {
    if (!installed("nginx") && !std::filesystem::exists("/usr/sbin/nginx")) GTEST_SKIP() << "nginx is not installed";
    std::uint16_t port = 0;
    {
        auto listener = net::TcpListener::listen(loop_, {});
        ASSERT_TRUE(listener);
        port = (*listener)->port();
    }
    Nginx nginx;
    nginx.start(port);
    run(check_nginx(loop_, guard_, port));
}

}  // namespace
}  // namespace gantry::http::testing
