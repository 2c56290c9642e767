#include "gateway/sources/mcp/questions.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "gateway/sources/mcp/answers.hpp"
#include "mcp/protocol/codec.hpp"
#include "mcp/protocol/method.hpp"

// Servers' questions, clients' answers, and results that may be questions: a client receives no question of a kind it
// did not declare, forwarded JSON has the promised shape, and nothing of the other hop remains in it.

namespace {

using namespace gantry;
using namespace gantry::gateway;
namespace method = mcp::method;

void require(bool holds) {
    if (!holds) std::abort();
}

ClientTraits client_with(bool elicits, bool samples, bool roots) {
    ClientTraits client;
    if (elicits) client.capabilities.elicitation.emplace();
    if (samples) client.capabilities.sampling.emplace();
    if (roots) client.capabilities.roots.emplace();
    return client;
}

bool offers(const ForwardedCapabilities& forwarded, std::string_view asked) {
    if (asked == method::kElicit) return forwarded.asked.elicitation.has_value();
    if (asked == method::kCreateMessage) return forwarded.asked.sampling.has_value();
    return asked == method::kListRoots && forwarded.asked.roots.has_value();
}

void try_question(const ForwardedCapabilities& forwarded, const std::string& text) {
    for (const std::string_view asked : {method::kElicit, method::kCreateMessage, method::kListRoots, method::kPing}) {
        if (check_question(forwarded, asked, text)) require(offers(forwarded, asked));
    }
    const std::string clean = clean_question(text);
    const auto json = Json::parse(clean, {.max_depth = 200});
    require(json && json->is_object());
    require(json->find("task") == nullptr && json->find("elicitationId") == nullptr);
    const Json* meta = json->find("_meta");
    if (meta != nullptr) require(meta->is_object() && meta->find("progressToken") == nullptr);
    require(clean_question(clean) == clean);
}

void try_result(const ForwardedCapabilities& forwarded, const std::string& text) {
    auto message = mcp::RawMessage::read(R"({"jsonrpc":"2.0","id":0,"result":)" + text + "}");
    if (!message || !message->view().result.is_object()) return;
    mcp::RelayAnswer answer;
    answer.message = *std::move(message);
    const auto output = read_modern_answer(std::move(answer), {}, Verb::kCallTool, forwarded, forwarded.tasks);
    if (!output) return require(output.error().code() == ErrorCode::kProtocol);
    if (output->kind == Output::Kind::kTask) require(output->state && !output->state->empty());
    if (output->kind != Output::Kind::kInputRequired) return;
    require(!output->questions.empty() || output->state);
    if (output->state) require(modern_state(inner_state(*output->state)) == *output->state);
    if (output->state) require(!is_visit_state(*output->state));
    if (output->questions.empty()) return;
    const auto questions = Json::parse(output->questions, {.max_depth = 200});
    require(questions && questions->is_object());
    for (const auto& [key, question] : *questions->if_object())
        require(offers(forwarded, question.string_at("method")));
}

void try_answer(const Json& json) {
    for (const std::string_view asked : {method::kElicit, method::kCreateMessage, method::kListRoots}) {
        if (!check_answer(asked, json)) continue;
        require(json.is_object());
        if (asked == method::kElicit) require(!json.string_at("action").empty());
        if (asked == method::kListRoots) require(json.find("roots")->is_array());
    }
}

void try_pages(const Json& json, const ClientTraits& client, const ForwardedCapabilities& forwarded) {
    const Error error = Error(ErrorCode::kRpc, "pages").rpc({.code = -32042, .message = "pages", .data = json.dump()});
    const auto output = read_legacy_error(error, client, forwarded);
    if (!output) return;
    require(forwarded.by_url() && output->state && is_visit_state(*output->state));
    const auto questions = Json::parse(output->questions);
    require(questions && questions->is_object() && !questions->if_object()->empty());
    require(check_input_requests(forwarded, *questions).has_value());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size < 1) return 0;
    const unsigned choice = data[0];
    const std::string text(reinterpret_cast<const char*>(data) + 1, size - 1);
    ClientTraits client = client_with((choice & 1U) != 0, (choice & 2U) != 0, (choice & 4U) != 0);
    if ((choice & 8U) != 0 && client.capabilities.elicitation) client.capabilities.elicitation->url.emplace();
    const ForwardedCapabilitiesPtr forwarded = carry(client, true, (choice & 16U) != 0);
    require(Json::parse(forwarded->asked_text).has_value() && Json::parse(forwarded->modern_text).has_value());
    try_question(*forwarded, text);
    try_result(*forwarded, text);
    (void)all_visited(text);
    if (const auto json = Json::parse(text)) {
        try_answer(*json);
        try_pages(*json, client, *forwarded);
        if (check_input_requests(*forwarded, *json)) require(json->is_object());
    }
    return 0;
}
