#include "mcp/client/relay_stream.hpp"

#include <algorithm>

#include "base/try.hpp"

namespace gantry::mcp {
namespace {

/// Maximum size of the envelope around the result.
constexpr std::size_t kEnvelopeRoom = 1u << 20;

using Lone = json::IncrementalScanner::LoneSurrogates;

std::unexpected<Error> broken(const char* what) {
    return fail(ErrorCode::kProtocol, std::string("the server's large answer is no JSON-RPC answer: ") + what);
}

}  // namespace

Error result_too_large(std::size_t limit) {
    return Error(ErrorCode::kLimit, "the server's result is larger than " + std::to_string(limit) + " bytes")
        .retryable(false);
}

ResultCutter::ResultCutter(std::int64_t id, std::size_t max_result_bytes, bool strict)
    : scanner_({.max_bytes = max_result_bytes + kEnvelopeRoom}, strict ? Lone::kRefuse : Lone::kNote),
      id_(id),
      max_result_bytes_(max_result_bytes) {}

Result<std::string_view> ResultCutter::feed(std::string_view piece) {
    GANTRY_CHECK(scanner_.feed(piece));
    piece = filter_.pass(piece, scanner_);
    const std::size_t before = filter_.offset();
    const json::PassedEnvelope& seen = scanner_.envelope();
    if (seen.kind && *seen.kind != Json::Kind::kObject) return broken("not an object");
    GANTRY_CHECK(still_a_result());
    if (!seen.result) return std::string_view();
    const std::size_t after = before + piece.size();
    const std::size_t begin = std::clamp(seen.result->begin, before, after);
    const std::size_t end = std::clamp(seen.result->end.value_or(after), begin, after);
    passed_ += end - begin;
    if (passed_ > max_result_bytes_) return fail(result_too_large(max_result_bytes_));
    return piece.substr(begin - before, end - begin);
}

Result<void> ResultCutter::still_a_result() const {
    const json::PassedEnvelope& seen = scanner_.envelope();
    if (seen.method) return broken("it has a method");
    if (seen.id && seen.id->extent.end && seen.id->raw != std::to_string(id_)) return broken("its id is another");
    return {};
}

Result<void> ResultCutter::finish() {
    GANTRY_CHECK(scanner_.finish());
    GANTRY_CHECK(still_a_result());
    const json::PassedEnvelope& seen = scanner_.envelope();
    if (!seen.jsonrpc || seen.jsonrpc->raw != "\"2.0\"") return broken("jsonrpc is not \"2.0\"");
    if (!seen.id || !seen.result) return broken("its id or its result is missing");
    // A value of four bytes can only be null, which counts as absent.
    if (seen.error && *seen.error->end - seen.error->begin != 4) return broken("both a result and an error");
    return {};
}

}  // namespace gantry::mcp
