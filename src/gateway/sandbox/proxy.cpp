#include "gateway/sandbox/proxy.hpp"

#include <algorithm>
#include <charconv>
#include <set>

#include "io/http/forward_proxy.hpp"
#include "io/net/address.hpp"
#include "io/net/tcp.hpp"

namespace gantry::gateway::sandbox {

namespace {

// Limits the notes about one server that tries many hosts.
constexpr std::size_t kMaxTold = 32;

net::EgressRules only_outside() {
    net::EgressRules rules;
    rules.allow_loopback = rules.allow_private = rules.allow_link_local = false;
    return rules;
}

bool means_inside(const std::string& host) {
    return host == "localhost" || net::Address::parse(host).has_value();
}

std::string lower(std::string text) {
    std::ranges::transform(text, text.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return text;
}

}  // namespace

AllowList::AllowList(const std::vector<std::string>& entries, net::Resolve resolve)
    : outside_(only_outside(), resolve), anywhere_({}, resolve) {
    for (const std::string& text : entries) {
        Entry entry{.host = lower(text)};
        const auto colon = entry.host.rfind(':');
        const bool bracketed = entry.host.starts_with('[');
        if (colon != std::string::npos &&
            (entry.host.find(':') == colon || (bracketed && entry.host[colon - 1] == ']'))) {
            std::from_chars(entry.host.data() + colon + 1, entry.host.data() + entry.host.size(), entry.port);
            entry.host.resize(colon);
        }
        if (bracketed) entry.host = entry.host.substr(1, entry.host.size() - 2);
        if (entry.host.starts_with("*.")) entry.host.erase(0, 1);
        entries_.push_back(std::move(entry));
    }
}

bool AllowList::allows(const std::string& host, std::uint16_t port) const {
    return std::ranges::any_of(entries_, [&](const Entry& entry) {
        const bool named = entry.host.starts_with('.') ? host.size() > entry.host.size() && host.ends_with(entry.host)
                                                       : host == entry.host;
        return named && (entry.port == 0 ? port == 80 || port == 443 : port == entry.port);
    });
}

Task<Result<std::vector<net::Endpoint>>> AllowList::resolve(const Context& ctx, Url url) const {
    if (!allows(url.host(), url.port()))
        co_return fail(ErrorCode::kDenied,
                       "'" + url.host() + "' port " + std::to_string(url.port()) + " is not listed");
    co_return co_await (means_inside(url.host()) ? anywhere_ : outside_).resolve(ctx, url);
}

std::shared_ptr<void> start_proxy(Loop& loop, Fd listener, const std::vector<std::string>& hosts, net::Resolve resolve,
                                  std::function<void(const std::string& what)> on_note) {
    auto adopted = net::TcpListener::adopt(loop, std::move(listener));
    if (!adopted) {
        on_note("its network proxy cannot be served: " + adopted.error().message());
        return nullptr;
    }
    auto list = std::make_shared<const AllowList>(hosts, std::move(resolve));
    http::ForwardProxyOptions options;
    options.approve = [list](const Context& ctx, Url url) { return list->resolve(ctx, std::move(url)); };
    options.on_refused = [on_note, told = std::set<std::string>()](const std::string& host,
                                                                   std::uint16_t port) mutable {
        std::string what =
            "may not reach " + host + ":" + std::to_string(port) + "; add it to isolation.network if it should";
        if (told.size() < kMaxTold && told.insert(what).second) on_note(what);
    };
    return std::make_shared<http::ForwardProxy>(loop, *std::move(adopted), std::move(options));
}

}  // namespace gantry::gateway::sandbox
