#pragma once

#include <string>

#include "base/json/scan.hpp"
#include "gantry/error.hpp"

namespace gantry::mcp {

/// One JSON-RPC message as it came: its text, checked, and where its parts stand in it. Nothing is copied into a tree.
/// Moving keeps every view valid; a copy would not, so there is none.
class RawMessage {
public:
    RawMessage() = default;
    /// Checks that it is one well-formed JSON-RPC message, with the errors of decode_message(); a batch is refused.
    static Result<RawMessage> read(std::string text, const JsonLimits& limits = {});

    RawMessage(RawMessage&&) noexcept = default;
    RawMessage& operator=(RawMessage&&) noexcept = default;

    const std::string& text() const noexcept { return text_; }
    const json::EnvelopeView& view() const noexcept { return view_; }
    bool is_request() const noexcept { return view_.method && view_.id; }
    bool is_notification() const noexcept { return view_.method && !view_.id; }
    bool is_response() const noexcept { return !view_.method; }
    /// Takes the text away; the views are of no use then.
    std::string release() && { return std::move(text_); }

private:
    std::string text_;  // always on the heap, so that moving leaves the bytes where they are
    json::EnvelopeView view_;
};

}  // namespace gantry::mcp
