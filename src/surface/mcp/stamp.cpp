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

bool is_stamp_alone(const json::ResultView& result) {
    const std::string_view member = result.in_meta.server_info.member();
    if (member.empty()) return false;
    const std::string_view meta = result.meta.raw();
    const auto at = static_cast<std::size_t>(member.data() - meta.data());
    const auto blank = [](std::string_view text) {
        return text.find_first_not_of(" \t\r\n") == std::string_view::npos;
    };
    const std::string_view before = meta.substr(1, at - 1);
    const std::string_view after = meta.substr(at + member.size());
    return blank(before) && blank(after.substr(0, after.size() - 1));
}

void unstamp_meta(json::Splice& splice, const json::ResultView& result) {
    if (is_stamp_alone(result)) return splice.remove(result.meta);
    const json::MetaView& meta = result.in_meta;
    for (const json::Span* span : {&meta.server_info, &meta.protocol_version, &meta.subscription_id, &meta.client_info,
                                   &meta.client_capabilities, &meta.log_level}) {
        splice.remove(*span);
    }
}

}  // namespace gantry::surface
