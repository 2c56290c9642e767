#include "app/gateway/reloader.hpp"

#include "base/try.hpp"
#include "io/file_watch.hpp"
#include "io/loop.hpp"
#include "io/pinned_files.hpp"

namespace gantry::app {
namespace {

/// A file may be written in several steps.
constexpr Duration kGather = milliseconds(100);
/// Retry interval when watching fails: the folder may be missing for a moment.
constexpr Duration kPause = seconds(5);

/// Larger than any valid configuration; larger files are rejected when loaded.
constexpr std::size_t kMostBytes = 64u << 20;

std::string text_of(PinnedFiles& files, const std::filesystem::path& file) {
    auto content = files.read(file, kMostBytes);
    return content && content->text ? *std::move(content->text) : std::string();
}

void add_names(std::string& out, std::string_view what, const std::vector<std::string>& names) {
    if (names.empty()) return;
    if (!out.empty()) out += "; ";
    out.append(what).append(": ");
    for (std::size_t i = 0; i < names.size(); ++i) out.append(i == 0 ? "" : ", ").append(names[i]);
}

}  // namespace

std::string describe(const ReloadPlan& plan) {
    std::string out;
    add_names(out, "added", plan.added);
    add_names(out, "changed", plan.changed);
    add_names(out, "removed", plan.removed);
    add_names(out, "settings", plan.settings);
    add_names(out, "at the next start", plan.later);
    return out.empty() ? "no server changed" : out;
}

Reloader::Reloader(Parts parts) : parts_(std::move(parts)), seen_(text_of(*parts_.files, parts_.file)) {}

Task<Result<ReloadPlan>> Reloader::reload(const Context& ctx) {
    return load(ctx, By::kOperator);
}

Task<Result<ReloadPlan>> Reloader::load(const Context& ctx, By by) {
    GANTRY_CO_TRY(const auto turn, co_await turn_.lock(ctx));
    if (by == By::kOperator) {
        parts_.files->forget();
        // The path that is read from now on may differ from the one being watched.
        watching_.cancel();
    }
    seen_ = text_of(*parts_.files, parts_.file);
    held_.clear();
    GANTRY_CO_TRY(Config config, co_await worker_.run<Config>(ctx, [load = parts_.load] { return load(); }));
    // The files it refers to may have been swapped although the file itself has not changed.
    if (const std::string strayed = parts_.files->strayed(); !strayed.empty())
        co_return fail(ErrorCode::kDenied, strayed);
    parts_.app.configuration_waits({});
    co_return co_await parts_.app.reload(ctx, std::move(config));
}

Task<void> Reloader::reload_and_tell(const Context& ctx) {
    tell(co_await reload(ctx));
}

void Reloader::tell(const Result<ReloadPlan>& done) const {
    if (done && parts_.info) parts_.info("configuration reloaded; " + describe(*done));
    if (!done && parts_.note)
        parts_.note("reload rejected; still using the previous configuration: " + done.error().message());
}

bool Reloader::has_changed() {
    auto content = parts_.files->read(parts_.file, kMostBytes);
    if (!content || !content->strayed.empty()) {
        parts_.app.configuration_waits(content ? content->strayed : content.error().message());
        return false;
    }
    const std::string text = content->text.value_or("");
    if (text == seen_ || text == held_) return false;
    if (parts_.app.may_write_configuration().empty()) return true;
    held_ = text;
    parts_.app.configuration_waits(parts_.file.string() + " has changed");
    return false;
}

Task<void> Reloader::follow_file(Context ctx) {
    bool told = false;
    while (!ctx.cancel().cancelled()) {
        watching_ = CancelSource(ctx.cancel());
        const Context watching = ctx.stopped_by(watching_);
        auto watch = FileWatch::open(parts_.file);
        if (!watch && !told && parts_.note) {
            parts_.note("the configuration file is not watched: " + watch.error().message() +
                        "; use gantry reload or SIGHUP");
            told = true;
        }
        // A change made while nothing was being watched produces no event.
        if (watch && has_changed()) tell(co_await load(ctx, By::kWatch));
        while (watch && co_await watch->changed(watching)) {
            if (!co_await sleep_for(ctx, kGather)) co_return;
            if (has_changed()) tell(co_await load(ctx, By::kWatch));
        }
        // An operator's reload also ends the pause: the folder may be a different one now.
        if (watching.check()) static_cast<void>(co_await sleep_for(watching, kPause));
    }
}

}  // namespace gantry::app
