#pragma once

#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json/scan.hpp"
#include "gantry/error.hpp"
#include "gantry/mcp/revision.hpp"
#include "gantry/mcp/values.hpp"
#include "mcp/protocol/method.hpp"
#include "mcp/server/http_endpoint.hpp"
#include "mcp/server/request_head.hpp"

// Validation of a message before it is served, in the order the specification recommends: JSON, JSON-RPC shape, era,
// required metadata, header and body agree, version supported, routing headers agree, method exists in this era. Pure
// decisions on bytes; the remaining checks (the method is offered, Mcp-Param-*, capabilities) are the backend's.

namespace gantry::mcp {

/// A rejected message: what to answer. On a pipe the status is ignored.
struct Rejection {
    int status = 400;
    RpcError error;
};

enum class MessageKind : std::uint8_t { kRequest, kNotification, kResponse, kBatch };
enum class Era : std::uint8_t { kLegacy, kModern };

/// Checks for strict JSON and JSON-RPC 2.0 and returns the kind. A batch is only recognized as an array.
std::expected<MessageKind, Rejection> shape_of(const json::EnvelopeView& view);
/// The id as spelt, if it can be echoed; else empty.
std::string_view usable_id(const json::EnvelopeView& view) noexcept;
/// Whether a value is a valid id: a string, or an integer of 64 bits spelt as one.
bool is_id(const json::Span& value) noexcept;

/// The era whose rules apply, decided per message: a modern one says so in `_meta`. `head` is null on a pipe.
std::expected<Era, Rejection> era_of(const json::EnvelopeView& view, MessageKind kind, const RequestHead* head,
                                     Eras eras);

/// The modern checks from required metadata on. Also has the method's entry, null if no revision defines the method: it
/// may belong to an extension.
struct ModernClaim {
    Revision revision = kLatestRevision;
    const MethodInfo* info = nullptr;
    std::optional<LogLevel> log_level = {};
};
std::expected<ModernClaim, Rejection> validate_modern(const json::EnvelopeView& view, std::string_view method,
                                                      MessageKind kind, const RequestHead* head, Eras eras);

/// A method some revision defines, but not as a request to a server of the revision `info` was looked up for.
bool misplaced(std::string_view method, const MethodInfo* info) noexcept;

/// The version a legacy request names in its header. Empty: none; a Rejection: not a legacy version.
std::expected<std::optional<Revision>, Rejection> legacy_version(const RequestHead& head);

/// The revisions an endpoint of these eras supports, newest first.
std::vector<Revision> supported_revisions(Eras eras);

/// The HTTP status for an answer of the backend.
int status_of(std::int64_t error, Era era) noexcept;

}  // namespace gantry::mcp
