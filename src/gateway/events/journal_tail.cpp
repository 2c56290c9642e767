#include "gateway/events/journal_tail.hpp"

#include <charconv>
#include <utility>

#include "base/try.hpp"
#include "io/sse/parser.hpp"

namespace gantry::gateway::events {
namespace {

/// Retry interval while the journal cannot be read.
constexpr Duration kRetry = seconds(1);

std::optional<std::int64_t> number_from(std::string_view text) {
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || end != text.data() + text.size() || number < 0) return std::nullopt;
    return number;
}

std::string event_of(std::string_view type, JsonObject data, std::optional<std::string> id = {}) {
    std::string text;
    sse::append_event(text, type, Json(std::move(data)).dump(), id);
    return text;
}

}  // namespace

JournalTail::JournalTail(Writer& writer, const std::filesystem::path& folder)
    : writer_(writer), pages_(std::make_shared<JournalPages>(folder)) {}

Worker& JournalTail::worker() {
    if (!worker_) worker_.emplace();
    return *worker_;
}

Task<Result<JournalPages::Page>> JournalTail::read(const Context& ctx, std::int64_t after, TypeFilter filter) {
    co_return co_await worker().run<JournalPages::Page>(
        ctx, [pages = pages_, after, filter = std::move(filter)] { return pages->read(after, filter); });
}

Task<Result<std::int64_t>> JournalTail::head(const Context& ctx) {
    co_return co_await worker().run<std::int64_t>(ctx, [pages = pages_] { return pages->head(); });
}

JournalEvents::JournalEvents(JournalTail& tail, TypeFilter filter) : tail_(tail), filter_(std::move(filter)) {
    tail_.writer().watch_commits(true);
}
JournalEvents::~JournalEvents() {
    tail_.writer().watch_commits(false);
}

Task<Result<void>> JournalEvents::begin(const Context& ctx, std::string after) {
    // Entries still on their way to the file count as earlier ones, so flush them first. If that is not possible they
    // are delivered later.
    auto flushed = co_await tail_.writer().flush(ctx);
    if (!flushed) GANTRY_CO_CHECK(ctx.check());
    GANTRY_CO_TRY(const std::int64_t head, co_await tail_.head(ctx));
    after_ = head;
    if (after.empty()) co_return Result<void>();
    if (const auto number = number_from(after); number && *number <= head) {
        after_ = *number;
    } else {
        first_ = event_of(
            "gantry.feed.missed",
            {{"why", "there is no entry with the id '" + after.substr(0, 64) + "' in this journal; starting from now"}},
            std::to_string(head));
    }
    co_return Result<void>();
}

void JournalEvents::end() {
    ended_ = true;
    tail_.writer().wake_watchers();
}

Task<Result<std::optional<std::string>>> JournalEvents::next(const Context& ctx) {
    if (!first_.empty()) co_return std::exchange(first_, std::string());
    while (!ended_) {
        const std::uint64_t seen = tail_.writer().changes();
        auto page = co_await tail_.read(ctx, after_, filter_);
        if (!page) {
            GANTRY_CO_CHECK(ctx.check());
            if (auto text = take_stalled(page.error().message()); !text.empty()) co_return text;
            GANTRY_CO_CHECK(co_await sleep_for(ctx, kRetry));
            continue;
        }
        std::string text;
        if (page->lost > 0)
            text = event_of("gantry.feed.missed",
                            {{"count", page->lost}, {"why", "they were older or more than the journal keeps"}},
                            std::to_string(after_ + page->lost));
        after_ = page->last;
        if (text.append(page->events); !text.empty()) {
            told_stalled_ = false;
            co_return text;
        }
        if (page->last < page->head) continue;  // no entry of that page matched
        if (const Error* const trouble = tail_.writer().trouble()) {
            if (auto stalled = take_stalled(trouble->message()); !stalled.empty()) co_return stalled;
        }
        while (tail_.writer().changes() == seen && !ended_) GANTRY_CO_CHECK(co_await tail_.writer().changed(ctx));
    }
    co_return std::optional<std::string>();
}

/// Sent once until the next entry.
std::string JournalEvents::take_stalled(std::string_view why) {
    if (std::exchange(told_stalled_, true)) return {};
    return event_of("gantry.feed.stalled", {{"why", why}});
}

}  // namespace gantry::gateway::events
