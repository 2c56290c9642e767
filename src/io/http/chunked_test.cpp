#include "io/http/chunked.hpp"

#include <gtest/gtest.h>

#include "io/http/smuggling_cases.hpp"

namespace gantry::http {
namespace {

/// Feeds `text` in the given pieces; the decoded data, or nothing if rejected.
struct Decoded {
    std::string data;
    std::size_t consumed = 0;
    bool done = false;
    int refused = 0;
};

Decoded decode(std::string_view text, std::size_t first, std::size_t step = std::string::npos) {
    ChunkDecoder decoder;
    Decoded out;
    for (std::size_t at = 0; at < text.size() && !decoder.done();) {
        std::string piece(text.substr(at, at == 0 && first != 0 ? first : step));
        at += piece.size();
        const auto taken = decoder.decode(piece);
        if (!taken) {
            out.refused = taken.error().status;
            return out;
        }
        out.data += taken->data;
        out.consumed += taken->consumed;
    }
    out.done = decoder.done();
    return out;
}

constexpr std::string_view kBody =
    "5;ext=\"v\";b\r\nhello\r\n1 ;x\r\n \r\n00A\r\nworld 1234\r\n0\r\nTrailer: x\r\nB:\r\n\r\nNEXT";

TEST(ChunkDecoder, SameResultForEveryCut) {
    for (std::size_t cut = 1; cut < kBody.size(); ++cut) {
        const Decoded out = decode(kBody, cut);
        EXPECT_EQ(out.data, "hello world 1234") << cut;
        EXPECT_TRUE(out.done) << cut;
        if (cut < kBody.size() - 4) {
            EXPECT_EQ(out.consumed, kBody.size() - 4) << cut;
        }
    }
    EXPECT_EQ(decode(kBody, 1, 1).data, "hello world 1234");
}

TEST(ChunkDecoder, JoinsChunksOfOneInput) {
    std::string text(kBody);
    ChunkDecoder decoder;
    const auto step = decoder.decode(text);
    ASSERT_TRUE(step);
    EXPECT_EQ(step->data, "hello world 1234");
    EXPECT_EQ(std::string_view(text).substr(step->consumed), "NEXT");
}

TEST(ChunkDecoder, RefusesEveryBadFormWholeAndByteByByte) {
    for (const std::string_view bad : kBadChunks) {
        EXPECT_NE(decode(bad, 0).refused, 0) << bad;
        EXPECT_NE(decode(bad, 1, 1).refused, 0) << bad;
    }
}

TEST(ChunkDecoder, ExtensionsAndTrailersHaveLimits) {
    std::string many;
    for (int i = 0; i < 1000; ++i) many += "1;" + std::string(30, 'x') + "\r\na\r\n";
    EXPECT_EQ(decode(many, 0).refused, 413);
    EXPECT_EQ(decode("0\r\nA: " + std::string(ChunkDecoder::kMaxTrailerBytes, 'x') + "\r\n\r\n", 0).refused, 431);
    std::string trailers = "0\r\n";
    for (int i = 0; i < 100; ++i) trailers += "A: b\r\n";
    EXPECT_EQ(decode(trailers + "\r\n", 0).refused, 431);
}

TEST(ChunkEncoder, WhatIsWrittenIsReadBack) {
    std::string out;
    append_chunk(out, "hello ");
    append_chunk(out, "");
    append_chunk(out, std::string(1000, 'x'));
    out += kLastChunk;
    const Decoded back = decode(out, 0);
    EXPECT_TRUE(back.done);
    EXPECT_EQ(back.data, "hello " + std::string(1000, 'x'));
}

}  // namespace
}  // namespace gantry::http
