#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "io/sse/parser.hpp"

using gantry::sse::Event;
using gantry::sse::Parser;

namespace {

struct Outcome {
    std::vector<Event> events;
    bool failed = false;
    friend bool operator==(const Outcome&, const Outcome&) = default;
};

void take(Parser& parser, Outcome& outcome) {
    while (auto event = parser.next()) outcome.events.push_back(*std::move(event));
}

}  // namespace

// The first bytes seed the limit and the splits; whole and split input must yield the same events, and so must large
// data returned in parts.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size < 2) return 0;
    const std::size_t limit = data[0] < 128 ? 1u << 20 : data[0] - 127u;
    std::uint32_t random = data[1] * 2654435761u + 1;
    const std::string_view bytes(reinterpret_cast<const char*>(data) + 2, size - 2);

    Parser parser(limit);
    Outcome whole;
    whole.failed = !parser.feed(bytes);
    take(parser, whole);

    Parser cut_parser(limit);
    Outcome cut;
    Parser part_parser(limit);
    part_parser.hand_out_beyond(data[1] % 16);
    Outcome parts;
    std::string part;
    for (std::size_t at = 0; at < bytes.size() && !cut.failed;) {
        random = random * 1664525u + 1013904223u;
        const std::string piece(bytes.substr(at, (random >> 24) % 8));  // a copy, so that overreads are detected
        cut.failed = !cut_parser.feed(piece);
        at += piece.size();
        take(cut_parser, cut);
        parts.failed |= !part_parser.feed(piece);
        while (auto event = part_parser.next()) {
            part += event->data;
            if (event->partial) continue;
            event->data = std::exchange(part, {});
            parts.events.push_back(*std::move(event));
        }
    }
    // It fails less often: data already returned does not count towards the limit.
    if (!whole.failed && !(whole == parts)) std::abort();
    if (!(whole == cut) || parser.last_event_id() != cut_parser.last_event_id()) std::abort();

    // Returned events can be serialized and parsed again.
    std::string wire;
    for (const Event& event : whole.events)
        if (event.has_data) gantry::sse::append_event(wire, event.type, event.data, event.id, event.retry);
    Parser again(64u << 20);
    if (!again.feed(wire)) std::abort();
    for (const Event& event : whole.events) {
        if (!event.has_data) continue;
        const auto copy = again.next();
        if (!copy || copy->data != event.data || copy->id != event.id || copy->retry != event.retry) std::abort();
    }
    return 0;
}
