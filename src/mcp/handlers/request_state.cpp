#include "mcp/handlers/request_state.hpp"

#include <algorithm>
#include <vector>

#include "auth/seal/sealer.hpp"
#include "base/crypto/base64url.hpp"
#include "base/crypto/digest.hpp"
#include "base/try.hpp"

namespace gantry::mcp {
namespace {

constexpr std::string_view kPurpose = "state";
/// Clients send it back in a body, and proxies may limit the size.
constexpr std::size_t kMaxState = 256u << 10;

/// Canonical form with sorted members, so that a client may order its retry differently.
void write_canonical(const Json& value, std::string& out) {
    if (const JsonObject* object = value.if_object()) {
        std::vector<const JsonObject::Member*> members;
        members.reserve(object->size());
        for (const auto& member : *object) members.push_back(&member);
        std::ranges::sort(members, {}, [](const auto* member) { return std::string_view(member->first); });
        out += '{';
        for (const auto* member : members) {
            Json(member->first).dump_to(out);
            out += ':';
            write_canonical(member->second, out);
            out += ',';
        }
        out += '}';
    } else if (const JsonArray* array = value.if_array()) {
        out += '[';
        for (const Json& item : *array) {
            write_canonical(item, out);
            out += ',';
        }
        out += ']';
    } else {
        value.dump_to(out);
    }
}

std::unexpected<Error> refused() {
    return fail(ErrorCode::kInvalidArgument, "requestState is not valid for this request");
}

}  // namespace

std::string request_digest(std::string_view method, const Json& params) {
    JsonObject salient;
    if (const JsonObject* object = params.if_object()) {
        for (const auto& [name, value] : *object) {
            if (name != "_meta" && name != "inputResponses" && name != "requestState") salient.set(name, value);
        }
    }
    std::string text(method);
    text += '\n';
    write_canonical(salient, text);
    return crypto::base64url_encode(crypto::sha256(text));
}

Result<std::string> seal_state(auth::Sealer& sealer, const RequestState& state) {
    const Json plain = JsonObject{
        {"o", state.owner}, {"q", state.request}, {"e", state.expires}, {"r", state.round}, {"a", state.answers}};
    std::string sealed = sealer.seal(kPurpose, plain.dump());
    if (sealed.size() > kMaxState) return fail(ErrorCode::kLimit, "the answers so far are too large to carry");
    return sealed;
}

Result<RequestState> open_state(auth::Sealer& sealer, std::string_view sealed, std::string_view owner,
                                std::string_view request, std::chrono::system_clock::time_point now) {
    if (sealed.size() > kMaxState) return refused();
    const auto plain = sealer.open(kPurpose, sealed);
    if (!plain) return refused();
    auto json = Json::parse(*plain);
    if (!json) return refused();
    const Json* expires = json->find("e");
    const Json* round = json->find("r");
    Json* answers = json->find("a");
    if (expires == nullptr || round == nullptr || answers == nullptr || !answers->is_object()) return refused();
    RequestState state{.owner = std::string(json->string_at("o")),
                       .request = std::string(json->string_at("q")),
                       .expires = expires->as_int().value_or(0),
                       .round = round->as_int().value_or(0),
                       .answers = std::move(*answers->if_object())};
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(now.time_since_epoch()).count();
    if (state.owner != owner || state.request != request || state.expires <= seconds) return refused();
    return state;
}

}  // namespace gantry::mcp
