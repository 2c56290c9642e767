#include "mcp/server/session_id.hpp"

#include <algorithm>
#include <cassert>
#include <chrono>

#include "auth/seal/sealer.hpp"
#include "base/crypto/digest.hpp"
#include "base/hex.hpp"
#include "base/try.hpp"

namespace gantry::mcp {
namespace {

constexpr char kForm = 1;
/// It must fit a header field; a client that declares more gets no session.
constexpr std::size_t kMaxToken = 16u << 10;

void put_number(std::string& out, std::uint64_t value, int bytes) {
    for (int i = 0; i < bytes; ++i) out += static_cast<char>(value >> (8 * i) & 0xFFU);
}

void put_text(std::string& out, std::string_view text) {
    put_number(out, text.size(), 4);
    out += text;
}

/// Consumes fields from the front; after the first malformed one everything reads as empty and `good` is false.
struct Fields {
    std::string_view rest;
    bool good = true;

    std::uint64_t number(int bytes) {
        if (rest.size() < static_cast<std::size_t>(bytes)) {
            good = false;
            return 0;
        }
        std::uint64_t value = 0;
        for (int i = 0; i < bytes; ++i) {
            value |= static_cast<std::uint64_t>(static_cast<unsigned char>(rest[static_cast<std::size_t>(i)]))
                     << (8 * i);
        }
        rest.remove_prefix(static_cast<std::size_t>(bytes));
        return value;
    }
    std::string text() {
        const std::uint64_t size = number(4);
        if (size > rest.size()) {
            good = false;
            return {};
        }
        std::string out(rest.substr(0, size));
        rest.remove_prefix(size);
        return out;
    }
};

}  // namespace

std::string encode_facts(const SessionFacts& facts) {
    std::string out(1, kForm);
    put_number(out, static_cast<std::uint64_t>(facts.revision), 1);
    put_number(out, static_cast<std::uint64_t>(facts.expires), 8);
    for (const std::string* text : {&facts.id, &facts.path, &facts.identity, &facts.capabilities, &facts.info}) {
        put_text(out, *text);
    }
    return out;
}

Result<SessionFacts> decode_facts(std::string_view bytes) {
    Fields fields{bytes};
    SessionFacts facts;
    const bool known = fields.number(1) == static_cast<std::uint64_t>(kForm);
    const std::uint64_t revision = fields.number(1);
    facts.expires = static_cast<std::int64_t>(fields.number(8));
    for (std::string* text : {&facts.id, &facts.path, &facts.identity, &facts.capabilities, &facts.info}) {
        *text = fields.text();
    }
    const bool legacy = revision <= static_cast<std::uint64_t>(kLatestLegacyRevision);
    if (!known || !legacy || !fields.good || !fields.rest.empty() || facts.id.empty()) {
        return fail(ErrorCode::kParse, "not a session");
    }
    facts.revision = static_cast<Revision>(revision);
    return facts;
}

std::string new_session_name() {
    const auto bytes = crypto::random_bytes(16);
    assert(bytes && "the system has no random numbers");
    return to_hex(*bytes);
}

std::string seal_session(auth::Sealer& sealer, std::string_view purpose, const SessionFacts& facts) {
    return sealer.seal(purpose, encode_facts(facts));
}

Result<SessionFacts> open_session(auth::Sealer& sealer, std::string_view purpose, std::string_view token) {
    if (token.empty() || token.size() > kMaxToken) return fail(ErrorCode::kDenied, "not a session id");
    GANTRY_TRY(const std::string plain, sealer.open(purpose, token));
    GANTRY_TRY(SessionFacts facts, decode_facts(plain));
    if (facts.expires <= unix_now()) return fail(ErrorCode::kNotFound, "the session has expired");
    return facts;
}

std::int64_t unix_now() noexcept {
    return std::chrono::duration_cast<std::chrono::seconds>(std::chrono::system_clock::now().time_since_epoch())
        .count();
}

}  // namespace gantry::mcp
