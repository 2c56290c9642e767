#include "mcp/server/greeting.hpp"

#include "mcp/protocol/codec.hpp"
#include "mcp/protocol/errors.hpp"
#include "mcp/protocol/meta.hpp"
#include "mcp/protocol/negotiate.hpp"
#include "mcp/server/request_validation.hpp"

namespace gantry::mcp {
namespace {

/// Larger declarations would make the session id exceed what HTTP clients allow in a header.
constexpr std::size_t kMaxDeclared = 4096;

ServerCapabilities promised(const ServerCapabilities& all, bool can_tell) {
    ServerCapabilities out = all;
    if (can_tell) return out;
    if (out.tools) out.tools->list_changed.reset();
    if (out.prompts) out.prompts->list_changed.reset();
    if (out.resources) {
        out.resources->list_changed.reset();
        out.resources->subscribe.reset();
    }
    return out;
}

}  // namespace

std::expected<Introduction, RpcError> read_introduction(const Call& call) {
    const Json params = call.params();
    auto read = decode<InitializeParams>(params, kLatestLegacyRevision);
    if (!read) return std::unexpected(invalid_params(read.error().message()));
    Introduction out;
    out.revision = answer_initialize_version(read->protocol_version);
    out.capabilities = params.find("capabilities")->dump();
    const Implementation brief{
        .name = read->client_info.name, .version = read->client_info.version, .title = read->client_info.title};
    out.info = encode(brief, out.revision).dump();
    if (out.capabilities.size() + out.info.size() > kMaxDeclared) {
        return std::unexpected(invalid_params("capabilities and clientInfo are longer than a session can hold"));
    }
    return out;
}

std::string initialize_result(const ServerProfile& profile, Revision revision, bool can_tell) {
    const InitializeResult result{.protocol_version = std::string(to_string(revision)),
                                  .capabilities = promised(profile.capabilities, can_tell),
                                  .server_info = profile.self,
                                  .instructions = profile.instructions};
    return encode(result, revision).dump();
}

std::string discover_result(const ServerProfile& profile, Eras eras, bool can_tell) {
    DiscoverResult result{.capabilities = promised(profile.capabilities, can_tell),
                          .instructions = profile.instructions,
                          .ttl_ms = profile.ttl_ms,
                          .cache_scope = profile.cache_scope};
    for (const Revision revision : supported_revisions(eras))
        result.supported_versions.emplace_back(to_string(revision));
    stamp_server_info(result.meta, profile.self);
    return encode(result, kLatestRevision).dump();
}

}  // namespace gantry::mcp
