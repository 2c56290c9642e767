#pragma once
// Test support: a person with a browser, for logins at a real OpenID provider (tests/peers/oidc_server.mjs).

#include <map>
#include <mutex>
#include <string>
#include <string_view>

#include "auth/oauth/form.hpp"
#include "base/try.hpp"
#include "io/http/client.hpp"
#include "io/loop.hpp"
#include "io/net/egress.hpp"

namespace gantry::testing {

inline std::string between(std::string_view text, std::string_view before, std::string_view after) {
    const auto start = text.find(before);
    if (start == std::string_view::npos) return {};
    text.remove_prefix(start + before.size());
    return std::string(text.substr(0, text.find(after)));
}

/// A person with a browser: follows redirects, keeps cookies, fills in the provider's forms and consents.
class Browser {
public:
    /// The final page or redirect: where `stop` first occurs in a redirect, or the first page without a form.
    Result<std::string> visit(const std::string& url, const std::string& stop) {
        const std::lock_guard one_page_at_a_time(mutex_);
        Loop loop;
        http::Client client(loop, guard_);
        auto end = loop.run_until_done(browse(client, url, stop));
        client.close();
        return end;
    }

private:
    Task<Result<std::string>> browse(http::Client& client, std::string start, std::string stop) {
        const Context ctx = Context().within(seconds(60));
        http::Request request;
        GANTRY_CO_TRY(request.url, Url::parse(start));
        for (int steps = 0; steps < 20; ++steps) {
            const Url here = request.url;
            std::string cookies;
            for (const auto& [name, value] : cookies_) cookies += (cookies.empty() ? "" : "; ") + name + "=" + value;
            if (!cookies.empty()) request.headers.set("Cookie", cookies);
            GANTRY_CO_TRY(http::Response response, co_await client.send(ctx, std::move(request)));
            remember(response.headers());
            GANTRY_CO_TRY(const std::string page, co_await response.read_all(ctx, 1u << 20));
            request = http::Request();
            if (const auto location = response.headers().get("Location")) {
                GANTRY_CO_TRY(request.url, here.resolve(*location));
                if (!stop.empty() && request.url.text().starts_with(stop))
                    co_return Result<std::string>(request.url.text());
                continue;
            }
            const std::string prompt = between(page, "name=\"prompt\" value=\"", "\"");
            if (prompt.empty()) co_return Result<std::string>(std::to_string(response.status()) + " " + page);
            GANTRY_CO_TRY(request.url, here.resolve(between(page, "action=\"", "\"")));
            request.method = "POST";
            request.headers.set("Content-Type", "application/x-www-form-urlencoded");
            auth::Form form;
            form.add("prompt", prompt);
            if (prompt == "login") {
                form.add("login", "ada");
                form.add("password", "any");
            }
            request.body = form.text();
        }
        co_return fail(ErrorCode::kLimit, "the browser goes round in circles");
    }

    void remember(const http::Headers& headers) {
        for (std::size_t i = 0; i < headers.size(); ++i) {
            if (!http::equal_ignoring_case(headers[i].name, "set-cookie")) continue;
            const std::string_view cookie = headers[i].value.substr(0, headers[i].value.find(';'));
            const auto equals = cookie.find('=');
            if (equals == std::string_view::npos) continue;
            const std::string name(cookie.substr(0, equals));
            cookies_[name] = cookie.substr(equals + 1);
            if (cookies_[name].empty()) cookies_.erase(name);
        }
    }

    std::mutex mutex_;
    net::EgressGuard guard_;
    std::map<std::string, std::string> cookies_;
};

}  // namespace gantry::testing
