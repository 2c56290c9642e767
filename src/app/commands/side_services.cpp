#include "app/commands/side_services.hpp"

#include "gateway/events/log.hpp"

namespace gantry::app {

using gateway::LogLevel;

SideServices::SideServices(Loop& loop, GatewayApp& app, const ServeArgs& args, std::function<Result<Config>()> load,
                           std::shared_ptr<PinnedFiles> files, const Notes& notes)
    : note_(notes.note), follow_(!args.no_watch), scope_(Context::background()) {
    if (!args.config.empty()) {
        reloader_.emplace(Reloader::Parts{.app = app,
                                          .file = args.config,
                                          .load = std::move(load),
                                          .files = std::move(files),
                                          .note = notes.note,
                                          .info = [log = notes.log](std::string_view text) {
                                              if (log != nullptr) log->write(LogLevel::kInfo, text);
                                          }});
    }
    control_.emplace(
        loop, ControlChannel::Parts{.app = app, .reloader = reloader_ ? &*reloader_ : nullptr, .log = notes.log});
}

void SideServices::start() {
    if (auto started = control_->start(); !started) {
        note_("gantry status and similar commands cannot reach this gateway: " + started.error().message());
    }
    if (reloader_ && follow_) scope_.spawn(reloader_->follow_file(scope_.context()));
}

Task<void> SideServices::stop() {
    scope_.cancel();
    co_await scope_.join();
    co_await control_->stop();
}

}  // namespace gantry::app
