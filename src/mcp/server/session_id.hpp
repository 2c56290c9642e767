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

/// The immutable part of a legacy session. It travels sealed in the session id, so that any instance with the same key
/// can take the session up.
struct SessionFacts {
    std::string id;        // random, names the session in our own tables
    std::string path;      // where it was opened
    std::string identity;  // whose it is
    Revision revision = kLatestLegacyRevision;
    std::string capabilities = "{}";  // as the client declared them
    std::string info = {};
    std::int64_t expires = 0;  // seconds of Unix time

    bool operator==(const SessionFacts&) const = default;
};

std::string encode_facts(const SessionFacts& facts);
/// kParse for anything encode_facts() does not make.
Result<SessionFacts> decode_facts(std::string_view bytes);

/// 128 random bits as text.
std::string new_session_name();

std::string seal_session(auth::Sealer& sealer, std::string_view purpose, const SessionFacts& facts);
/// kDenied for what was never sealed by us, kNotFound for what has expired.
Result<SessionFacts> open_session(auth::Sealer& sealer, std::string_view purpose, std::string_view token);

/// Seconds of Unix time: what has to mean the same after a restart and on other machines.
std::int64_t unix_now() noexcept;

}  // namespace gantry::mcp
