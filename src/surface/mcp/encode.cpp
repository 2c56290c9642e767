#include "surface/mcp/encode.hpp"

#include "base/json/splice.hpp"
#include "base/try.hpp"
#include "gantry/json.hpp"
#include "mcp/protocol/meta.hpp"
#include "mcp/protocol/older.hpp"
#include "surface/mcp/encode_stream.hpp"
#include "surface/mcp/errors.hpp"
#include "surface/mcp/traits.hpp"

namespace gantry::surface {
namespace {

using gateway::Output;
using gateway::Verb;
using mcp::Revision;

/// Adds the members a modern client expects in every result, and identifies the gateway as the server that answers.
void modernize(json::Splice& splice, const json::EnvelopeView& view, Verb verb, const Stamp& stamp) {
    const json::ResultView& result = view.in_result;
    if (!result.result_type) {
        splice.add(view.result, "resultType", R"("complete")");
    } else if (!result.result_type.is("complete")) {
        // Meaningless in a legacy server's result, and it must not pass for an input request that was never checked.
        splice.replace(result.result_type, R"("complete")");
    }
    if (verb == Verb::kReadResource) {
        if (!result.ttl_ms) splice.add(view.result, "ttlMs", "0");
        if (!result.cache_scope) splice.add(view.result, "cacheScope", R"("private")");
    }
    // Some legacy servers omit it when there is nothing to say.
    if (verb == Verb::kCallTool && !result.content) splice.add(view.result, "content", "[]");
    if (!result.meta || !result.meta.is_object()) {
        splice.remove(result.meta);
        splice.add(view.result, "_meta", stamped_meta(stamp));
    } else {
        stamp_meta(splice, result, stamp);
    }
}

/// Removes members that strict legacy clients reject.
void make_legacy(json::Splice& splice, const json::EnvelopeView& view) {
    const json::ResultView& result = view.in_result;
    splice.remove(result.result_type);
    splice.remove(result.ttl_ms);
    splice.remove(result.cache_scope);
    unstamp_meta(splice, result);
}

/// Fast path for answers that change little, as most do: another id, and for a modern client another server identity.
/// Empty: more has to change.
std::optional<std::string> little_changed(const mcp::Call& call, Verb verb, const Output& output, const Stamp& stamp) {
    const json::EnvelopeView& view = output.message.view();
    const json::ResultView& result = view.in_result;
    const std::string_view text = output.message.text();
    const auto place = [&text](std::string_view part) { return static_cast<std::size_t>(part.data() - text.data()); };
    const std::size_t id = place(view.id.raw());
    const std::size_t behind_id = id + view.id.raw().size();
    if (id > place(view.result.raw())) return std::nullopt;

    std::string out;
    out.reserve(text.size() + call.id().size() + stamp.server_info.size() + 96);
    out.append(text, 0, id).append(call.id());
    if (!call.peer->modern()) {
        if (mcp::is_modern(output.revision)) return std::nullopt;
        return out.append(text, behind_id);
    }
    if (verb == Verb::kReadResource && (!result.ttl_ms || !result.cache_scope)) return std::nullopt;
    if (verb == Verb::kCallTool && !result.content) return std::nullopt;
    // A legacy server's resultType is meaningless; a complete result is labelled "complete".
    if (result.result_type && (!mcp::is_modern(output.revision) || !result.result_type.is("complete"))) {
        return std::nullopt;
    }
    if (const std::string_view who = result.in_meta.server_info.raw(); !who.empty()) {
        if (!result.result_type || result.in_meta.subscription_id) return std::nullopt;
        out.append(text, behind_id, place(who) - behind_id).append(stamp.server_info);
        return out.append(text, place(who) + who.size());
    }
    if (result.meta || !(result.content || result.ttl_ms)) return std::nullopt;
    // Insert before the existing members.
    const std::size_t inside = place(view.result.raw()) + 1;
    out.append(text, behind_id, inside - behind_id);
    if (!result.result_type) out.append(R"("resultType":"complete",)");
    out.append(R"("_meta":{")").append(mcp::meta_key::kServerInfo).append("\":").append(stamp.server_info).append("},");
    return out.append(text, inside);
}

/// Whether the result may contain something that the client's revision cannot express.
bool needs_rewriting(Verb verb, Revision client, const Output& output) {
    if (mcp::is_modern(client) || client >= output.revision) return false;
    if (client < Revision::k2025_11_25) return verb != Verb::kComplete;
    return verb == Verb::kCallTool && output.result().find("structuredContent") != std::string_view::npos;
}

Json rewritten(Json result, Verb verb, Revision client, const Output& output) {
    switch (verb) {
        case Verb::kCallTool: {
            const Json schema = output_schema_of(output.item);
            return mcp::call_result_for(std::move(result), client, schema.is_null() ? nullptr : &schema);
        }
        case Verb::kGetPrompt: return mcp::prompt_result_for(std::move(result), client);
        case Verb::kReadResource: return mcp::read_result_for(std::move(result), client);
        default: return result;
    }
}

void strip_modern(Json& result) {
    JsonObject* object = result.if_object();
    if (object == nullptr) return;
    for (const std::string_view key : {"resultType", "ttlMs", "cacheScope"}) object->erase(key);
    if (Json* meta = object->find("_meta"); meta != nullptr && meta->is_object()) {
        mcp::strip_envelope(*meta->if_object());
        if (meta->if_object()->empty()) object->erase("_meta");
    }
}

void stamp_modern(Json& result, std::string_view type, const Stamp& stamp) {
    JsonObject& object = *result.if_object();
    object.set("resultType", type);
    Json* meta = object.find("_meta");
    if (meta == nullptr || !meta->is_object()) {
        object.set("_meta", JsonObject{});
        meta = object.find("_meta");
    }
    mcp::strip_envelope(*meta->if_object());
    if (auto info = Json::parse(stamp.server_info))
        meta->if_object()->set(std::string(mcp::meta_key::kServerInfo), *std::move(info));
}

/// Replaces the source's task id by the client's wherever it occurs.
void rename_task(Json& result, std::string_view id) {
    JsonObject* object = result.if_object();
    if (object == nullptr) return;
    if (object->find("taskId") != nullptr) object->set("taskId", id);
    if (Json* task = object->find("task"); task != nullptr && task->find("taskId") != nullptr)
        task->if_object()->set("taskId", id);
    if (Json* meta = object->find("_meta"); meta != nullptr) {
        if (Json* related = meta->find(mcp::meta_key::kRelatedTask); related != nullptr && related->is_object())
            related->if_object()->set("taskId", id);
    }
}

Result<mcp::Answer> encode_task(const mcp::Call& call, const Output& output, const Stamp& stamp, std::string_view id) {
    GANTRY_TRY(Json result, Json::parse(output.result()));
    if (!result.is_object()) return fail(ErrorCode::kProtocol, "the server's result is not an object");
    rename_task(result, id);
    if (call.peer->modern()) {
        stamp_modern(result, output.kind == Output::Kind::kTask ? "task" : "complete", stamp);
    } else {
        strip_modern(result);
    }
    return mcp::Answer::result(call, Json(std::move(result)));
}

Result<mcp::Answer> encode_questions(const mcp::Call& call, Verb verb, const Output& output, const Stamp& stamp) {
    if (!call.peer->modern()) {
        const char* why = "the server needs input, and this client cannot be asked on this connection";
        if (verb == Verb::kCallTool) return answer_failed_tool(call, why);
        return fail(ErrorCode::kUnsupported, why);
    }
    std::string result = R"({"resultType":"input_required")";
    if (!output.questions.empty()) result.append(R"(,"inputRequests":)").append(output.questions);
    if (output.state) result.append(R"(,"requestState":)").append(Json(*output.state).dump());
    result.append(R"(,"_meta":)").append(stamped_meta(stamp)).append("}");
    return mcp::Answer::result(call, std::string_view(result));
}

}  // namespace

