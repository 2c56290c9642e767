#include "io/http/head.hpp"

#include <cstring>

#include "io/http/ascii.hpp"

namespace gantry::http {
namespace {

struct FieldLine {
    std::string_view name;
    std::string_view value;
};

Accepted<FieldLine> split_field(std::string_view line) {
    const char* const begin = line.data();
    const char* const end = begin + line.size();
    if (is_blank(*begin)) return refuse("folded header line");
    const char* at = begin;
    while (at != end && is_token_char(*at)) ++at;
    if (at == end) return refuse("header line without a colon");
    if (*at != ':') return refuse(is_blank(*at) ? "blank before the colon" : "bad header name");
    if (at == begin) return refuse("empty header name");
    const std::string_view name(begin, static_cast<std::size_t>(at - begin));
    ++at;
    if (at != end && *at == ' ') ++at;  // the usual spelling
    std::string_view value(at, static_cast<std::size_t>(end - at));
    if (!value.empty() && (is_blank(*at) || is_blank(*(end - 1)))) value = trim_blanks(value);
    if (!is_field_text(value)) return refuse("control character in a header value");
    return FieldLine{.name = name, .value = value};
}

/// Without its CRLF, which HeadScanner has verified.
std::string_view first_line(std::string_view text) {
    const std::size_t end = text.find('\n');
    return text.substr(0, end == 0 || end == std::string_view::npos ? 0 : end - 1);
}

/// The minor version of "HTTP/1.x", or the status to reject with.
Accepted<int> parse_version(std::string_view text) {
    if (text == "HTTP/1.1") return 1;
    if (text == "HTTP/1.0") return 0;
    const bool looks_like_http =
        text.size() == 8 && text.starts_with("HTTP/") && is_digit(text[5]) && text[6] == '.' && is_digit(text[7]);
    return looks_like_http ? refuse("HTTP version not supported", 505) : refuse("bad HTTP version");
}

}  // namespace

Error Refusal::to_error() const {
    const bool limit = status == 431 || status == 413;
    return {limit ? ErrorCode::kLimit : ErrorCode::kProtocol, "HTTP: " + std::string(reason)};
}

Accepted<std::size_t> HeadScanner::scan(std::string_view bytes, const HeadLimits& limits) {
    while (seen_ < bytes.size()) {
        const void* found = std::memchr(bytes.data() + seen_, '\n', bytes.size() - seen_);
        if (!found) {
            seen_ = bytes.size();
            break;
        }
        const auto at = static_cast<std::size_t>(static_cast<const char*>(found) - bytes.data());
        if (at == line_ || bytes[at - 1] != '\r') return refuse("line ends in LF without CR");
        if (at + 1 > limits.bytes) return refuse("head too large", 431);
        const bool empty = at - 1 == line_;
        seen_ = line_ = at + 1;
        if (empty) {
            if (lines_ == 0) return refuse("empty start line");
            return seen_;
        }
        if (++lines_ > limits.fields + 1) return refuse("too many header fields", 431);
    }
    if (bytes.size() >= limits.bytes) return refuse("head too large", 431);
    return std::size_t{0};
}

/// Copies the head once and points the fields into the copy. Peers repeat nearly identical heads: a line identical to
/// the one at the same position in the previous head needs no validation.
class HeadParser {
public:
    static Accepted<void> fields(std::string_view head, std::size_t start, Headers& out) {
        const std::size_t before = out.parsed_ ? out.spans_.size() : 0;
        out.parsed_ = false;
        if (out.spans_.capacity() == 0) out.spans_.reserve(16);
        std::size_t count = 0;
        for (std::size_t at = start; at < head.size(); ++count) {
            const std::string_view rest = head.substr(at);
            const std::string_view known = count < before ? line_before(out, count, before) : std::string_view();
            if (!known.empty() && rest.starts_with(known)) {
                move_to(out.spans_[count], at);
                at += known.size();
                continue;
            }
            const std::string_view line = first_line(rest);
            if (line.empty()) break;
            const auto field = split_field(line);
            if (!field) {
                out.clear();
                return std::unexpected(field.error());
            }
            put(out, count, span_of(*field, head));
            at += line.size() + 2;
        }
        out.spans_.resize(count);
        if (out.bytes_.capacity() > Headers::kKept) std::string().swap(out.bytes_);
        out.bytes_.assign(head);
        out.checked_ = true;
        out.parsed_ = true;
        return {};
    }

private:
    using Span = Headers::Span;

