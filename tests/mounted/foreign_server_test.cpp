#include <gtest/gtest.h>
#include <httplib.h>

#include <atomic>
#include <latch>
#include <thread>

#include "gantry/client.hpp"
#include "gantry/server.hpp"

namespace gantry {
namespace {

/// The adapter that a program writes once: its server's request to the mount, the response back.
void pass_on(const Mount& mount, const httplib::Request& in, httplib::Response& out) {
    MountRequest request{.method = in.method, .body = in.body, .peer_address = in.remote_addr};
    request.headers.assign(in.headers.begin(), in.headers.end());
    auto response = mount.handle(std::move(request));
    if (!response) return static_cast<void>(out.status = 503);
    out.status = response->status();
    std::string type;
    for (const auto& [name, value] : response->headers()) {
        if (name == "Content-Type") {
            type = value;
        } else {
            out.set_header(name, value);
        }
    }
    if (response->length() == 0) return;
    // Called after this function, until the body is complete. The response lives as long as the provider.
    const auto body = std::make_shared<MountResponse>(*std::move(response));
    out.set_chunked_content_provider(type, [body](std::size_t, httplib::DataSink& sink) {
        const auto piece = body->read();
        if (!piece) return false;  // closes the connection
        if (*piece) return sink.write((*piece)->data(), (*piece)->size());
        sink.done();
        return true;
    });
}

/// A program's own HTTP server: a page of its own, and MCP below a path of its choice.
class ForeignServer {
public:
    explicit ForeignServer(const Mount& mount) {
        // One for each connection, however long it lives.
        server_.new_task_queue = [] { return new httplib::ThreadPool(32); };
        server_.Get("/about", [](const httplib::Request&, httplib::Response& out) {
            out.set_content("a page of the program", "text/plain");
        });
        const auto handler = [mount](const httplib::Request& in, httplib::Response& out) { pass_on(mount, in, out); };
        server_.Post("/api/tools", handler);
        server_.Get("/api/tools", handler);
        server_.Delete("/api/tools", handler);
        server_.Options("/api/tools", handler);
        port_ = server_.bind_to_any_port("127.0.0.1");
        thread_ = std::thread([this] { server_.listen_after_bind(); });
        // listen_after_bind() accepts what the kernel has queued since the port was bound.
    }
    ~ForeignServer() {
        // stop() has no effect before the server runs.
        while (!server_.is_running()) std::this_thread::yield();
        server_.stop();
        thread_.join();
    }

    std::string url(const std::string& path) const { return "http://127.0.0.1:" + std::to_string(port_) + path; }
    int port() const { return port_; }

private:
    httplib::Server server_;
    int port_ = 0;
    std::thread thread_;
};

struct AddArgs {
    double a;
    double b;
};
GANTRY_DESCRIBE(AddArgs, (a, "first summand"), (b, "second summand"))

struct NameForm {
    std::string name;
};
GANTRY_DESCRIBE(NameForm, (name, "whom to greet"))

class MountedInAForeignServer : public testing::TestWithParam<Era> {
protected:
    MountedInAForeignServer() {
        EXPECT_TRUE(
            server.add_tool("add", "Adds", [](const AddArgs& args) -> Result<double> { return args.a + args.b; }));
        EXPECT_TRUE(server.add_tool("ask", "Asks for a name", [](ServedCall& call) -> Result<std::string> {
            call.progress(1, 2, "asking");
            auto answer = call.elicit("name", {.message = "Who are you?", .requested_schema = schema_of<NameForm>()});
            if (!answer) return std::unexpected(answer.error());
            return "Hello " + *answer->content->find("name")->if_string();
        }));
        auto mounted = server.mount();
        EXPECT_TRUE(mounted) << mounted.error().to_string();
        foreign.emplace(*mounted);
    }
    ~MountedInAForeignServer() override {
        // Our streams end first, so that the threads of the foreign server are free to end.
        server.stop();
        server.wait();
    }

    Client connect_here() {
        ConnectOptions options{.server = HttpServer{.url = foreign->url("/api/tools")}, .era = GetParam()};
        options.handlers.elicit = [](const mcp::ElicitParams&) -> Result<mcp::ElicitResult> {
            mcp::ElicitResult answer;
            answer.action = mcp::ElicitAction::kAccept;
            answer.content = JsonObject{{"name", "Ann"}};
            return answer;
        };
        options.handlers.on_list_changed = [this](std::string_view) {
            changed = true;
            changed.notify_all();
        };
        auto client = connect(std::move(options));
        if (!client) throw std::runtime_error(client.error().to_string());
        return *std::move(client);
    }

    Server server{"mounted", "1"};
    std::atomic<bool> changed = false;
    std::optional<ForeignServer> foreign;
};
INSTANTIATE_TEST_SUITE_P(BothEras, MountedInAForeignServer, testing::Values(Era::kLegacy, Era::kModern),
                         [](const auto& era) { return std::string(era.param == Era::kLegacy ? "legacy" : "modern"); });

TEST_P(MountedInAForeignServer, ServesBesideItsOwnPages) {
    Client client = connect_here();
    const auto tools = client.list_tools();
    ASSERT_TRUE(tools) << tools.error().to_string();
    EXPECT_EQ(tools->size(), 2u);
    EXPECT_EQ(client.call("add", {{"a", 1}, {"b", 2.5}})->text(), "3.5");
    const auto page = httplib::Client("127.0.0.1", foreign->port()).Get("/about");
    ASSERT_TRUE(page);
    EXPECT_EQ(page->body, "a page of the program");
}

TEST_P(MountedInAForeignServer, StreamsProgressAndQuestions) {
    Client client = connect_here();
    std::atomic<int> told = 0;
    const auto result = client.call("ask", {}, {.on_progress = [&](const mcp::Progress&) { ++told; }});
    ASSERT_TRUE(result) << result.error().to_string();
    EXPECT_EQ(result->text(), "Hello Ann");
    EXPECT_GE(told, 1);
}

TEST_P(MountedInAForeignServer, ListenersHearOfChanges) {
    Client client = connect_here();
    ASSERT_TRUE(client.list_tools());
    // The listening stream opens asynchronously: change the list until a notification arrives.
    std::jthread changing([&](const std::stop_token& stop) {
        while (!stop.stop_requested() && !changed) {
            EXPECT_TRUE(server.add_tool("late", "Came late", []() -> Result<std::string> { return "x"; }));
            std::this_thread::yield();
        }
    });
    changed.wait(false);
    changing.request_stop();
    changing.join();
    EXPECT_EQ(client.list_tools({.refresh = true})->size(), 3u);
}

TEST_P(MountedInAForeignServer, ManyClientsAtOnce) {
    std::atomic<int> right = 0;
    std::vector<std::jthread> threads;
    for (int i = 0; i < 3; ++i) {
        threads.emplace_back([&, i] {
            Client client = connect_here();
            for (int n = 0; n < 10; ++n) {
                if (client.call("add", {{"a", i}, {"b", n}})->text() == std::to_string(i + n)) ++right;
            }
        });
    }
    threads.clear();
    EXPECT_EQ(right, 30);
}

}  // namespace
}  // namespace gantry
