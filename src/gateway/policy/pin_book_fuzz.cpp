#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "gateway/policy/pin_book.hpp"

namespace {

using gantry::Json;
using gantry::gateway::PinBook;

std::string digest(std::string_view text) {
    return std::to_string(std::hash<std::string_view>()(text));
}

}  // namespace

/// pins.json with arbitrary content is either refused or survives a round trip unchanged, and every change can be
/// accepted until none is left.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    PinBook log(&digest);
    if (log.apply({reinterpret_cast<const char*>(data), size}).has_value() && log.size() != 1) std::abort();
    const auto json = Json::parse({reinterpret_cast<const char*>(data), size});
    if (!json) return 0;
    PinBook book(&digest);
    if (!book.restore(*json)) return 0;
    const Json written = book.to_json();
    PinBook again(&digest);
    if (!again.restore(written) || again.to_json() != written) std::abort();
    for (const PinBook::Place& place : book.all_changed()) {
        if (!book.changed(place.source, place.tool) || !book.accept(place.source, place.tool)) std::abort();
    }
    if (!book.all_changed().empty()) std::abort();
    return 0;
}
