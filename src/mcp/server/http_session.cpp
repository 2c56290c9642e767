#include "mcp/server/http_session.hpp"

#include <utility>

namespace gantry::mcp {

HttpSession::HttpSession(Backend& backend, PeerPtr peer, EventNames& names, Opening opening)
    : LegacySession(backend, std::move(peer)),
      token(std::move(opening.token)),
      path(std::move(opening.path)),
      expires(opening.expires),
      resumed(opening.resumed),
      used(SteadyClock::now()),
      names_(names) {}

HttpSession::Live& HttpSession::live() {
    if (!live_) live_ = std::make_unique<Live>();
    return *live_;
}

std::uint64_t HttpSession::get_stream() {
    Live& now = live();
    if (now.get_number == 0) now.get_number = new_stream();
    return now.get_number;
}

std::string HttpSession::record(std::uint64_t stream, std::string message) {
    Live& now = live();
    const EventId id{.epoch = names_.epoch, .stream = stream, .place = ++now.places};
    if (!message.empty()) now.log.add(names_.limits, stream, id.place, std::move(message));
    return id.to_string();
}

std::string HttpSession::replay(std::uint64_t stream, std::uint64_t place) const {
    std::string out;
    if (!live_) return out;
    live_->log.replay(stream, place, [&](const EventLog::Entry& entry) {
        const EventId id{.epoch = names_.epoch, .stream = stream, .place = entry.place};
        append_message_event(out, entry.message, id.to_string());
    });
    return out;
}

void HttpSession::tell(std::string message) {
    const std::uint64_t stream = get_stream();
    Live& now = live();
    if (now.get == nullptr) {
        if (!now.log.says(stream, now.sent, message)) record(stream, std::move(message));
        return;
    }
    std::string event;
    const std::string id = record(stream, message);
    append_message_event(event, message, id);
    now.sent = now.places;
    now.get->offer(event);
}

void HttpSession::open_get(EventStream& stream, std::optional<std::uint64_t> after) {
    const std::uint64_t number = get_stream();
    Live& now = live();
    if (EventStream* old = std::exchange(now.get, &stream)) old->finish();
    stream.push(replay(number, after.value_or(now.sent)));
    now.sent = now.places;
}

void HttpSession::close_get(const EventStream& stream) {
    if (live_ && live_->get == &stream) live_->get = nullptr;
}

void HttpSession::end() {
    LegacySession::end();
    if (has_stream()) live_->get->finish();
}

void HttpSession::tidy(TimePoint before) {
    if (!live_) return;
    live_->log.forget_before(before);
    if (live_->log.empty() && idle()) live_.reset();
}

}  // namespace gantry::mcp
