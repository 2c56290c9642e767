#include "gateway/events/feed.hpp"

#include <charconv>

#include "gateway/events/cloud_event.hpp"
#include "gateway/events/journal.hpp"
#include "io/scope.hpp"
#include "io/sse/parser.hpp"

namespace gantry::gateway::events {
namespace {

constexpr Duration kKeepAlive = seconds(15);
/// What is sent in one go.
constexpr std::size_t kPiece = 64u << 10;

/// The value of "type" in the target's query, split at commas.
std::vector<std::string> wanted_types(std::string_view target) {
    std::vector<std::string> types;
    const auto query = target.find('?');
    if (query == std::string_view::npos) return types;
    for (std::string_view rest = target.substr(query + 1); !rest.empty();) {
        std::string_view part = rest.substr(0, rest.find('&'));
        rest.remove_prefix(std::min(part.size() + 1, rest.size()));
        if (!part.starts_with("type=")) continue;
        for (part.remove_prefix(5); !part.empty();) {
            const std::string_view one = part.substr(0, part.find(','));
            part.remove_prefix(std::min(one.size() + 1, part.size()));
            if (!one.empty() && types.size() < 32) types.emplace_back(one);
        }
    }
    return types;
}

std::string id_of(std::string_view run, std::uint64_t number) {
    std::array<char, 16> digits{};
    const char* end = std::to_chars(digits.begin(), digits.end(), number, 16).ptr;
    return std::string(run) + "-" + std::string(static_cast<const char*>(digits.data()), end);
}

}  // namespace

Feed::Feed(Bus& bus, FeedOptions options, std::string run) : bus_(bus), options_(options), run_(std::move(run)) {}

Feed::~Feed() {
    if (!readers_.empty()) bus_.remove(*this);
}

void Feed::heard(const Record& record) noexcept {
    std::shared_ptr<const std::string> text;
    for (Reader* reader : readers_) {
        if (!reader->filter.wants(record.type())) continue;
        if (reader->waiting.size() >= options_.max_pending) {
            ++reader->missed;
            ++missed_;
            continue;
        }
        if (!text) {
            std::string data;
            append_data(record, data);
            const auto ago =
                std::chrono::duration_cast<std::chrono::microseconds>(SteadyClock::now() - record.at).count();
            const std::string id = id_of(run_, record.number);
            std::string event;
            append_cloud_event({.at = unix_micros() - ago,
                                .id = id,
                                .type = record.type(),
                                .subject = record.texts[Record::kName],
                                .correlation = record.texts[Record::kCorrelation],
                                .data = data},
                               event);
            std::string line;
            sse::append_event(line, record.type(), event, id);
            text = std::make_shared<const std::string>(std::move(line));
        }
        reader->waiting.push_back(text);
        reader->changed.pulse();
    }
}

Task<void> Feed::serve(const Context& ctx, http::Exchange& exchange) {
    if (closed_ || readers_.size() >= options_.max_subscribers) {
        const http::Headers headers{{"Content-Type", "application/json"}, {"Retry-After", "5"}};
        auto sent = co_await exchange.respond(ctx, 503, headers, R"({"error":"too many readers of the feed"})");
        static_cast<void>(sent);
        co_return;
    }
    Reader reader{.filter = TypeFilter(wanted_types(exchange.target()))};
    const http::Headers headers{
        {"Content-Type", "text/event-stream"}, {"Cache-Control", "no-store"}, {"X-Accel-Buffering", "no"}};
    enlist(reader);
    // Something at once, so that the reader knows it is heard.
    if (auto started = co_await exchange.start_with(ctx, 200, headers, std::nullopt, ": listening\n\n"); started) {
        Scope scope(ctx);
        scope.spawn(watch(scope.context(), exchange, reader));
        co_await tell(scope.context(), exchange, reader);
        scope.cancel();
        co_await scope.join();
    }
    dismiss(reader);
}

Task<void> Feed::tell(const Context& ctx, http::Exchange& exchange, Reader& reader) {
    while (!reader.gone && !closed_) {
        std::string piece = take(reader);
        if (piece.empty()) {
            auto waited = co_await reader.changed.wait(ctx.within(kKeepAlive));
            if (!waited && waited.error().code() != ErrorCode::kTimeout) co_return;
            if (waited) continue;
            sse::append_comment(piece, "still here");
        }
        if (auto written = co_await exchange.write(ctx, piece); !written) co_return;
    }
    auto finished = co_await exchange.finish(ctx);
    static_cast<void>(finished);
}

Task<void> Feed::watch(Context ctx, http::Exchange& exchange, Reader& reader) {
    auto left = co_await exchange.wait_for_disconnect(ctx);
    static_cast<void>(left);
    reader.gone = true;
    reader.changed.pulse();
}

std::string Feed::take(Reader& reader) {
    std::string piece;
    while (!reader.waiting.empty() && piece.size() < kPiece) {
        piece += *reader.waiting.front();
        reader.waiting.pop_front();
    }
    // Behind what was still kept: that is where the gap is.
    if (reader.missed != 0 && reader.waiting.empty())
        sse::append_event(piece, "gantry.feed.missed",
                          R"({"count":)" + std::to_string(std::exchange(reader.missed, 0)) + "}");
    return piece;
}

void Feed::hang_up() {
    closed_ = true;
    for (Reader* reader : readers_) reader->changed.pulse();
}

void Feed::enlist(Reader& reader) {
    if (readers_.empty()) bus_.add(*this);
    readers_.insert(&reader);
}

void Feed::dismiss(Reader& reader) {
    readers_.erase(&reader);
    if (readers_.empty()) bus_.remove(*this);
}

}  // namespace gantry::gateway::events
