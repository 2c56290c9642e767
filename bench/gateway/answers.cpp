#include "answers.hpp"

#include <algorithm>
#include <array>
#include <cstdio>

namespace bench {
namespace {

constexpr std::array<std::string_view, 5> kSpecial = {"small", "medium", "large", "huge", "progress"};
constexpr int kSteps = 20;
constexpr std::string_view kModernResult = R"("resultType":"complete",)";
constexpr std::string_view kSelf = R"({"name":"bench-upstream","version":"1.0.0"})";
// As real text has them: an escape in every line.
constexpr std::string_view kLine = R"(The quick brown fox jumps over the lazy dog and comes home in the evening.\n)";

std::string tool_name(std::size_t index) {
    if (index < kSpecial.size()) return std::string(kSpecial[index]);
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "tool_%05zu", index);
    return text.data();
}

std::string definition(std::size_t index, unsigned generation) {
    return R"({"name":")" + tool_name(index) + R"(","description":"Looks up what is known of a place (edition )" +
           std::to_string(generation) +
           R"().","inputSchema":{"type":"object","properties":{"city":{"type":"string",)"
           R"("description":"Name of the city"},)"
           R"("days":{"type":"integer","minimum":1},"units":{"type":"string","enum":["metric","imperial"]},)"
           R"("note":{"type":"string"}},"required":["city"]}})";
}

}  // namespace

Answers::Answers(Era era, std::size_t tools) : era_(era), tools_(std::max(tools, kSpecial.size())) {
    const std::string self(kSelf);
    opening_ =
        era_ == Era::kModern
            ? R"(,"result":{"resultType":"complete","supportedVersions":["2026-07-28"],)"
              R"("capabilities":{"tools":{"listChanged":true}},"ttlMs":3600000,"cacheScope":"public",)"
              R"("_meta":{"io.modelcontextprotocol/serverInfo":)" +
                  self + "}}}"
            : R"(,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":)" + self + "}}";
    small_ = result_of(300);
    medium_ = result_of(10'000);
    large_ = result_of(1'000'000);
    huge_ = result_of(64'000'000);
    write_list();
}

void Answers::write_list() {
    former_list_ = std::move(list_);
    list_ = R"(,"result":{)";
    if (era_ == Era::kModern) list_.append(kModernResult).append(R"("ttlMs":3600000,"cacheScope":"public",)");
    list_ += R"("tools":[)";
    for (std::size_t i = 0; i < tools_; ++i) {
        if (i > 0) list_ += ',';
        list_ += definition(i, i + 1 == tools_ ? last_tool_generation_ : generation_);
    }
    list_ += "]}}";
}

std::string Answers::change_catalog() {
    ++generation_;
    return change_one_tool();
}

std::string Answers::change_one_tool() {
    ++last_tool_generation_;
    write_list();
    return R"({"jsonrpc":"2.0","method":"notifications/tools/list_changed","params":)"
           R"({"_meta":{"io.modelcontextprotocol/subscriptionId":)";
}

std::string Answers::result_of(std::size_t bytes) const {
    std::string text = R"(,"result":{)";
    if (era_ == Era::kModern) text += kModernResult;
    text += R"("content":[{"type":"text","text":")";
    constexpr std::string_view kEnd = R"("}],"isError":false}})";
    constexpr std::size_t kBegin = 24;  // of the message, before `text`
    text.reserve(bytes);
    while (text.size() + kBegin + kLine.size() + kEnd.size() <= bytes) text += kLine;
    text.append(bytes - text.size() - kBegin - kEnd.size(), '.');
    return text.append(kEnd);
}

Answer Answers::to(const Request& request) const {
    if (request.id.empty()) {
        Answer answer;
        answer.status = 202;
        return answer;
    }
    if (request.method == "tools/call") return call(request);
    if (request.method == "tools/list") return with(request, list_);
    if (request.method == "ping") return with(request, R"(,"result":{}})");
    if (era_ == Era::kModern) {
        if (request.method == "server/discover") return with(request, opening_);
        if (request.method == "subscriptions/listen") {
            Answer answer;
            answer.stays_open = true;
            answer.notifications.push_back(
                R"({"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"notifications":)"
                R"({"toolsListChanged":true},"_meta":{"io.modelcontextprotocol/subscriptionId":)" +
                std::string(request.id) + "}}}");
            return answer;
        }
        return refuse(request, 404, R"(,"error":{"code":-32601,"message":"no such method"}})");
    }
    if (request.method == "initialize") {
        Answer answer = with(request, opening_);
        answer.opens_session = true;
        return answer;
    }
    return refuse(request, 200, R"(,"error":{"code":-32601,"message":"no such method"}})");
}

Answer Answers::call(const Request& request) const {
    if (request.name == "medium") return with(request, medium_);
    if (request.name == "large") return with(request, large_);
    if (request.name == "huge") return with(request, huge_);
    Answer answer = with(request, small_);
    if (request.name == "progress" && !request.token.empty()) {
        answer.notifications.reserve(kSteps);
        for (int step = 1; step <= kSteps; ++step) {
            answer.notifications.push_back(
                R"({"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":)" +
                std::string(request.token) + R"(,"progress":)" + std::to_string(step) +
                R"(,"total":20,"message":"a further step is done"}})");
        }
    }
    return answer;
}

Answer Answers::with(const Request& request, std::string_view tail) const {
    Answer answer;
    answer.head.reserve(24 + request.id.size());
    answer.head.append(R"({"jsonrpc":"2.0","id":)").append(request.id);
    answer.tail = tail;
    return answer;
}

Answer Answers::refuse(const Request& request, int status, std::string_view error) const {
    Answer answer = with(request, error);
    answer.status = status;
    return answer;
}

}  // namespace bench
