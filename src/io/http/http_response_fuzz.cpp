// An accepted response head leads to the same framing after it was relayed.
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
    HeadScanner scanner;
    const auto end = scanner.scan(text, {});
    if (!end || *end == 0) return 0;
    ResponseHead head;
    if (!parse_response_head(text.substr(0, *end), head)) return 0;
    const auto rules = judge_response("GET", head);
    if (!rules) return 0;

    Headers forwarded;
    copy_end_to_end(head.headers, forwarded);
    std::string again;
    require(append_response_head(again, {.status = head.status, .keep_alive = rules->keep_alive, .add_date = false},
                                 forwarded, rules->body)
                .has_value());
    HeadScanner second_scanner;
    const auto again_end = second_scanner.scan(again, {.bytes = 1u << 20, .fields = 100});
    require(again_end && *again_end == again.size());
    ResponseHead second;
    require(parse_response_head(again, second).has_value());
    require(second.status == head.status);
    const auto second_rules = judge_response("GET", second);
    require(second_rules.has_value());
    if (rules->body != Framing::none()) require(second_rules->body == rules->body);
    return 0;
}
