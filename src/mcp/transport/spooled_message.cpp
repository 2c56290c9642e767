#include "mcp/transport/spooled_message.hpp"

#include <limits>

#include "base/try.hpp"

namespace gantry::mcp {
namespace {

using Lone = json::IncrementalScanner::LoneSurrogates;

}  // namespace

Result<std::unique_ptr<SpooledMessage>> SpooledMessage::create(std::size_t max_bytes, bool strict) {
    GANTRY_TRY(TempFile file, TempFile::create());
    return std::unique_ptr<SpooledMessage>(new SpooledMessage(std::move(file), max_bytes, strict));
}

SpooledMessage::SpooledMessage(TempFile file, std::size_t max_bytes, bool strict)
    : file_(std::move(file)),
      max_bytes_(max_bytes),
      scanner_({.max_bytes = std::numeric_limits<std::uint32_t>::max()}, strict ? Lone::kRefuse : Lone::kNote) {}

void SpooledMessage::append(std::string_view bytes) {
    std::string_view passed = bytes;
    check(bytes, passed);
    if (!fault_ && size_ + bytes.size() > max_bytes_) {
        fault_ = Error(ErrorCode::kLimit,
                       "a message of the peer is longer than the limit of " + std::to_string(max_bytes_) + " bytes");
        oversized_ = true;
        // The bytes stored so far are useless now.
        file_.drop();
    }
    if (!fault_) {
        if (auto kept = file_.append(passed); !kept) fault_ = std::move(kept).error();
    }
    size_ += bytes.size();
}

/// Scans the next bytes; `passed` is the part of the message that may be stored afterwards.
void SpooledMessage::check(std::string_view bytes, std::string_view& passed) {
    if (salvage_) {
        if (salvage_complete_) salvage_->feed(bytes);
        return;
    }
    auto fed = scanner_.feed(bytes);
    if (fed) {
        passed = filter_.pass(bytes, scanner_);
        return;
    }
    begin_salvage(bytes);
    if (!fault_) fault_ = std::move(fed).error();
}

/// The id may follow the fault, so the envelope is scanned again leniently, to its end.
void SpooledMessage::begin_salvage(std::string_view bytes) {
    salvage_ = std::make_unique<json::EnvelopeSalvage>();
    salvage_complete_ = !fault_;
    if (!salvage_complete_) return;  // its beginning is no longer available
    constexpr std::size_t kPiece = 64u << 10;
    std::string piece(kPiece, '\0');
    for (std::size_t at = 0; at < file_.size();) {
        const auto got = read(at, piece);
        if (!got || *got == 0) break;
        salvage_->feed(std::string_view(piece).substr(0, *got));
        at += *got;
    }
    salvage_->feed(filter_.held());
    salvage_->feed(bytes);
}

void SpooledMessage::finish() {
    if (salvage_) return;
    auto finished = scanner_.finish();
    if (finished) return;
    begin_salvage({});
    if (!fault_) fault_ = std::move(finished).error();
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
