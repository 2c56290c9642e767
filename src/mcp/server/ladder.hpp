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

// The rungs a message climbs before anybody serves it, in the order the specification recommends: JSON, JSON-RPC shape,
// era, required metadata, header and body agree, version known, routing headers agree, method of this era. Pure
// decisions on bytes; what comes after (the method is really offered, Mcp-Param-*, capabilities) belongs to the
// backend.

namespace gantry::mcp {

/// A message that fell: what it is answered with. On a pipe the status does not matter.
struct Fall {
    int status = 400;
    RpcError error;
};

enum class MessageKind : std::uint8_t { kRequest, kNotification, kResponse, kBatch };
enum class Era : std::uint8_t { kLegacy, kModern };

/// Strict JSON, then JSON-RPC 2.0: which of its forms. A batch is only seen to be an array.
std::expected<MessageKind, Fall> shape_of(const json::EnvelopeView& view);
/// The id as it is spelt, if it is one that can be echoed; else empty.
std::string_view usable_id(const json::EnvelopeView& view) noexcept;
/// The same for any value that should be an id: text, or an integer of 64 bits written as one.
bool is_id(const json::Span& value) noexcept;

/// Whose rules apply, decided for each message by its body: a modern one says so in `_meta`. `head` is null on a pipe.
std::expected<Era, Fall> era_of(const json::EnvelopeView& view, MessageKind kind, const RequestHead* head, Eras eras);

/// The modern rungs from required metadata on. The method's row follows, null for one that no revision knows: an
/// extension's, perhaps.
struct ModernClaim {
    Revision revision = kLatestRevision;
    const MethodInfo* info = nullptr;
    std::optional<LogLevel> log_level = {};
};
std::expected<ModernClaim, Fall> climb_modern(const json::EnvelopeView& view, std::string_view method, MessageKind kind,
                                              const RequestHead* head, Eras eras);

/// A method some revision knows, but not as a request to a server of the one `info` was looked up for.
bool misplaced(std::string_view method, const MethodInfo* info) noexcept;

/// The version a legacy request names in its header. Empty: none named; a Fall: not a legacy one.
std::expected<std::optional<Revision>, Fall> legacy_version(const RequestHead& head);

/// What an endpoint of these eras speaks, newest first.
std::vector<Revision> supported_revisions(Eras eras);

/// The status of an answer a backend gave.
int status_of(std::int64_t error, Era era) noexcept;

}  // namespace gantry::mcp
