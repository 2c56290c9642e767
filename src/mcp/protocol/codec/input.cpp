#include "gantry/mcp/input.hpp"

#include "base/try.hpp"
#include "mcp/protocol/codec/blocks.hpp"
#include "mcp/protocol/codec/fields.hpp"

namespace gantry::mcp {
namespace {

template <class Params>
constexpr std::string_view kInputMethod = "";
template <>
constexpr std::string_view kInputMethod<ElicitParams> = "elicitation/create";
template <>
constexpr std::string_view kInputMethod<CreateMessageParams> = "sampling/createMessage";
template <>
constexpr std::string_view kInputMethod<ListRootsInput> = "roots/list";

}  // namespace

GANTRY_MCP_CODEC(Root, must<&Root::uri>("uri"), may<&Root::name>("name").hint(),
                 may<&Root::meta>("_meta").since(Revision::k2025_06_18));

GANTRY_MCP_CODEC(ListRootsResult, must<&ListRootsResult::roots>("roots"),
                 may<&ListRootsResult::meta>("_meta").until(Revision::k2025_11_25));

GANTRY_MCP_CODEC(ListRootsInput, may<&ListRootsInput::meta>("_meta"));

template <>
Result<void> Codec<InputRequest>::read(const Json& json, InputRequest& out, Revision revision, const Place& place) {
    if (!json.is_object()) return misfit(place, "expected an object");
    std::string method;
    const Json* name = json.find("method");
    if (name == nullptr) return misfit(place.member("method"), "missing");
    GANTRY_CHECK(Codec<std::string>::read(*name, method, revision, place.member("method")));
    static const Json kAbsent = JsonObject{};
    const Json* given = json.find("params");
    const Json& params = given != nullptr ? *given : kAbsent;
    const Place inside = place.member("params");
    if (method == kInputMethod<ElicitParams>) return read_block<ElicitParams>(params, out, revision, inside);
    if (method == kInputMethod<CreateMessageParams>) {
        return read_block<CreateMessageParams>(params, out, revision, inside);
    }
    if (method == kInputMethod<ListRootsInput>) return read_block<ListRootsInput>(params, out, revision, inside);
    out = UnknownInput{std::move(method), given != nullptr ? *given : Json()};
    return {};
}
template <>
Json Codec<InputRequest>::write(const InputRequest& value, Revision revision) {
    return std::visit(
        [&]<class Params>(const Params& params) -> Json {
            JsonObject object;
            if constexpr (std::same_as<Params, UnknownInput>) {
                object.set("method", params.method);
                if (!params.params.is_null()) object.set("params", params.params);
            } else {
                object.set("method", kInputMethod<Params>);
                object.set("params", Codec<Params>::write(params, revision));
            }
            return object;
        },
        value);
}
GANTRY_MCP_EXPORT(InputRequest);

Result<void> Codec<InputRequests>::read(const Json& json, InputRequests& out, Revision revision, const Place& place) {
    const JsonObject* object = json.if_object();
    if (object == nullptr) return misfit(place, "expected an object");
    out.clear();
    for (const auto& [key, value] : *object) {
        out.emplace_back(key, InputRequest{});
        GANTRY_CHECK(Codec<InputRequest>::read(value, out.back().second, revision, place.member(key)));
    }
    return {};
}

Json Codec<InputRequests>::write(const InputRequests& value, Revision revision) {
    JsonObject object;
    for (const auto& [key, request] : value) object.set(key, Codec<InputRequest>::write(request, revision));
    return object;
}

GANTRY_MCP_CODEC(InputRequired, constant("resultType", "input_required"),
                 may<&InputRequired::input_requests>("inputRequests"),
                 may<&InputRequired::request_state>("requestState"), may<&InputRequired::meta>("_meta"));

}  // namespace gantry::mcp
