#include "mcp/handlers/questions.hpp"

#include "base/crypto/base64url.hpp"
#include "base/crypto/digest.hpp"
#include "base/try.hpp"
#include "mcp/protocol/codec.hpp"
#include "mcp/protocol/method.hpp"
#include "mcp/protocol/older.hpp"

namespace gantry::mcp {
namespace {

std::unexpected<Error> misfit(std::string_view key, const std::string& why) {
    return fail(ErrorCode::kInvalidArgument, "the answer to '" + std::string(key) + "': " + why);
}

}  // namespace

Result<Question> question_for(const InputRequest& request, const Peer& peer) {
    const Revision revision = peer.revision;
    if (const auto* elicit = std::get_if<ElicitParams>(&request)) {
        ElicitParams params = *elicit;
        if (params.mode == ElicitMode::kUrl && !params.elicitation_id) {
            GANTRY_TRY(const std::string random, crypto::random_bytes(12));
            params.elicitation_id = crypto::base64url_encode(random);
        }
        GANTRY_TRY(Json json, elicit_params_for(encode(params, revision), revision));
        return Question{method::kElicit, std::move(json)};
    }
    if (const auto* sample = std::get_if<CreateMessageParams>(&request)) {
        GANTRY_TRY(Json json, sampling_params_for(encode(*sample, revision), revision, peer.capabilities));
        return Question{method::kCreateMessage, std::move(json)};
    }
    if (std::holds_alternative<ListRootsInput>(request)) return Question{method::kListRoots, JsonObject{}};
    return fail(ErrorCode::kInvalidArgument, "a question of an unknown kind");
}

std::string_view name_of(const InputRequest& request) {
    if (std::holds_alternative<ElicitParams>(request)) return "elicitation";
    if (std::holds_alternative<CreateMessageParams>(request)) return "sampling";
    if (std::holds_alternative<ListRootsInput>(request)) return "roots";
    return "that request";
}

std::optional<ClientCapabilities> missing_for(const InputRequest& request, const Peer& peer) {
    const ClientCapabilities& has = peer.capabilities;
    ClientCapabilities required;
    if (const auto* elicit = std::get_if<ElicitParams>(&request)) {
        const bool url = elicit->mode == ElicitMode::kUrl;
        if (has.elicitation && (url ? has.elicitation->supports_url() : has.elicitation->supports_form())) return {};
        required.elicitation.emplace();
        (url ? required.elicitation->url : required.elicitation->form) = JsonObject{};
        return required;
    }
    if (const auto* sample = std::get_if<CreateMessageParams>(&request)) {
        const bool tools = !sample->tools.empty();
        if (has.sampling && (!tools || has.sampling->tools)) return {};
        required.sampling.emplace();
        if (tools) required.sampling->tools = JsonObject{};
        return required;
    }
    if (std::holds_alternative<ListRootsInput>(request) && !has.roots) {
        required.roots.emplace();
        return required;
    }
    return {};
}

Result<Json> answer_from(std::string_view key, const InputRequest& request, std::string_view text, Revision revision) {
    GANTRY_TRY(Json answer, Json::parse(text));
    if (const auto* elicit = std::get_if<ElicitParams>(&request)) {
        answer = elicit_result_from(std::move(answer), elicit->requested_schema, revision);
    }
    GANTRY_CHECK(check_answer(key, request, answer, revision));
    return answer;
}

Result<void> check_answer(std::string_view key, const InputRequest& request, const Json& answer, Revision revision) {
    if (!answer.is_object()) return misfit(key, "must be an object");
    if (const auto* asked = std::get_if<ElicitParams>(&request)) {
        const auto result = decode<ElicitResult>(answer, revision);
        if (!result) return misfit(key, result.error().message());
        if (!result->action.known()) return misfit(key, "must accept, decline or cancel");
        if (result->action != ElicitAction::kAccept || asked->mode != ElicitMode::kForm) return {};
        if (auto fits = check_elicit_content(asked->requested_schema, result->content.value_or(JsonObject{})); !fits) {
            return misfit(key, fits.error().message());
        }
    } else if (std::holds_alternative<CreateMessageParams>(request)) {
        if (auto result = decode<CreateMessageResult>(answer, revision); !result) {
            return misfit(key, result.error().message());
        }
    } else if (std::holds_alternative<ListRootsInput>(request)) {
        if (auto result = decode<ListRootsResult>(answer, revision); !result) {
            return misfit(key, result.error().message());
        }
    }
    return {};
}

}  // namespace gantry::mcp
