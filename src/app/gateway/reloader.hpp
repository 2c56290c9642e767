#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

#include "app/gateway/gateway_app.hpp"
#include "auth/store/worker.hpp"
#include "io/sync.hpp"

namespace gantry::app {

/// Keeps a running gateway in step with its configuration file: when it changes, on a signal, and when asked to.
class Reloader {
public:
    struct Parts {
        GatewayApp& app;
        std::filesystem::path file;
        /// The configuration as the file has it now, read through `files`; may block, is called on a thread of its own.
        std::function<Result<Config>()> load;
        /// The ways to the file and to all it refers to.
        std::shared_ptr<PinnedFiles> files;
        /// One line that somebody should read.
        std::function<void(std::string_view)> note = {};
        /// What went well, for the log; unset: not told.
        std::function<void(std::string_view)> info = {};
    };
    explicit Reloader(Parts parts);

    /// An operator's word: the file is read by whatever way leads to it now, and that way is pinned. One at a time: a
    /// second request waits for the first. An error: the running configuration stays in force.
    Task<Result<ReloadPlan>> reload(const Context& ctx);
    /// The same, with the outcome as a note.
    Task<void> reload_and_tell(const Context& ctx);
    /// Reloads whenever the file reads differently, until the context ends. A change that an isolated server could have
    /// made is reported and waits for reload().
    Task<void> follow_file(Context ctx);

private:
    enum class By : std::uint8_t { kOperator, kWatch };
    Task<Result<ReloadPlan>> load(const Context& ctx, By by);
    void tell(const Result<ReloadPlan>& done) const;
    /// Whether the file, by the way that is pinned, reads differently, and is to be believed.
    bool has_changed();

    Parts parts_;
    AsyncMutex turn_;
    std::string seen_;       // what the file read when it was loaded last
    CancelSource watching_;  // cancelled when the watch has to be opened again
    std::string held_;       // what it reads now, though it was not loaded
    auth::Worker worker_;
};

/// "added: files; removed: web", for people.
std::string describe(const ReloadPlan& plan);

}  // namespace gantry::app
