#include "gateway/events/log_tail.hpp"

#include <algorithm>
#include <ranges>
#include <utility>

#include "io/sse/parser.hpp"

namespace gantry::gateway::events {
namespace {

constexpr std::string_view kLineType = "gantry.logs.line";
constexpr const char* kMissedType = "gantry.logs.missed";

Task<void> turn_away(const Context& ctx, http::Exchange& exchange) {
    const http::Headers headers{{"Content-Type", "application/json"}, {"Retry-After", "5"}};
    auto sent = co_await exchange.respond(
        ctx, 503, headers, R"({"error":{"code":"limit","message":"too many readers follow the log already"}})");
    static_cast<void>(sent);
}

LogTail::Text as_event(const std::string& json) {
    std::string text;
    sse::append_event(text, kLineType, json);
    return std::make_shared<const std::string>(std::move(text));
}

/// The stored lines first, then whatever is pushed meanwhile.
class LinesThenMore final : public Pieces {
public:
    LinesThenMore(std::vector<LogTail::Text> lines, PushedEvents& more) : lines_(std::move(lines)), more_(more) {}

    Task<Result<std::optional<std::string>>> next(const Context& ctx) override {
        if (next_ == lines_.size()) co_return co_await more_.next(ctx);
        std::string piece;
        while (next_ < lines_.size() && piece.size() < kPiece) sse::append_event(piece, kLineType, *lines_[next_++]);
        co_return piece;
    }

private:
    static constexpr std::size_t kPiece = 64u << 10;
    std::vector<LogTail::Text> lines_;
    std::size_t next_ = 0;
    PushedEvents& more_;
};

}  // namespace

std::size_t LogTail::size_of(const Line& line) noexcept {
    return sizeof(Line) + line.server.size() + sizeof(std::string) + line.json->size();
}

bool LogTail::wants(const Wanted& wanted, const Line& line) noexcept {
    return line.level >= wanted.level && (wanted.server.empty() || wanted.server == line.server);
}

std::size_t LogTail::drop_first(ServerLines& lines) {
    const std::size_t size = size_of(lines.lines.front());
    lines.bytes -= size;
    lines.lines.pop_front();
    return size;
}

LogTail::Line LogTail::line_of(LogLevel level, std::string_view server, std::string_view json) {
    return {.number = ++count_,
            .level = level,
            .server = std::string(server),
            .json = std::make_shared<const std::string>(json)};
}

void LogTail::add(LogLevel level, std::string_view server, std::string_view json) {
    Line line = line_of(level, server, json);
    pass_on(line);
    own_.bytes += size_of(line);
    own_.lines.push_back(std::move(line));
    while (own_.bytes > options_.own_bytes) drop_first(own_);
}

LogTail::ServerLines& LogTail::lines_of(std::string_view server) {
    const auto known = servers_.find(server);
    if (known != servers_.end()) return known->second;
    if (servers_.size() >= options_.max_servers) {
        // Servers come and go with the configuration: evict the one that has been silent the longest.
        const auto last_said = [](const LinesByServer::value_type& entry) {
            return entry.second.lines.empty() ? 0 : entry.second.lines.back().number;
        };
        const auto silent = std::ranges::min_element(servers_, {}, last_said);
        servers_bytes_ -= silent->second.bytes;
        servers_.erase(silent);
    }
    return servers_.emplace(server, ServerLines{.places = options_.burst}).first->second;
}

bool LogTail::admits(std::string_view server, TimePoint now) {
    ServerLines& lines = lines_of(server);
    if (lines.counted != TimePoint()) {
        const double passed = std::chrono::duration<double>(now - lines.counted).count();
        lines.places = std::min(options_.burst, lines.places + std::max(passed, 0.0) * options_.lines_per_second);
    }
    lines.counted = now;
    if (lines.places < 1) {
        ++lines.left_out;
        return false;
    }
    lines.places -= 1;
    if (lines.left_out != 0) tell(lines, server);
    return true;
}

void LogTail::add_from(std::string_view server, std::string_view json) {
    put(lines_of(server), line_of(LogLevel::kInfo, server, json));
}

void LogTail::tell(ServerLines& lines, std::string_view server) {
    const std::uint64_t count = std::exchange(lines.left_out, 0);
    if (left_out_line_) put(lines, line_of(LogLevel::kWarning, server, left_out_line_(server, count)));
}

void LogTail::put(ServerLines& lines, Line line) {
    pass_on(line);
    const std::size_t size = size_of(line);
    lines.bytes += size;
    servers_bytes_ += size;
    lines.lines.push_back(std::move(line));
    while (lines.bytes > options_.server_bytes) servers_bytes_ -= drop_first(lines);
    while (servers_bytes_ > options_.servers_bytes) {
        const auto size_there = [](const LinesByServer::value_type& entry) { return entry.second.bytes; };
        servers_bytes_ -= drop_first(std::ranges::max_element(servers_, {}, size_there)->second);
    }
}

void LogTail::pass_on(const Line& line) {
    Text event;
    for (Reader* reader : readers_) {
        if (!wants(reader->wanted, line)) continue;
        if (reader->events.full()) {
            reader->events.miss();
            continue;
        }
        if (!event) event = as_event(*line.json);
        reader->events.push(event);
    }
}

std::vector<LogTail::Text> LogTail::last(const Wanted& wanted) {
    std::vector<const Line*> found;
    // No more than the latest `count` of each buffer can be among the latest of all.
    const auto look = [&](const ServerLines& lines) {
        std::size_t left = wanted.last;
        for (const Line& line : std::views::reverse(lines.lines)) {
            if (left == 0) break;
            if (!wants(wanted, line)) continue;
            found.push_back(&line);
            --left;
        }
    };
    // A server that fell silent after a burst has no later line to trigger the notice.
    for (auto& [server, lines] : servers_) {
        if (lines.left_out != 0) tell(lines, server);
    }
    look(own_);
    for (const auto& [server, lines] : servers_) look(lines);
    std::ranges::sort(found, {}, &Line::number);
    std::vector<Text> lines;
    for (const Line* line : found | std::views::drop(found.size() - std::min(found.size(), wanted.last)))
        lines.push_back(line->json);
    return lines;
}

Task<void> LogTail::serve(const Context& ctx, http::Exchange& exchange, Wanted wanted) {
    if (closed_ || readers_.size() >= options_.max_readers) co_return co_await turn_away(ctx, exchange);
    Reader reader{
        .wanted = std::move(wanted),
        .events = PushedEvents(
            {.missed_type = kMissedType, .max_events = options_.max_pending, .max_bytes = options_.max_pending_bytes})};
    // In one turn of the loop, without suspension: earlier lines are in last(), later ones are pushed.
    LinesThenMore pieces(last(reader.wanted), reader.events);
    if (!reader.wanted.follow) reader.events.end();
    readers_.insert(&reader);
    co_await stream(ctx, exchange, pieces);
    readers_.erase(&reader);
}

void LogTail::hang_up() {
    closed_ = true;
    for (Reader* reader : readers_) reader->events.end();
}

}  // namespace gantry::gateway::events