Json output_schema_of(const gateway::Item* item) {
    if (item == nullptr) return {};
    auto tool = Json::parse(item->text);
    const Json* schema = tool ? tool->find("outputSchema") : nullptr;
    return schema == nullptr ? Json() : *schema;
}

Result<mcp::Answer> encode(const mcp::Call& call, Verb verb, Output output, const Stamp& stamp,
                           std::string_view task_id) {
    if (output.kind == Output::Kind::kInputRequired) return encode_questions(call, verb, output, stamp);
    if (output.kind == Output::Kind::kTask) return encode_task(call, output, stamp, output.state.value_or(""));
    if (output.stream) return encode_stream(call, verb, std::move(output), stamp);
    if (is_about_task(verb)) return encode_task(call, output, stamp, task_id);

    const json::EnvelopeView& view = output.message.view();
    if (!view.result.is_object()) return fail(ErrorCode::kProtocol, "the server's result is not an object");
    const Revision client = terms_of(*call.peer);
    if (needs_rewriting(verb, client, output)) {
        GANTRY_TRY(Json tree, Json::parse(output.result()));
        tree = rewritten(std::move(tree), verb, client, output);
        strip_modern(tree);
        return mcp::Answer::result(call, tree);
    }
    mcp::Answer answer;
    if (auto changed = little_changed(call, verb, output, stamp)) {
        answer.message = *std::move(changed);
        return answer;
    }
    json::Splice splice(output.message.text());
    splice.replace(view.id, call.id());
    if (call.peer->modern()) {
        modernize(splice, view, verb, stamp);
    } else if (mcp::is_modern(output.revision)) {
        make_legacy(splice, view);
    }
    GANTRY_TRY(answer.message, splice.finish());
    return answer;
}

}  // namespace gantry::surface
