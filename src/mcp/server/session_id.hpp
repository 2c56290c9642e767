#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "gantry/error.hpp"
#include "gantry/mcp/revision.hpp"

namespace gantry::auth {
class Sealer;
}

namespace gantry::mcp {

/// The immutable part of a legacy session. It is sealed into the session id, so that any instance with the same key
/// can restore the session.
struct SessionFacts {
    std::string id;        // random, names the session in our own tables
    std::string path;      // where it was opened
    std::string identity;  // key of its owner
    Revision revision = kLatestLegacyRevision;
    std::string capabilities = "{}";  // as the client declared them
    std::string info = {};
    std::int64_t expires = 0;  // seconds of Unix time

    bool operator==(const SessionFacts&) const = default;
};

std::string encode_facts(const SessionFacts& facts);
/// kParse for anything encode_facts() does not produce.
Result<SessionFacts> decode_facts(std::string_view bytes);

/// 128 random bits as text.
std::string new_session_name();

std::string seal_session(auth::Sealer& sealer, std::string_view purpose, const SessionFacts& facts);
/// kDenied if we never sealed it, kNotFound if it expired.
Result<SessionFacts> open_session(auth::Sealer& sealer, std::string_view purpose, std::string_view token);

/// Seconds of Unix time, for values that must stay meaningful after a restart and on other machines.
std::int64_t unix_now() noexcept;

}  // namespace gantry::mcp
