#include "mcp/client/relay_file.hpp"

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include "base/try.hpp"
#include "mcp/client/relay_stream.hpp"

namespace gantry::mcp {
namespace {

constexpr std::size_t kPiece = 64u << 10;

class FileStream final : public RelayStream {
public:
    FileStream(std::unique_ptr<SpooledMessage> answer, std::size_t begin, std::size_t end)
        : answer_(std::move(answer)), at_(begin), end_(end), buffer_(std::min(kPiece, end - begin)) {}

    Task<Result<std::optional<std::string_view>>> next(const Context& ctx) override {
        GANTRY_CO_CHECK(ctx.check());
        if (at_ == end_) co_return std::optional<std::string_view>();
        const std::span<char> room(buffer_.data(), std::min(buffer_.size(), end_ - at_));
        GANTRY_CO_TRY(const std::size_t got, answer_->read(at_, room));
        if (got == 0) co_return fail(ErrorCode::kInternal, "a large answer: the temporary file is too short");
        at_ += got;
        co_return std::optional(std::string_view(room.data(), got));
    }

private:
    std::unique_ptr<SpooledMessage> answer_;
    std::size_t at_;
    std::size_t end_;
    std::vector<char> buffer_;
};

}  // namespace

Result<std::unique_ptr<RelayStream>> stream_file(std::unique_ptr<SpooledMessage> answer, std::size_t max_result_bytes) {
    if (answer->fault()) return fail(*answer->fault());
    const json::PassedEnvelope& envelope = answer->envelope();
    // A value of four bytes can only be null, which counts as absent.
    const bool failed = envelope.error && *envelope.error->end - envelope.error->begin != 4;
    if (!envelope.jsonrpc || envelope.jsonrpc->raw != "\"2.0\"" || envelope.method || !envelope.result || failed) {
        return fail(ErrorCode::kProtocol, "the server's large answer is no JSON-RPC answer");
    }
    const std::size_t begin = envelope.result->begin;
    const std::size_t end = *envelope.result->end;
    if (end - begin > max_result_bytes) return fail(result_too_large(max_result_bytes));
    return std::make_unique<FileStream>(std::move(answer), begin, end);
}

}  // namespace gantry::mcp
