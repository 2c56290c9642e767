#include "surface/mcp/tracing.hpp"

#include "gantry/json.hpp"

namespace gantry::surface {
namespace {

std::string caller_of(const mcp::Call& call, const Json& params) {
    const Json* meta = params.find("_meta");
    if (meta != nullptr) {
        if (const std::string_view said = meta->string_at(gateway::kTraceParent); !said.empty())
            return std::string(said);
    }
    if (call.headers == nullptr) return {};
    return std::string(call.headers->get(gateway::kTraceParent).value_or(std::string_view()));
}

void set_parent(JsonObject& params, const std::string& traceparent) {
    Json* meta = params.find("_meta");
    if (meta == nullptr || !meta->is_object()) {
        params.set("_meta", JsonObject{});
        meta = params.find("_meta");
    }
    meta->if_object()->set(std::string(gateway::kTraceParent), traceparent);
}

}  // namespace

std::unique_ptr<const Traced> begin_trace(const mcp::Call& call, gateway::Tracer& tracer) {
    Json params = call.params();
    if (!params.is_object()) return nullptr;
    auto traced = std::make_unique<Traced>();
    traced->ids = tracer.begin(caller_of(call, params));
    set_parent(*params.if_object(), to_traceparent(traced->ids));
    traced->text = R"({"params":)" + params.dump() + "}";
    const auto scanned = json::scan_envelope(traced->text);
    if (!scanned) return nullptr;  // cannot happen: the text was just written
    traced->params = scanned->params.raw();
    traced->view = scanned->in_params;
    return traced;
}

}  // namespace gantry::surface
