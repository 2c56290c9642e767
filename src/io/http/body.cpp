#include "io/http/body.hpp"

#include <algorithm>

namespace gantry::http {

void BodyReader::start(Framing framing, std::uint64_t limit) {
    framing_ = framing;
    done_ = framing.kind == Framing::Kind::kNone || framing == Framing::of_length(0);
    lent_ = 0;
    received_ = 0;
    limit_ = limit;
    if (framing.kind == Framing::Kind::kChunked) chunks_ = ChunkDecoder();
}

Accepted<std::string_view> BodyReader::take(Input& input) {
    release(input);
    if (done_ || input.empty()) return std::string_view();
    std::string_view piece;
    if (framing_.kind == Framing::Kind::kChunked) {
        const auto step = chunks_.decode(input.writable());
        if (!step) return std::unexpected(step.error());
        piece = step->data;
        lent_ = step->consumed;
        done_ = chunks_.done();
    } else {
        piece = input.bytes();
        if (framing_.kind == Framing::Kind::kLength) {
            const std::uint64_t left = framing_.length - received_;
            piece = piece.substr(0, static_cast<std::size_t>(std::min<std::uint64_t>(left, piece.size())));
            done_ = piece.size() == left;
        }
        lent_ = piece.size();
    }
    received_ += piece.size();
    if (received_ > limit_) return refuse("body too large", 413);
    if (piece.empty()) release(input);
    return piece;
}

Accepted<void> BodyReader::end_of_input() {
    if (framing_.kind != Framing::Kind::kUntilClose && !done_) return refuse("connection ended inside the body");
    done_ = true;
    return {};
}

void BodyReader::release(Input& input) noexcept {
    input.consume(lent_);
    lent_ = 0;
}

std::size_t BodyReader::expected(const Input& input) const noexcept {
    if (framing_.kind == Framing::Kind::kLength) {
        return static_cast<std::size_t>(std::min<std::uint64_t>(framing_.length - received_, Input::kBlock));
    }
    return input.last_read() >= Input::kSmall ? Input::kBlock : Input::kSmall;
}

}  // namespace gantry::http
