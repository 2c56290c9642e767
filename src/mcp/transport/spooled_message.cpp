#include "mcp/transport/spooled_message.hpp"

#include <limits>

#include "base/try.hpp"

namespace gantry::mcp {
Result<std::unique_ptr<SpooledMessage>> SpooledMessage::create(std::size_t max_bytes) {
    GANTRY_TRY(TempFile file, TempFile::create());
    return std::unique_ptr<SpooledMessage>(new SpooledMessage(std::move(file), max_bytes));
}

SpooledMessage::SpooledMessage(TempFile file, std::size_t max_bytes)
    : file_(std::move(file)),
      max_bytes_(max_bytes),
      scanner_({.max_bytes = std::numeric_limits<std::uint32_t>::max()}) {}

void SpooledMessage::append(std::string_view bytes) {
    if (readable_) {
        if (auto fed = scanner_.feed(bytes); !fed) {
            readable_ = false;
            if (!fault_) fault_ = std::move(fed).error();
        }
    }
    if (!fault_ && size_ + bytes.size() > max_bytes_) {
        fault_ = Error(ErrorCode::kLimit,
                       "a message of the peer is longer than the limit of " + std::to_string(max_bytes_) + " bytes");
        // What was kept is of no use any more.
        file_.drop();
    }
    if (!fault_) {
        if (auto kept = file_.append(bytes); !kept) fault_ = std::move(kept).error();
    }
    size_ += bytes.size();
}

void SpooledMessage::finish() {
    if (!readable_) return;
    if (auto finished = scanner_.finish(); !finished && !fault_) fault_ = std::move(finished).error();
}

Result<std::string> SpooledMessage::load() const {
    if (fault_) return fail(*fault_);
    std::string text(size_, '\0');
    for (std::size_t at = 0; at < size_;) {
        GANTRY_TRY(const std::size_t got, read(at, {text.data() + at, size_ - at}));
        if (got == 0) return fail(ErrorCode::kInternal, "a large message: the temporary file is too short");
        at += got;
    }
    return text;
}

}  // namespace gantry::mcp
