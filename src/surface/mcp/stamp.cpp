#include "surface/mcp/stamp.hpp"

#include "mcp/protocol/meta.hpp"

namespace gantry::surface {

std::string stamped_meta(const Stamp& stamp) {
    std::string meta = "{\"";
    meta.append(mcp::meta_key::kServerInfo).append("\":").append(stamp.server_info).append("}");
    return meta;
}

void stamp_meta(json::Splice& splice, const json::ResultView& result, const Stamp& stamp) {
    if (result.in_meta.server_info) {
        splice.replace(result.in_meta.server_info, stamp.server_info);
    } else {
        splice.add(result.meta, mcp::meta_key::kServerInfo, stamp.server_info);
    }
    splice.remove(result.in_meta.subscription_id);
}

void unstamp_meta(json::Splice& splice, const json::ResultView& result) {
    const json::MetaView& meta = result.in_meta;
    for (const json::Span* span : {&meta.server_info, &meta.protocol_version, &meta.subscription_id, &meta.client_info,
                                   &meta.client_capabilities, &meta.log_level}) {
        splice.remove(*span);
    }
}

}  // namespace gantry::surface
