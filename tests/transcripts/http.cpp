// The server behind a URL: requests are held until the transcript specifies their answers.

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <list>

#include "io/http/client.hpp"
#include "io/http/server.hpp"
#include "io/net/egress.hpp"
#include "io/sync.hpp"
#include "mcp/transport/http_sse.hpp"
#include "mcp/transport/streamable_http.hpp"
#include "transcripts/wire.hpp"

namespace gantry::mcp::testing {
namespace {

/// The transcript's answer to a held request.
struct Answer {
    enum class Kind : std::uint8_t { kWhole, kStart, kEvent, kEnd, kCut, kGone } kind = Kind::kWhole;
    int status = 0;
    http::Headers headers;
    std::string body;
};

/// A request from the client, for as long as its exchange lives.
struct Held {
    std::string label;  // empty: not yet matched with the transcript
    std::string method;
    std::string target;
    http::Headers headers;
    std::string body;
    std::deque<Answer> answers;
    bool failed = false;
    bool over = false;

    std::string to_text() const { return method + " " + target + " " + body; }
};

bool fits(const Held& held, const std::string& request, const std::vector<std::string>& details) {
    if (request != held.method + " " + held.target) return false;
    bool body_told = false;
    for (const std::string& detail : details) {
        if (detail.front() == '{' || detail.front() == '[') {
            body_told = true;
            const auto expected = Json::parse(detail);
            const auto sent = Json::parse(held.body);
            if (!expected || !sent || !(*sent == *expected)) return false;
        } else if (detail.front() == '!') {
            if (held.headers.get(detail.substr(1))) return false;
        } else {
            const auto colon = detail.find(": ");
            const auto value = held.headers.get(detail.substr(0, colon));
            if (!value || *value != detail.substr(colon + 2)) return false;
        }
    }
    return body_told || held.body.empty();
}

class HttpServerPlay final : public PlayedServer {
public:
    explicit HttpServerPlay(bool old)
        : old_(old), client_(Loop::current(), guard_), server_(Loop::current(), {}, handler()) {
        if (auto started = server_.start(); !started) ADD_FAILURE() << started.error().to_string();
    }

    Route route() override {
        HttpConfig http;
        http.url = *Url::parse("http://127.0.0.1:" + std::to_string(server_.port()) + (old_ ? "/sse" : "/mcp"));
        http.client = &client_;
        Route route;
        if (old_) {
            route.transport = std::make_unique<HttpSseTransport>(HttpSseConfig{.http = http});
            route.wire = Wire::kPipe;
        } else {
            StreamableHttpConfig config{.http = http};
            config.resume_delay = milliseconds(20);
            route.transport = std::make_unique<StreamableHttpTransport>(config);
            route.wire = Wire::kHttp;
        }
        return route;
    }

    Task<bool> expect(const Line& line) override {
        const auto space = line.text.find(' ');
        const std::string label = line.text.substr(0, space);
        const std::string request = line.text.substr(space + 1);
        if (request == "gone") co_return co_await give(label, {.kind = Answer::Kind::kGone});
        const Context ctx = watchdog();
        for (;;) {
            for (Held& held : held_) {
                if (!held.label.empty() || !fits(held, request, line.details)) continue;
                held.label = label;
                co_return true;
            }
            if (!co_await changed_.wait(ctx)) break;
        }
        ADD_FAILURE() << "the client did not send that but\n" << unmet();
        co_return false;
    }

    Task<bool> say(const Line& line) override {
        const auto space = line.text.find(' ');
        co_return co_await give(line.text.substr(0, space), parse(line.text.substr(space + 1), line.details));
    }

    Task<void> end(bool complain) override {
        client_.close();
        co_await server_.stop(milliseconds(100));
        if (complain && !unmet().empty()) ADD_FAILURE() << "the transcript does not have\n" << unmet();
    }

private:
    http::Handler handler() {
        return [this](const Context& ctx, http::Exchange& exchange) { return serve(ctx, exchange); };
    }

