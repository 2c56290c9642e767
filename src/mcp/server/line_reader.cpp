#include "mcp/server/line_reader.hpp"

#include "base/try.hpp"

namespace gantry::mcp {
namespace {

constexpr std::size_t kRead = 16u << 10;

std::string_view trimmed(std::string_view line) {
    while (!line.empty() && (line.back() == '\r' || line.back() == ' ' || line.back() == '\t')) line.remove_suffix(1);
    while (!line.empty() && (line.front() == ' ' || line.front() == '\t')) line.remove_prefix(1);
    return line;
}

}  // namespace

Task<Result<std::optional<std::string_view>>> LineReader::next(const Context& ctx) {
    using Line = std::optional<std::string_view>;
    for (;;) {
        const std::size_t end = buffer_.find('\n', scanned_);
        if (end != std::string::npos) {
            const std::string_view line = std::string_view(buffer_).substr(begin_, end - begin_);
            begin_ = scanned_ = end + 1;
            const bool skipped = std::exchange(skipping_, false);
            if (skipped || line.size() > max_line_) co_return fail(ErrorCode::kLimit, "the line is too long");
            co_return Line(trimmed(line));
        }
        if (ended_) {
            // A last line without a line end is a message too.
            const std::string_view rest = trimmed(std::string_view(buffer_).substr(begin_));
            begin_ = scanned_ = buffer_.size();
            if (rest.empty() || skipping_) co_return Line();
            co_return Line(rest);
        }
        buffer_.erase(0, begin_);
        begin_ = 0;
        if (buffer_.size() > max_line_) {
            skipping_ = true;
            buffer_ = std::string();
        }
        scanned_ = buffer_.size();
        buffer_.resize(scanned_ + kRead);
        auto got = co_await stream_.read_some(ctx, {buffer_.data() + scanned_, kRead});
        buffer_.resize(scanned_ + (got ? *got : 0));
        if (!got) co_return fail(std::move(got).error());
        if (*got == 0) ended_ = true;
    }
}

}  // namespace gantry::mcp
