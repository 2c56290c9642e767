#include "mcp/server/session_id.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "auth/seal/sealer.hpp"
#include "mcp/server/peers.hpp"

// A forged session id, and arbitrary content that only we could have sealed: either is rejected or decodes to exactly
// what it was made of.
//
// A new key for every input: the fuzzer learns from comparisons, and can learn whole tokens from them. One that opened
// in an earlier run must be foreign in this one.

namespace {

using namespace gantry;
using namespace gantry::mcp;

void require(bool holds) {
    if (!holds) std::abort();
}

/// Facts whose strings are pieces of the input.
SessionFacts facts_from(std::string_view text) {
    SessionFacts facts{.id = "s", .capabilities = "", .expires = unix_now() + 3600};
    std::string* const fields[] = {&facts.path, &facts.identity, &facts.capabilities, &facts.info, &facts.id};
    for (std::string* field : fields) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        *field += text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    facts.revision = static_cast<Revision>(facts.path.size() % 4);
    return facts;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    auth::Sealer sealer = *auth::Sealer::ephemeral();
    require(!open_session(sealer, "session", text));

    if (const auto facts = decode_facts(text)) {
        require(encode_facts(*facts) == text);
        require(!is_modern(facts->revision) && !facts->id.empty());
        (void)read_peer(facts->revision, facts->capabilities, facts->info);
    }
    const std::string token = sealer.seal("session", text);
    if (const auto opened = open_session(sealer, "session", token)) require(opened->expires > unix_now());

    const SessionFacts facts = facts_from(text);
    require(decode_facts(encode_facts(facts)) == facts);
    const std::string sealed = seal_session(sealer, "session", facts);
    const auto opened = open_session(sealer, "session", sealed);
    require(sealed.size() > (16u << 10) ? !opened : opened && *opened == facts);
    require(!open_session(sealer, "sse", sealed));
    return 0;
}
