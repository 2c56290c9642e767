#include "io/http/write_head.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <ctime>

#include "io/http/ascii.hpp"

namespace gantry::http {
namespace {

void append_number(std::string& out, std::uint64_t value) {
    std::array<char, 20> digits;
    const auto [end, error] = std::to_chars(digits.data(), digits.data() + digits.size(), value);
    out.append(digits.data(), end);
}

void append_framing(std::string& out, Framing body) {
    if (body.kind == Framing::Kind::kLength) {
        out.append("Content-Length: ");
        append_number(out, body.length);
        out.append("\r\n");
    } else if (body.kind == Framing::Kind::kChunked) {
        out.append("Transfer-Encoding: chunked\r\n");
    }
}

Result<void> check_field(std::string_view name, std::string_view value) {
    if (!Headers::valid_name(name)) return fail(ErrorCode::kInvalidArgument, "HTTP header name is not a token");
    if (Headers::valid_value(value)) return {};
    return fail(ErrorCode::kInvalidArgument, "HTTP header \"" + std::string(name) + "\" has a control character");
}

/// The caller's fields except those set here.
Result<void> append_fields(std::string& out, const Headers& headers, bool request) {
    const bool check = !headers.all_checked();
    for (std::size_t i = 0; i < headers.size(); ++i) {
        const auto [name, value] = headers[i];
        if (check) {
            if (auto checked = check_field(name, value); !checked) return checked;
        }
        if (is_hop_by_hop(name) || equal_ignoring_case(name, "content-length")) continue;
        if (request && equal_ignoring_case(name, "host")) continue;
        if (const std::string_view line = headers.line(i); !line.empty()) {
            out.append(line);
        } else {
            out.append(name).append(": ").append(value).append("\r\n");
        }
    }
    return {};
}

/// "Sun, 06 Nov 1994 08:49:37 GMT", computed once per second and thread.
std::string_view http_date() {
    thread_local std::time_t made_at = -1;
    thread_local std::array<char, 32> text{};
    const std::time_t now = std::time(nullptr);
    if (now != made_at) {
        constexpr std::array kDays{"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
        constexpr std::array kMonths{"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                     "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
        std::tm utc{};
        gmtime_r(&now, &utc);
        // strftime's names depend on the locale; these must not.
        std::array<char, 32> format{};
        std::snprintf(format.data(), format.size(), "%s, %%d %s %%Y %%H:%%M:%%S GMT",
                      kDays[static_cast<std::size_t>(utc.tm_wday)], kMonths[static_cast<std::size_t>(utc.tm_mon)]);
        std::strftime(text.data(), text.size(), format.data(), &utc);
        made_at = now;
    }
    return text.data();
}

/// Rolls back what was appended unless keep() was called.
class Appending {
public:
    explicit Appending(std::string& out) : out_(out), size_(out.size()) {}
    ~Appending() {
        if (!kept_) out_.resize(size_);
    }
    void keep() { kept_ = true; }

private:
    std::string& out_;
    std::size_t size_;
    bool kept_ = false;
};

}  // namespace

Result<void> append_request_lines(std::string& out, const RequestLine& line, const Headers& headers) {
    if (!Headers::valid_name(line.method)) return fail(ErrorCode::kInvalidArgument, "HTTP method is not a token");
    if (line.target.empty() || !is_visible(line.target)) {
        return fail(ErrorCode::kInvalidArgument, "HTTP request target has a blank or control character");
    }
    if (!is_visible(line.authority) || !Headers::valid_value(line.user_agent)) {
        return fail(ErrorCode::kInvalidArgument, "HTTP authority or user agent has a control character");
    }
    Appending appending(out);
    out.append(line.method).append(" ").append(line.target).append(" HTTP/1.1\r\nHost: ").append(line.authority);
    out.append("\r\n");
    if (auto written = append_fields(out, headers, true); !written) return written;
    if (!line.user_agent.empty() && !headers.get("user-agent")) {
        out.append("User-Agent: ").append(line.user_agent).append("\r\n");
    }
    appending.keep();
    return {};
}

Result<void> append_field(std::string& out, std::string_view name, std::string_view value) {
    if (auto checked = check_field(name, value); !checked) return checked;
    out.append(name).append(": ").append(value).append("\r\n");
    return {};
}

void finish_request_head(std::string& out, Framing body) {
    append_framing(out, body);
    out.append("\r\n");
}

Result<void> append_request_head(std::string& out, const RequestLine& line, const Headers& headers, Framing body) {
    if (auto written = append_request_lines(out, line, headers); !written) return written;
    finish_request_head(out, body);
    return {};
}

Result<void> append_response_head(std::string& out, const StatusLine& line, const Headers& headers, Framing body) {
    if (line.status < 100 || line.status > 599) return fail(ErrorCode::kInvalidArgument, "bad HTTP status");
    Appending appending(out);
    out.append("HTTP/1.1 ");
    append_number(out, static_cast<std::uint64_t>(line.status));
    out.append(" ").append(reason_phrase(line.status)).append("\r\n");
    if (auto written = append_fields(out, headers, false); !written) return written;
    if (line.add_date && !headers.get("date")) out.append("Date: ").append(http_date()).append("\r\n");
    append_framing(out, body);
    if (!line.keep_alive) {
        out.append("Connection: close\r\n");
    } else if (line.peer_minor == 0) {
        out.append("Connection: keep-alive\r\n");
    }
    out.append("\r\n");
    appending.keep();
    return {};
}

std::string_view reason_phrase(int status) noexcept {
    switch (status) {
        case 100: return "Continue";
        case 200: return "OK";
        case 201: return "Created";
        case 202: return "Accepted";
        case 204: return "No Content";
        case 206: return "Partial Content";
        case 301: return "Moved Permanently";
        case 302: return "Found";
        case 303: return "See Other";
        case 304: return "Not Modified";
        case 307: return "Temporary Redirect";
        case 308: return "Permanent Redirect";
        case 400: return "Bad Request";
        case 401: return "Unauthorized";
        case 403: return "Forbidden";
        case 404: return "Not Found";
        case 405: return "Method Not Allowed";
        case 406: return "Not Acceptable";
        case 408: return "Request Timeout";
        case 409: return "Conflict";
        case 411: return "Length Required";
        case 413: return "Content Too Large";
        case 415: return "Unsupported Media Type";
        case 417: return "Expectation Failed";
        case 421: return "Misdirected Request";
        case 422: return "Unprocessable Content";
        case 426: return "Upgrade Required";
        case 429: return "Too Many Requests";
        case 431: return "Request Header Fields Too Large";
        case 500: return "Internal Server Error";
        case 501: return "Not Implemented";
        case 502: return "Bad Gateway";
        case 503: return "Service Unavailable";
        case 504: return "Gateway Timeout";
        case 505: return "HTTP Version Not Supported";
        default: return status < 400 ? "OK" : "Error";
    }
}

}  // namespace gantry::http
