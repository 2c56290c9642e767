#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace gantry::process {

/// Cuts a byte stream into lines, each at most kMaxLine long: what is beyond is dropped, so that
/// memory stays bounded whatever a child writes. Line ends (LF, CRLF) are not part of a line.
class LineCutter {
public:
    static constexpr std::size_t kMaxLine = 8192;
    using Sink = std::function<void(std::string_view line)>;

    void feed(std::string_view bytes, const Sink& sink);
    /// The end of the stream: passes on what came after the last line end.
    void finish(const Sink& sink);

private:
    std::string partial_;
    bool started_ = false;  // partial_ is a line, even if it is empty so far
};

}  // namespace gantry::process
