#include "io/sse/parser.hpp"

#include <algorithm>
#include <utility>

namespace gantry::sse {
namespace {

constexpr std::string_view kBom = "\xEF\xBB\xBF";
constexpr std::string_view kData = "data:";
constexpr std::chrono::milliseconds kMaxRetry = std::chrono::hours(24);
/// Limit for names and ids if only data may be large.
constexpr std::size_t kMostBesideData = 1u << 20;
/// Once data exceeds kLong, capacity is reserved for all that may be held, up to kMostRoom.
constexpr std::size_t kLong = 128u << 10;
constexpr std::size_t kMostRoom = 4u << 20;

std::optional<std::chrono::milliseconds> parse_retry(std::string_view digits) {
    if (digits.empty()) return std::nullopt;
    std::int64_t value = 0;
    for (const char c : digits) {
        if (c < '0' || c > '9') return std::nullopt;
        value = std::min<std::int64_t>(value * 10 + (c - '0'), kMaxRetry.count());
    }
    return std::chrono::milliseconds(value);
}

}  // namespace

Result<void> Parser::feed(std::string_view bytes) {
    // Each of the two searches scans the chunk once, whichever line ends the peer uses.
    std::size_t at = 0, cr = 0, lf = 0;
    bool cr_known = false, lf_known = false;
    while (at < bytes.size() && !finished_) {
        if (std::exchange(after_cr_, false) && bytes[at] == '\n') {
            ++at;
            continue;
        }
        if (!lf_known || lf < at) lf = std::min(bytes.find('\n', at), bytes.size());
        lf_known = true;
        if (!cr_known || cr < at) cr = std::min(bytes.find('\r', at), bytes.size());
        cr_known = true;
        const std::size_t end = std::min(cr, lf);
        append(bytes.substr(at, end - at));
        if (too_large()) {
            finished_ = true;
            break;
        }
        if (end == bytes.size()) break;
        end_line();
        after_cr_ = bytes[end] == '\r';
        at = end + 1;
    }
    if (finished_)
        return fail(ErrorCode::kLimit,
                    "server-sent event is larger than " + std::to_string(max_event_bytes_) + " bytes");
    return {};
}

std::optional<Event> Parser::next() {
    if (ready_.empty()) return take_part();
    std::optional<Event> event(std::move(ready_.front()));
    ready_.pop_front();
    if (event->id) last_id_ = *event->id;
    return event;
}

/// The part of a large event received since the last call.
std::optional<Event> Parser::take_part() {
    if (handing_out_ ? event_.data.empty() : event_.data.size() <= hold_bytes_) return std::nullopt;
    handing_out_ = true;
    return Event{.type = event_.type,
                 .data = std::exchange(event_.data, {}),
                 .id = {},
                 .retry = {},
                 .has_data = true,
                 .partial = true};
}

/// Appends to the current line. The first bytes are kept in line_ until the kind of line is known.
void Parser::append(std::string_view part) {
    if (kind_ == Line::kUnknown) {
        constexpr std::size_t kEnough = kBom.size() + kData.size() + 1;
        const std::size_t taken = std::min(part.size(), kEnough - std::min(kEnough, line_.size()));
        line_.append(part.substr(0, taken));
        part.remove_prefix(taken);
        if (first_line_ && line_.size() >= kBom.size()) {
            first_line_ = false;
            if (line_.starts_with(kBom)) line_.erase(0, kBom.size());
        }
        const bool may_be_bom = first_line_ && kBom.starts_with(line_);
        if (!may_be_bom && line_.starts_with(':')) {
            kind_ = Line::kComment;
            line_.clear();
        } else if (!may_be_bom && line_.size() > kData.size()) {
            kind_ = line_.starts_with(kData) ? Line::kData : Line::kField;
            if (kind_ == Line::kData) begin_data(std::string_view(line_).substr(kData.size()));
        } else if (!part.empty()) {
            append(part);  // room was made by removing the BOM
            return;
        }
    }
    if (kind_ == Line::kData) append_data(part);
    if (kind_ == Line::kField) line_.append(part);
}

void Parser::append_data(std::string_view part) {
    const std::size_t size = event_.data.size() + part.size();
    // Reserve once: growth by doubling would briefly hold it twice.
    if (size > kLong && size > event_.data.capacity() && hold_bytes_ <= kMostRoom) {
        event_.data.reserve(hold_bytes_ + part.size());
    }
    event_.data.append(part);
}

void Parser::begin_data(std::string_view value) {
    if (std::exchange(event_.has_data, true)) event_.data += '\n';
    if (value.starts_with(' ')) value.remove_prefix(1);
    event_.data.append(value);
    line_.clear();
}

void Parser::end_line() {
    switch (std::exchange(kind_, Line::kUnknown)) {
        case Line::kData:
        case Line::kComment: break;
        case Line::kField: end_field(); break;
        case Line::kUnknown: line_.empty() ? end_block() : end_field(); break;
    }
    line_.clear();
    first_line_ = false;
}

void Parser::end_field() {
    const std::size_t colon = line_.find(':');
    const std::string_view name = std::string_view(line_).substr(0, colon);
    std::string_view value;
    if (colon != std::string::npos) value = std::string_view(line_).substr(colon + 1);
    if (value.starts_with(' ')) value.remove_prefix(1);

    if (name == "data") {
        if (std::exchange(event_.has_data, true)) event_.data += '\n';
        event_.data.append(value);
    } else if (name == "event") {
        event_.type = value;
    } else if (name == "id") {
        if (value.find('\0') == std::string_view::npos) event_.id.emplace(value);
    } else if (name == "retry") {
        if (const auto time = parse_retry(value)) event_.retry = time;
    }
}

void Parser::end_block() {
    if (event_.has_data || event_.id || event_.retry) ready_.push_back(std::move(event_));
    event_ = Event();
    handing_out_ = false;
}

bool Parser::too_large() const noexcept {
    // The few bytes of an unclassified line do not count: they may turn out to be only "data:".
    const std::size_t line = kind_ == Line::kField ? line_.size() : 0;
    const std::size_t id = event_.id ? event_.id->size() : 0;
    const std::size_t beside = line + event_.type.size() + id;
    if (hold_bytes_ != kNever && beside > kMostBesideData) return true;
    return beside + (handing_out_ ? 0 : event_.data.size()) > max_event_bytes_;
}

}  // namespace gantry::sse
