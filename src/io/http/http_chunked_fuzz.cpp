// Decoding yields the same bytes, the same end and the same rejection however the input is split, and
// decoding our own encoding restores the data.
#include <cstdint>
#include <cstdlib>
#include <optional>

#include "io/http/chunked.hpp"

using namespace gantry::http;

namespace {

void require(bool condition) {
    if (!condition) std::abort();
}

struct Outcome {
    std::string data;
    std::size_t consumed = 0;
    bool done = false;
    bool refused = false;
};

Outcome run(std::string_view text, std::size_t step) {
    ChunkDecoder decoder;
    Outcome out;
    for (std::size_t at = 0; at < text.size() && !decoder.done(); at += step) {
        std::string piece(text.substr(at, step));
        const auto taken = decoder.decode(piece);
        if (!taken) {
            out.refused = true;
            return out;
        }
        require(taken->consumed <= piece.size());
        require(taken->consumed == piece.size() || decoder.done());
        out.data += taken->data;
        out.consumed += taken->consumed;
    }
    out.done = decoder.done();
    return out;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0) return 0;
    const std::string_view text(reinterpret_cast<const char*>(data + 1), size - 1);
    const Outcome whole = run(text, text.size() + 1);
    const Outcome cut = run(text, data[0] % 16u + 1);
    require(whole.refused == cut.refused);
    if (!whole.refused) {
        require(whole.data == cut.data && whole.done == cut.done && whole.consumed == cut.consumed);
    }
    std::string encoded;
    append_chunk(encoded, text.substr(0, text.size() / 2));
    append_chunk(encoded, text.substr(text.size() / 2));
    encoded += kLastChunk;
    const Outcome back = run(encoded, data[0] % 7u + 1);
    require(back.done && back.data == text && back.consumed == encoded.size());
    return 0;
}
