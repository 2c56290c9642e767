#include "gantry/mcp/elicitation.hpp"

#include "mcp/protocol/codec/fields.hpp"

namespace gantry::mcp {
namespace {

constexpr std::tuple kElicitParams{
    may("mode", &ElicitParams::mode).since(Revision::k2025_11_25),
    must("message", &ElicitParams::message),
    may("requestedSchema", &ElicitParams::requested_schema),
    may("url", &ElicitParams::url).since(Revision::k2025_11_25),
    may("elicitationId", &ElicitParams::elicitation_id).since(Revision::k2025_11_25).until(Revision::k2025_11_25),
    may("task", &ElicitParams::task).since(Revision::k2025_11_25).until(Revision::k2025_11_25),
    may("_meta", &ElicitParams::meta).until(Revision::k2025_11_25)};

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

GANTRY_MCP_CODEC(ElicitResult, must("action", &ElicitResult::action), may("content", &ElicitResult::content),
                 may("_meta", &ElicitResult::meta).until(Revision::k2025_11_25));

GANTRY_MCP_CODEC(ElicitationComplete, must("elicitationId", &ElicitationComplete::elicitation_id),
                 may("_meta", &ElicitationComplete::meta));

}  // namespace gantry::mcp
