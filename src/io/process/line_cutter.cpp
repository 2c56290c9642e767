#include "io/process/line_cutter.hpp"

#include <algorithm>

namespace gantry::process {
namespace {

void pass_on(std::string_view line, const LineCutter::Sink& sink) {
    line = line.substr(0, LineCutter::kMaxLine);
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (sink) sink(line);
}

}  // namespace

void LineCutter::feed(std::string_view bytes, const Sink& sink) {
    while (!bytes.empty()) {
        const std::size_t end = bytes.find('\n');
        const std::string_view piece = bytes.substr(0, end);
        if (started_ || end == std::string_view::npos) {
            started_ = true;
            partial_.append(piece.substr(0, kMaxLine - std::min(kMaxLine, partial_.size())));
        }
        if (end == std::string_view::npos) return;
        if (started_)
            finish(sink);
        else
            pass_on(piece, sink);
        bytes.remove_prefix(end + 1);
    }
}

void LineCutter::finish(const Sink& sink) {
    if (!started_) return;
    started_ = false;
    pass_on(partial_, sink);
    partial_.clear();
}

}  // namespace gantry::process
