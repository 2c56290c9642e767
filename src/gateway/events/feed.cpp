#include "gateway/events/feed.hpp"

#include <array>
#include <charconv>

#include "gateway/events/cloud_event.hpp"
#include "gateway/events/event_names.hpp"
#include "gateway/events/journal.hpp"
#include "io/sse/parser.hpp"

namespace gantry::gateway::events {
namespace {

constexpr const char* kMissed = "gantry.feed.missed";

/// The first value of `key` in the target's query; empty: absent.
std::string_view query_value(std::string_view target, std::string_view key) {
    const auto query = target.find('?');
    if (query == std::string_view::npos) return {};
    for (std::string_view rest = target.substr(query + 1); !rest.empty();) {
        const std::string_view part = rest.substr(0, rest.find('&'));
        rest.remove_prefix(std::min(part.size() + 1, rest.size()));
        if (part.starts_with(key) && part.substr(key.size()).starts_with('=')) return part.substr(key.size() + 1);
    }
    return {};
}

std::vector<std::string> wanted_types(std::string_view patterns) {
    std::vector<std::string> types;
    while (!patterns.empty()) {
        const std::string_view one = patterns.substr(0, patterns.find(','));
        patterns.remove_prefix(std::min(one.size() + 1, patterns.size()));
        if (!one.empty() && types.size() < 32) types.emplace_back(one);
    }
    return types;
}

constexpr std::string_view kOff =
    R"({"error":{"code":"not_found","message":"the feed of events is off in this configuration"}})";
constexpr std::string_view kTooMany = R"({"error":{"code":"limit","message":"too many readers of the feed"}})";
constexpr std::string_view kNoSuchNames = R"({"error":{"code":"invalid_argument","message":"names is gantry or mcp"}})";
constexpr std::string_view kUnreadable =
    R"({"error":{"code":"internal","message":"the journal cannot be read now; ?at_once=yes does without"}})";

Task<void> refuse(const Context& ctx, http::Exchange& exchange, int status, std::string_view why) {
    http::Headers headers{{"Content-Type", "application/json"}};
    if (status == 503) headers.set("Retry-After", "5");
    auto sent = co_await exchange.respond(ctx, status, headers, why);
    static_cast<void>(sent);
}

std::string id_of(std::string_view run, std::uint64_t number) {
    std::array<char, 16> digits{};
    const char* end = std::to_chars(digits.begin(), digits.end(), number, 16).ptr;
    return std::string(run) + "-" + std::string(static_cast<const char*>(digits.data()), end);
}

}  // namespace

struct Feed::Request {
    TypeFilter filter;
    std::string after;  // the reader's last position; empty on its first visit
};

Feed::Feed(FeedOptions options, Parts parts) : options_(options), parts_(std::move(parts)) {}

Feed::~Feed() {
    if (!readers_.empty()) parts_.bus.remove(*this);
}

void Feed::heard(const Record& record) noexcept {
    std::array<std::shared_ptr<const std::string>, 2> texts;  // by EventNames
    for (Reader* reader : readers_) {
        if (!reader->filter.wants(record.type())) continue;
        if (reader->events.full()) {
            reader->events.miss();
            ++missed_;
            continue;
        }
        const EventNames names = reader->filter.names();
        auto& text = texts[static_cast<std::size_t>(names)];
        if (!text) text = std::make_shared<const std::string>(event_of(record, names));
        reader->events.push(text);
    }
}

std::string Feed::event_of(const Record& record, EventNames names) const {
    std::string data, room, event, line;
    append_data(record, data);
    const auto ago = std::chrono::duration_cast<std::chrono::microseconds>(SteadyClock::now() - record.at).count();
    const std::string id = id_of(parts_.run, record.number);
    const JournalEntry entry = entry_under(names,
                                           {.at = unix_micros() - ago,
                                            .id = id,
                                            .type = record.type(),
                                            .subject = record.texts[Record::kName],
                                            .correlation = record.texts[Record::kCorrelation],
                                            .data = data},
                                           room);
    append_cloud_event(entry, event);
    sse::append_event(line, entry.type, event);
    return line;
}

Task<void> Feed::serve(const Context& ctx, http::Exchange& exchange) {
    if (!options_.enabled) co_return co_await refuse(ctx, exchange, 404, kOff);
    if (closed_ || subscribers() >= options_.max_subscribers) co_return co_await refuse(ctx, exchange, 503, kTooMany);
    const std::string_view target = exchange.target();
    const std::string_view names = query_value(target, "names");
    if (!names.empty() && names != "gantry" && names != "mcp")
        co_return co_await refuse(ctx, exchange, 400, kNoSuchNames);
    Request request{.filter = TypeFilter(wanted_types(query_value(target, "type")),
                                         names == "mcp" ? EventNames::kMcp : EventNames::kGantry),
                    .after = std::string(query_value(target, "after"))};
    if (const auto last = exchange.headers().get("Last-Event-ID")) request.after = *last;
    if (parts_.journal == nullptr || query_value(target, "at_once") == "yes")
        co_return co_await tell_at_once(ctx, exchange, std::move(request));
    co_await tell_committed(ctx, exchange, std::move(request));
}

Task<void> Feed::tell_at_once(const Context& ctx, http::Exchange& exchange, Request request) {
    Reader reader{.filter = std::move(request.filter),
                  .events = PushedEvents({.missed_type = kMissed, .max_events = options_.max_pending})};
    if (!request.after.empty()) {
        std::string gap;
        sse::append_event(gap, kMissed, R"({"why":"without the journal nothing can be told of what was before"})");
        reader.events.push(std::make_shared<const std::string>(std::move(gap)));
    }
    enlist(reader);
    co_await stream(ctx, exchange, reader.events);
    dismiss(reader);
}

Task<void> Feed::tell_committed(const Context& ctx, http::Exchange& exchange, Request request) {
    JournalEvents events(*parts_.journal, std::move(request.filter));
    journal_readers_.insert(&events);
    // Begin before responding: everything that happens after the response headers is then delivered.
    if (auto begun = co_await events.begin(ctx, std::move(request.after)); begun) {
        co_await stream(ctx, exchange, events);
    } else {
        co_await refuse(ctx, exchange, 503, kUnreadable);
    }
    journal_readers_.erase(&events);
}

void Feed::configure(FeedOptions options) {
    options_ = options;
    if (!options_.enabled) let_go();
}

void Feed::hang_up() {
    closed_ = true;
    let_go();
}

void Feed::let_go() {
    for (Reader* reader : readers_) reader->events.end();
    for (JournalEvents* reader : journal_readers_) reader->end();
}

void Feed::enlist(Reader& reader) {
    if (readers_.empty()) parts_.bus.add(*this);
    readers_.insert(&reader);
}

void Feed::dismiss(Reader& reader) {
    readers_.erase(&reader);
    if (readers_.empty()) parts_.bus.remove(*this);
}

}  // namespace gantry::gateway::events
