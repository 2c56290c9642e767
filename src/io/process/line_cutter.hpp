#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace gantry::process {

/// Splits a byte stream into lines of at most kMaxLine: the excess is dropped, so that
/// memory stays bounded whatever a child writes. Line ends (LF, CRLF) are not included.
class LineCutter {
public:
    static constexpr std::size_t kMaxLine = 8192;
    using Sink = std::function<void(std::string_view line)>;

    void feed(std::string_view bytes, const Sink& sink);
    /// End of stream: emits what came after the last line end.
    void finish(const Sink& sink);

private:
    std::string partial_;
    bool started_ = false;  // partial_ is a line, even if still empty
};

}  // namespace gantry::process
