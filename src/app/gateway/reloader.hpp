#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

#include "app/gateway/gateway_app.hpp"
#include "io/sync.hpp"
#include "io/worker.hpp"

namespace gantry::app {

/// Keeps a running gateway in step with its configuration file: on file changes, on SIGHUP, and on request.
class Reloader {
public:
    struct Parts {
        GatewayApp& app;
        std::filesystem::path file;
        /// Loads the configuration as the file has it now, through `files`; may block, and is called on a dedicated
        /// thread.
        std::function<Result<Config>()> load;
        /// The pinned paths of the file and of everything it refers to.
        std::shared_ptr<PinnedFiles> files;
        /// Reports one line to the operator.
        std::function<void(std::string_view)> note = {};
        /// Logs a success; unset: not logged.
        std::function<void(std::string_view)> info = {};
    };
    explicit Reloader(Parts parts);

    /// For an operator's request: reads the file by its current path, which is then pinned. Concurrent requests are
    /// serialised. On an error the running configuration stays in use.
    Task<Result<ReloadPlan>> reload(const Context& ctx);
    /// The same, reporting the outcome as a note.
    Task<void> reload_and_tell(const Context& ctx);
    /// Reloads whenever the file's content changes, until the context ends. A change that an isolated server could have
    /// made is reported and waits for reload().
    Task<void> follow_file(Context ctx);

private:
    enum class By : std::uint8_t { kOperator, kWatch };
    Task<Result<ReloadPlan>> load(const Context& ctx, By by);
    void tell(const Result<ReloadPlan>& done) const;
    /// Whether the file, read by its pinned path, has changed and can be trusted.
    bool has_changed();

    Parts parts_;
    AsyncMutex turn_;
    std::string seen_;       // content at the last load
    CancelSource watching_;  // cancelled when the watch has to be reopened
    std::string held_;       // current content that was deliberately not loaded
    Worker worker_;
};

/// Human-readable: "added: files; removed: web".
std::string describe(const ReloadPlan& plan);

}  // namespace gantry::app
