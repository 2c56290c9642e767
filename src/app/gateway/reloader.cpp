#include "app/gateway/reloader.hpp"

#include <fstream>
#include <iterator>

#include "base/try.hpp"
#include "io/file_watch.hpp"
#include "io/loop.hpp"

namespace gantry::app {
namespace {

/// Whoever writes a file may write it in several steps.
constexpr Duration kGather = milliseconds(100);
/// Before watching is tried again where it failed: the folder may have gone for a moment.
constexpr Duration kPause = seconds(5);

std::string text_of(const std::filesystem::path& file) {
    std::ifstream in(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
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
    add_names(out, "from the next start on", plan.later);
    return out.empty() ? "no server changed" : out;
}

Reloader::Reloader(Parts parts) : parts_(std::move(parts)), seen_(text_of(parts_.file)) {}

Task<Result<ReloadPlan>> Reloader::reload(const Context& ctx) {
    GANTRY_CO_TRY(const auto turn, co_await turn_.lock(ctx));
    seen_ = text_of(parts_.file);
    GANTRY_CO_TRY(Config config, co_await worker_.run<Config>(ctx, [load = parts_.load] { return load(); }));
    co_return co_await parts_.app.reload(ctx, std::move(config));
}

Task<void> Reloader::reload_and_tell(const Context& ctx) {
    const auto done = co_await reload(ctx);
    if (!parts_.note) co_return;
    if (done) {
        parts_.note("the new configuration is in force; " + describe(*done));
    } else {
        parts_.note("the configuration before stays in force: " + done.error().message());
    }
}

Task<void> Reloader::follow_file(Context ctx) {
    bool told = false;
    while (!ctx.cancel().cancelled()) {
        auto watch = FileWatch::open(parts_.file);
        if (!watch && !told && parts_.note) {
            parts_.note("changes of the configuration are not noticed: " + watch.error().message() +
                        "; gantry reload and SIGHUP work");
            told = true;
        }
        while (watch && co_await watch->changed(ctx)) {
            if (!co_await sleep_for(ctx, kGather)) co_return;
            if (text_of(parts_.file) != seen_) co_await reload_and_tell(ctx);
        }
        if (!co_await sleep_for(ctx, kPause)) co_return;
    }
}

}  // namespace gantry::app