    /// Including its line end. The spans of this line and all following ones are still those of the previous head.
    static std::string_view line_before(const Headers& out, std::size_t index, std::size_t count) {
        constexpr std::size_t kEmptyLine = 2;
        const std::size_t begin = out.spans_[index].name;
        const std::size_t end = index + 1 < count ? out.spans_[index + 1].name : out.bytes_.size() - kEmptyLine;
        return std::string_view(out.bytes_).substr(begin, end - begin);
    }
    static void move_to(Span& span, std::size_t at) {
        const auto by = static_cast<std::uint32_t>(at) - span.name;  // modulo 2^32, so backwards too
        span.name += by;
        span.value += by;
    }
    static Span span_of(const FieldLine& field, std::string_view head) {
        const char* const base = head.data();
        return {.name = static_cast<std::uint32_t>(field.name.data() - base),
                .name_size = static_cast<std::uint32_t>(field.name.size()),
                .value = static_cast<std::uint32_t>(field.value.data() - base),
                .value_size = static_cast<std::uint32_t>(field.value.size()),
                .known = field_name(field.name)};
    }
    static void put(Headers& out, std::size_t index, const Span& span) {
        if (index < out.spans_.size()) {
            out.spans_[index] = span;
        } else {
            out.spans_.push_back(span);
        }
    }
};

Accepted<void> parse_request_head(std::string_view head, RequestHead& out) {
    std::string_view line = first_line(head);
    const std::size_t start = line.size() + 2;

    std::size_t end = 0;
    while (end < line.size() && is_token_char(line[end])) ++end;
    if (end == 0 || end == line.size() || line[end] != ' ') return refuse("bad method");
    out.method.assign(line.substr(0, end));
    line.remove_prefix(end + 1);

    end = line.find(' ');
    if (end == 0 || end == std::string_view::npos) return refuse("bad request line");
    const std::string_view target = line.substr(0, end);
    if (!is_visible(target) || target.find('#') != std::string_view::npos) return refuse("bad request target");
    out.target.assign(target);

    const auto minor = parse_version(line.substr(end + 1));
    if (!minor) return std::unexpected(minor.error());
    out.minor = *minor;
    return HeadParser::fields(head, start, out.headers);
}

Accepted<void> parse_response_head(std::string_view head, ResponseHead& out) {
    const std::string_view line = first_line(head);
    const std::size_t start = line.size() + 2;

    const auto minor = parse_version(line.substr(0, 8));
    if (!minor) return refuse("bad HTTP version in the status line");
    out.minor = *minor;
    // The blank after the code is required even without a reason, but enough servers omit it.
    if (line.size() < 12 || line[8] != ' ' || (line.size() > 12 && line[12] != ' ')) return refuse("bad status line");
    int status = 0;
    for (const char c : line.substr(9, 3)) {
        if (!is_digit(c)) return refuse("bad status code");
        status = status * 10 + (c - '0');
    }
    if (status < 100 || status > 599) return refuse("bad status code");
    out.status = status;
    const std::string_view reason = line.size() > 13 ? line.substr(13) : std::string_view();
    if (!is_field_text(reason)) return refuse("control character in the reason");
    out.reason.assign(reason);
    return HeadParser::fields(head, start, out.headers);
}

Accepted<void> check_field_line(std::string_view line) {
    if (const auto field = split_field(line); !field) return std::unexpected(field.error());
    return {};
}

}  // namespace gantry::http
