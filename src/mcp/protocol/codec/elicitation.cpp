#include "gantry/mcp/elicitation.hpp"

#include "mcp/protocol/codec/fields.hpp"

namespace gantry::mcp {
namespace {

constexpr std::array kElicitParams{
    may<&ElicitParams::mode>("mode").since(Revision::k2025_11_25),
    must<&ElicitParams::message>("message"),
    may<&ElicitParams::requested_schema>("requestedSchema"),
    may<&ElicitParams::url>("url").since(Revision::k2025_11_25),
    may<&ElicitParams::elicitation_id>("elicitationId").since(Revision::k2025_11_25).until(Revision::k2025_11_25),
    may<&ElicitParams::task>("task").since(Revision::k2025_11_25).until(Revision::k2025_11_25),
    may<&ElicitParams::meta>("_meta").until(Revision::k2025_11_25)};

}  // namespace

template <>
Result<void> Codec<ElicitParams>::read(const Json& json, ElicitParams& out, Revision revision, const Place& place) {
    if (auto read = read_fields(kElicitParams, json, out, revision, place); !read) return read;
    if (out.mode == ElicitMode::kForm && !out.requested_schema.is_object()) {
        return misfit(place.member("requestedSchema"), "expected an object");
    }
    if (out.mode == ElicitMode::kUrl && out.url.empty()) return misfit(place.member("url"), "missing");
    return {};
}
template <>
Json Codec<ElicitParams>::write(const ElicitParams& value, Revision revision) {
    return write_fields(kElicitParams, value, revision);
}
GANTRY_MCP_EXPORT(ElicitParams);

GANTRY_MCP_CODEC(ElicitResult, must<&ElicitResult::action>("action"), may<&ElicitResult::content>("content"),
                 may<&ElicitResult::meta>("_meta").until(Revision::k2025_11_25));

GANTRY_MCP_CODEC(ElicitationComplete, must<&ElicitationComplete::elicitation_id>("elicitationId"),
                 may<&ElicitationComplete::meta>("_meta"));

}  // namespace gantry::mcp
