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
        /// The configuration as the file has it now; may block, is called on a thread of its own.
        std::function<Result<Config>()> load;
        /// One line that somebody should read.
        std::function<void(std::string_view)> note = {};
    };
    explicit Reloader(Parts parts);

    /// One at a time: whoever asks while one is under way gets the next. An error: the running configuration stays in
    /// force.
    Task<Result<ReloadPlan>> reload(const Context& ctx);
    /// The same, with the outcome as a note.
    Task<void> reload_and_tell(const Context& ctx);
    /// Reloads whenever the file reads differently, until the context ends.
    Task<void> follow_file(Context ctx);

private:
    Parts parts_;
    AsyncMutex turn_;
    std::string seen_;  // what the file read when it was loaded last
    auth::Worker worker_;
};

/// "added: files; removed: web", for people.
std::string describe(const ReloadPlan& plan);

}  // namespace gantry::app
