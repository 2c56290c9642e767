#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/json/scan.hpp"
#include "gantry/error.hpp"
#include "mcp/protocol/message.hpp"

namespace gantry::mcp {

/// One JSON-RPC message as it came: its text, checked, and where its parts stand in it. Nothing is copied into a tree.
/// Moving keeps every view valid; a copy would not, so there is none.
class RawMessage {
public:
    RawMessage() = default;
    /// Checks that it is one well-formed JSON-RPC message, with the errors of decode_message(); a batch is refused.
    /// Parts that are null where that means absent (params, the id of an error, the other one of result and error)
    /// are absent in the view.
    static Result<RawMessage> read(std::string text, const JsonLimits& limits = {});
    /// The same for what a server sent: lone surrogates are replaced with U+FFFD unless `strict`. Takes `text` only if
    /// it is a message.
    static Result<RawMessage> read_from_server(std::string& text, const JsonLimits& limits, bool strict);

    RawMessage(RawMessage&&) noexcept = default;
    RawMessage& operator=(RawMessage&&) noexcept = default;

    const std::string& text() const noexcept { return text_; }
    const json::EnvelopeView& view() const noexcept { return view_ ? *view_ : kNothing; }
    bool is_request() const noexcept { return view().method && view().id; }
    bool is_notification() const noexcept { return view().method && !view().id; }
    bool is_response() const noexcept { return !view().method; }
    /// Empty when there is none: a notification, or an error whose request could not be read.
    std::optional<RequestId> id() const;
    /// Whether the id is this number, without making anything of it.
    bool is_about(std::int64_t id) const noexcept;
    /// What an answer says went wrong; empty for a result and for calls.
    std::optional<RpcError> error() const;
    /// The same as a tree.
    Result<Message> decode() const;
    /// Takes the text away; the views are of no use then.
    std::string release() && { return std::move(text_); }

private:
    static const json::EnvelopeView kNothing;

    std::string text_;  // always on the heap, so that moving leaves the bytes where they are
    // Half a kilobyte, and messages are handed on often.
    std::unique_ptr<const json::EnvelopeView> view_;
};

/// An id as it stands in a message; empty unless it is one (see parse_request_id).
std::optional<RequestId> read_request_id(const json::Span& span);
/// The error object of an answer, from its JSON text.
Result<RpcError> read_rpc_error(std::string_view error);

}  // namespace gantry::mcp
