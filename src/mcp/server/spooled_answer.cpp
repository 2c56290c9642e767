#include "mcp/server/spooled_answer.hpp"

#include <algorithm>
#include <span>
#include <vector>

#include "base/try.hpp"
#include "io/temp_file.hpp"
#include "mcp/protocol/errors.hpp"

namespace gantry::mcp {
namespace {

constexpr std::size_t kPiece = 64u << 10;

using Piece = std::optional<std::string_view>;

class FileAnswer final : public AnswerStream {
public:
    explicit FileAnswer(TempFile file) : file_(std::move(file)), buffer_(std::min(kPiece, file_.size())) {}

    Task<Result<Piece>> next(const Context& ctx) override {
        GANTRY_CO_CHECK(ctx.check());
        if (at_ == file_.size()) co_return Piece();
        const std::span<char> room(buffer_.data(), std::min(buffer_.size(), file_.size() - at_));
        GANTRY_CO_TRY(const std::size_t got, file_.read(at_, room));
        if (got == 0) co_return fail(ErrorCode::kInternal, "a large answer: the temporary file is too short");
        at_ += got;
        co_return Piece(std::string_view(room.data(), got));
    }

private:
    TempFile file_;
    std::vector<char> buffer_;
    std::size_t at_ = 0;
};

}  // namespace

RpcError broken_off(const Error& why) {
    return internal_error("the answer broke off: " + why.message());
}

Task<Result<void>> spool_answer(const Context& ctx, Answer& answer) {
    if (!answer.rest) co_return Result<void>();
    GANTRY_CO_TRY(TempFile file, TempFile::create());
    for (;;) {
        GANTRY_CO_TRY(const Piece piece, co_await answer.rest->next(ctx));
        if (!piece) break;
        GANTRY_CO_CHECK(file.append(*piece));
    }
    answer.rest = std::make_unique<FileAnswer>(std::move(file));
    co_return Result<void>();
}

}  // namespace gantry::mcp