    Task<void> serve(const Context& ctx, http::Exchange& exchange) {
        Held& held = held_.emplace_back();
        held.method = exchange.method();
        held.target = exchange.target();
        held.headers = exchange.headers();
        held.body = (co_await exchange.read_all(ctx, 1u << 20)).value_or("unreadable");
        while (!held.over) {
            changed_.pulse();
            while (held.answers.empty()) {
                if (!co_await changed_.wait(ctx)) co_return;
            }
            held.failed = !co_await carry_out(ctx, exchange, held.answers.front(), held.over);
            held.answers.pop_front();
        }
        changed_.pulse();
    }

    static Task<bool> carry_out(const Context& ctx, http::Exchange& exchange, const Answer& answer, bool& over) {
        switch (answer.kind) {
            case Answer::Kind::kWhole:
                over = true;
                co_return (co_await exchange.respond(ctx, answer.status, answer.headers, answer.body)).has_value();
            case Answer::Kind::kStart:
                co_return (co_await exchange.start(ctx, answer.status, answer.headers)).has_value();
            case Answer::Kind::kEvent: co_return (co_await exchange.write(ctx, answer.body)).has_value();
            case Answer::Kind::kEnd: over = true; co_return (co_await exchange.finish(ctx)).has_value();
            case Answer::Kind::kCut: over = true; co_return true;  // a handler that ends early cuts the connection
            case Answer::Kind::kGone: {
                over = true;
                auto gone = co_await exchange.wait_for_disconnect(ctx);
                co_return gone.error().code() == ErrorCode::kConnection;
            }
        }
        co_return false;
    }

    static Answer parse(std::string text, const std::vector<std::string>& details) {
        if (text == "end") return {.kind = Answer::Kind::kEnd};
        if (text == "cut") return {.kind = Answer::Kind::kCut};
        Answer answer;
        if (text[0] < '1' || text[0] > '5') {
            answer.kind = Answer::Kind::kEvent;
            for (auto bar = text.find(" | "); bar != std::string::npos; bar = text.find(" | "))
                text.replace(bar, 3, "\n");
            answer.body = text + "\n\n";
            return answer;
        }
        answer.status = std::stoi(text);
        for (const std::string& detail : details) {
            const auto colon = detail.find(": ");
            if (detail.front() == '{' || detail.front() == '[') {
                answer.body = detail;
            } else {
                answer.headers.add(detail.substr(0, colon), detail.substr(colon + 2));
            }
        }
        if (text.size() > 4) answer.headers.add("Content-Type", text.substr(4));
        if (text.ends_with("text/event-stream")) answer.kind = Answer::Kind::kStart;
        return answer;
    }

    Task<bool> give(std::string label, Answer answer) {
        const auto held = std::ranges::find(held_, label, &Held::label);
        if (held == held_.end() || held->over) {
            ADD_FAILURE() << "no request '" << label << "' is waiting";
            co_return false;
        }
        held->answers.push_back(std::move(answer));
        changed_.pulse();
        const Context ctx = watchdog();
        while (!held->answers.empty()) {
            if (!co_await changed_.wait(ctx)) break;
        }
        if (held->failed || !held->answers.empty()) ADD_FAILURE() << "the client did not take it";
        co_return !held->failed && held->answers.empty();
    }

    std::string unmet() const {
        std::string all;
        for (const Held& held : held_) {
            if (held.label.empty()) all += held.to_text() + "\n";
        }
        return all;
    }

    bool old_;
    net::EgressGuard guard_;
    http::Client client_;
    std::list<Held> held_;
    Event changed_;
    http::Server server_;
};

}  // namespace

std::unique_ptr<PlayedServer> played_over_streamable_http() {
    return std::make_unique<HttpServerPlay>(false);
}

std::unique_ptr<PlayedServer> played_over_http_sse() {
    return std::make_unique<HttpServerPlay>(true);
}

}  // namespace gantry::mcp::testing
