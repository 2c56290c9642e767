// An accepted request head is parsed identically however it is split, and again after we have
// serialized it.
#include <cstdint>
#include <cstdlib>

#include "io/http/framing.hpp"
#include "io/http/head.hpp"
#include "io/http/write_head.hpp"

using namespace gantry::http;

namespace {

void require(bool condition) {
    if (!condition) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    HeadScanner whole;
    HeadScanner piecemeal;
    const auto end = whole.scan(text, {});
    Accepted<std::size_t> cut_end = std::size_t{0};
    for (std::size_t cut = 1; cut <= size && cut_end && *cut_end == 0; ++cut) {
        cut_end = piecemeal.scan(text.substr(0, cut), {});
    }
    require(end.has_value() == cut_end.has_value());
    if (!end) return 0;
    require(*end == *cut_end);
    if (*end == 0) return 0;

    RequestHead head;
    if (!parse_request_head(text.substr(0, *end), head)) return 0;
    for (std::size_t i = 0; i < head.headers.size(); ++i) {
        require(Headers::valid_name(head.headers[i].name) && Headers::valid_value(head.headers[i].value));
    }
    const auto rules = judge_request(head);
    if (!rules) return 0;

    Headers forwarded;
    copy_end_to_end(head.headers, forwarded);
    std::string again;
    const auto host = head.headers.get("host").value_or("h");
    require(append_request_head(again,
                                {.method = head.method, .target = head.target, .authority = host, .user_agent = ""},
                                forwarded, rules->body)
                .has_value());
    HeadScanner scanner;
    const auto again_end = scanner.scan(again, {.bytes = 1u << 20, .fields = 100});
    require(again_end && *again_end == again.size());
    RequestHead second = head;  // old contents must not show through
    require(parse_request_head(again, second).has_value());
    RequestHead alone;
    require(parse_request_head(again, alone).has_value());
    require(second.headers.size() == alone.headers.size());
    for (std::size_t i = 0; i < alone.headers.size(); ++i) {
        require(second.headers.line(i) == alone.headers.line(i) &&
                second.headers.name_of(i) == alone.headers.name_of(i));
        require(second.headers[i].name == alone.headers[i].name && second.headers[i].value == alone.headers[i].value);
    }
    require(second.method == head.method && second.target == head.target);
    const auto second_rules = judge_request(second);
    require(second_rules && second_rules->body == rules->body);
    return 0;
}
