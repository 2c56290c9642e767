#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/json/scan.hpp"
#include "gantry/error.hpp"
#include "mcp/protocol/message.hpp"

namespace gantry::mcp {

/// One JSON-RPC message as received: its validated text and the positions of its parts, without building a tree.
/// Move-only, because moving keeps the views valid and copying would not.
class RawMessage {
public:
    RawMessage() = default;
    /// Validates that it is one well-formed JSON-RPC message, with the errors of decode_message(); a batch is rejected.
    /// Parts that are null where that means absent (params, the id of an error, the other one of result and error)
    /// are absent in the view.
    static Result<RawMessage> read(std::string text, const JsonLimits& limits = {});
    /// Like read(), for text of a server: lone surrogates are replaced with U+FFFD unless `strict`. Consumes `text`
    /// only if it is a message.
    static Result<RawMessage> read_from_server(std::string& text, const JsonLimits& limits, bool strict);

    RawMessage(RawMessage&&) noexcept = default;
    RawMessage& operator=(RawMessage&&) noexcept = default;

    const std::string& text() const noexcept { return text_; }
    const json::EnvelopeView& view() const noexcept { return view_ ? *view_ : kNothing; }
    bool is_request() const noexcept { return view().method && view().id; }
    bool is_notification() const noexcept { return view().method && !view().id; }
    bool is_response() const noexcept { return !view().method; }
    /// Empty if there is none: a notification, or an error answer to a request whose id could not be read.
    std::optional<RequestId> id() const;
    /// Whether the id is this number, without decoding it.
    bool is_about(std::int64_t id) const noexcept;
    /// The error of a response; empty for a result and for calls.
    std::optional<RpcError> error() const;
    /// The message as a tree.
    Result<Message> decode() const;
    /// Moves the text out; the views become invalid.
    std::string release() && { return std::move(text_); }

private:
    static const json::EnvelopeView kNothing;

    std::string text_;  // always on the heap, so that moving does not relocate the bytes
    // On the heap, because it is half a kilobyte and messages are moved often.
    std::unique_ptr<const json::EnvelopeView> view_;
};

/// Decodes an id in a message; empty unless it is valid (see parse_request_id).
std::optional<RequestId> read_request_id(const json::Span& span);
/// Decodes the error object of a response from its JSON text.
Result<RpcError> read_rpc_error(std::string_view error);

}  // namespace gantry::mcp
