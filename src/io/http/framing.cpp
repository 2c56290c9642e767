#include "io/http/framing.hpp"

#include <algorithm>

#include "io/http/ascii.hpp"

namespace gantry::http {
namespace {

/// The fields that determine framing and reuse, collected in one pass.
struct Signals {
    std::size_t hosts = 0, lengths = 0, codings = 0, expects = 0;
    std::string_view host, length, coding, expect;
    bool close = false, keep_alive = false;
};

Signals read_signals(const Headers& headers) {
    Signals s;
    for (std::size_t i = 0; i < headers.size(); ++i) {
        const FieldName name = headers.name_of(i);
        if (name == FieldName::kOther) continue;
        const std::string_view value = headers[i].value;
        switch (name) {
            case FieldName::kHost: ++s.hosts, s.host = value; break;
            case FieldName::kExpect: ++s.expects, s.expect = value; break;
            case FieldName::kContentLength: ++s.lengths, s.length = value; break;
            case FieldName::kTransferEncoding: ++s.codings, s.coding = value; break;
            case FieldName::kConnection:
                s.close |= list_contains(value, "close");
                s.keep_alive |= list_contains(value, "keep-alive");
                break;
            default: break;
        }
    }
    return s;
}

/// Body length from the two fields that may declare it; nothing if neither is present.
Accepted<std::optional<Framing>> declared_framing(const Signals& s, int minor) {
    if (s.codings != 0) {
        if (s.lengths != 0) return refuse("both Content-Length and Transfer-Encoding");
        if (minor == 0) return refuse("Transfer-Encoding in HTTP/1.0");
        if (s.codings != 1 || !equal_ignoring_case(s.coding, "chunked")) {
            return refuse("Transfer-Encoding other than chunked");
        }
        return Framing::chunked();
    }
    if (s.lengths == 0) return std::nullopt;
    if (s.lengths != 1) return refuse("repeated Content-Length");
    const auto length = parse_length(s.length);
    if (!length) return refuse("bad Content-Length");
    return Framing::of_length(*length);
}

constexpr auto kHostTable = detail::make_table("-._~%!$&'()*+;=:[]");

bool is_host_value(std::string_view host) {
    return !host.empty() && std::ranges::all_of(host, [](char c) { return kHostTable[static_cast<std::uint8_t>(c)]; });
}

/// Converts the target to origin-form (or "*").
Accepted<void> settle_target(RequestHead& head, std::string_view host) {
    const std::string_view target = head.target;
    if (target.front() == '/') return {};
    if (target == "*") {
        if (head.method == "OPTIONS") return {};
        return refuse("bad request target");
    }
    if (head.method == "CONNECT") return refuse("CONNECT is not supported", 501);
    for (const std::string_view scheme : {"http://", "https://"}) {
        if (!equal_ignoring_case(target.substr(0, scheme.size()), scheme)) continue;
        const std::string_view rest = target.substr(scheme.size());
        const std::size_t end = std::min(rest.find_first_of("/?"), rest.size());
        if (!equal_ignoring_case(rest.substr(0, end), host)) return refuse("target and Host disagree");
        std::string path(rest.substr(end));
        if (path.empty() || path.front() != '/') path.insert(0, 1, '/');
        head.target = std::move(path);
        return {};
    }
    return refuse("bad request target");
}

}  // namespace

Accepted<RequestRules> judge_request(RequestHead& head) {
    const Signals s = read_signals(head.headers);
    if (s.hosts > 1) return refuse("repeated Host");
    if (s.hosts == 0 && head.minor >= 1) return refuse("missing Host");
    if (s.hosts == 1 && !is_host_value(s.host)) return refuse("bad Host");
    if (auto settled = settle_target(head, s.host); !settled) return std::unexpected(settled.error());

    const auto framing = declared_framing(s, head.minor);
    if (!framing) return std::unexpected(framing.error());
    RequestRules rules;
    rules.body = framing->value_or(Framing::none());
    if (rules.body == Framing::of_length(0)) rules.body = Framing::none();
    rules.keep_alive = !s.close && (head.minor >= 1 || s.keep_alive);
    if (s.expects != 0 && head.minor >= 1) {
        if (s.expects != 1 || !equal_ignoring_case(s.expect, "100-continue")) return refuse("unknown Expect", 417);
        rules.expects_continue = rules.body.kind != Framing::Kind::kNone;
    }
    return rules;
}

Accepted<ResponseRules> judge_response(std::string_view method, const ResponseHead& head) {
    const Signals s = read_signals(head.headers);
    const auto framing = declared_framing(s, head.minor);
    if (!framing) return std::unexpected(framing.error());
    ResponseRules rules;
    rules.body = has_body(method, head.status) ? framing->value_or(Framing::until_close()) : Framing::none();
    if (rules.body == Framing::of_length(0)) rules.body = Framing::none();
    rules.keep_alive = !s.close && (head.minor >= 1 || s.keep_alive) && rules.body != Framing::until_close();
    return rules;
}

bool has_body(std::string_view request_method, int status) noexcept {
    return request_method != "HEAD" && status >= 200 && status != 204 && status != 304;
}

std::optional<std::uint64_t> parse_length(std::string_view text) noexcept {
    if (text.empty() || text.size() > 18) return std::nullopt;
    std::uint64_t value = 0;
    for (const char c : text) {
        if (!is_digit(c)) return std::nullopt;
        value = value * 10 + static_cast<std::uint64_t>(c - '0');
    }
    return value;
}

bool list_contains(std::string_view list, std::string_view token) noexcept {
    for (;;) {
        const std::size_t comma = list.find(',');
        if (equal_ignoring_case(trim_blanks(list.substr(0, comma)), token)) return true;
        if (comma == std::string_view::npos) return false;
        list.remove_prefix(comma + 1);
    }
}

bool is_hop_by_hop(std::string_view name) noexcept {
    switch (name.size()) {
        case 2: return equal_ignoring_case(name, "te");
        case 6: return equal_ignoring_case(name, "expect");
        case 7: return equal_ignoring_case(name, "trailer") || equal_ignoring_case(name, "upgrade");
        case 8: return equal_ignoring_case(name, "trailers");
        case 10: return equal_ignoring_case(name, "connection") || equal_ignoring_case(name, "keep-alive");
        case 14: return equal_ignoring_case(name, "http2-settings");
        case 16: return equal_ignoring_case(name, "proxy-connection");
        case 17: return equal_ignoring_case(name, "transfer-encoding");
        case 18: return equal_ignoring_case(name, "proxy-authenticate");
        case 19: return equal_ignoring_case(name, "proxy-authorization");
        default: return false;
    }
}

void copy_end_to_end(const Headers& from, Headers& to) {
    // Nearly always a single Connection field with keep-alive or close, which names no other field.
    const auto nominates = [&from](std::size_t i) {
        const auto [name, value] = from[i];
        return name.size() == 10 && equal_ignoring_case(name, "connection") &&
               !equal_ignoring_case(value, "keep-alive") && !equal_ignoring_case(value, "close");
    };
    bool any_nominated = false;
    for (std::size_t i = 0; i < from.size(); ++i) any_nominated |= nominates(i);
    const auto nominated = [&](std::string_view name) {
        for (std::size_t i = 0; i < from.size(); ++i) {
            if (nominates(i) && list_contains(from[i].value, name)) return true;
        }
        return false;
    };
    for (std::size_t i = 0; i < from.size(); ++i) {
        const auto [name, value] = from[i];
        if (is_hop_by_hop(name) || equal_ignoring_case(name, "content-length")) continue;
        if (any_nominated && nominated(name)) continue;
        to.add(name, value);
    }
}

}  // namespace gantry::http
