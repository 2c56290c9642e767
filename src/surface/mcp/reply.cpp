#include "surface/mcp/reply.hpp"

#include "base/try.hpp"
#include "gantry/json.hpp"
#include "mcp/protocol/method.hpp"
#include "mcp/protocol/older.hpp"
#include "surface/mcp/traits.hpp"

namespace gantry::surface {
namespace {

using mcp::Revision;

/// A notification around params that begin with one more member.
std::string notification(std::string_view method, std::string_view first, std::string_view params) {
    std::string text = R"({"jsonrpc":"2.0","method":")";
    text.append(method).append(R"(","params":)");
    if (first.empty()) return text.append(params).append("}");
    const std::size_t inside = params.find('{');
    const std::string_view rest = inside == std::string_view::npos ? "}" : params.substr(inside + 1);
    const bool empty = rest.find_first_not_of(" \t\r\n") == rest.find('}');
    text.append("{").append(first).append(empty ? "" : ",").append(rest).append("}");
    return text;
}

/// 2025-11-25 names each page a person is sent to; modern servers no longer do.
void name_elicitation(Json& params) {
    if (params.string_at("mode") != "url" || params.find("elicitationId") != nullptr) return;
    static std::uint64_t next = 0;
    params.if_object()->set("elicitationId", "gantry-" + std::to_string(++next));
}

}  // namespace

void Reply::progress(std::string_view params) {
    if (!token()) return;
    // Most progress is a number and names no secret.
    std::string masked;
    if (redactor_ != nullptr && redactor_->touches(params)) params = masked = redactor_->masked(std::string(params));
    const std::string first = R"("progressToken":)" + std::string(token().raw());
    if (call_.peer->revision >= Revision::k2025_03_26) {
        line_.notify(notification(mcp::method::kProgress, first, params));
    } else if (auto tree = Json::parse(params)) {
        line_.notify(notification(mcp::method::kProgress, first,
                                  mcp::progress_for(*std::move(tree), call_.peer->revision).dump()));
    }
}

void Reply::log(std::string_view params) {
    const std::string told = redactor_ == nullptr ? std::string(params) : redactor_->masked(std::string(params));
    line_.notify(notification(mcp::method::kMessage, {}, told));
}

Task<Result<std::string>> Reply::ask(const Context& ctx, std::string_view method, std::string params) {
    const Revision revision = terms_of(*call_.peer);
    GANTRY_CO_TRY(Json tree, Json::parse(params.empty() ? "{}" : params));
    Json schema;
    if (method == mcp::method::kElicit) {
        if (const Json* asked = tree.find("requestedSchema")) schema = *asked;
        GANTRY_CO_TRY(tree, mcp::elicit_params_for(std::move(tree), revision));
        if (revision == Revision::k2025_11_25) name_elicitation(tree);
    } else if (method == mcp::method::kCreateMessage) {
        GANTRY_CO_TRY(tree, mcp::sampling_params_for(std::move(tree), revision, call_.peer->capabilities));
    }
    GANTRY_CO_TRY(std::string result, co_await line_.ask(ctx, method, tree.dump()));
    if (method == mcp::method::kElicit && revision < Revision::k2025_11_25 && !schema.is_null()) {
        GANTRY_CO_TRY(Json answer, Json::parse(result));
        result = mcp::elicit_result_from(std::move(answer), schema, revision).dump();
    }
    co_return std::move(result);
}

}  // namespace gantry::surface
