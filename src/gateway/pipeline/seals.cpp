#include "gateway/pipeline/seals.hpp"

#include <algorithm>
#include <array>

#include "base/crypto/base64url.hpp"
#include "base/crypto/digest.hpp"
#include "base/try.hpp"
#include "gantry/json.hpp"

namespace gantry::gateway {
namespace {

constexpr std::size_t kMaxInnerBytes = 256u << 10;

std::int64_t now_seconds() {
    return std::chrono::floor<std::chrono::seconds>(auth::WallClock::now()).time_since_epoch().count();
}

/// [expiry, part, part, …] as JSON: compact, and parsed strictly.
std::string pack(std::chrono::seconds lifetime, std::initializer_list<std::string_view> parts) {
    JsonArray fields{Json(now_seconds() + lifetime.count())};
    for (const std::string_view part : parts) fields.push_back(Json(part));
    return Json(std::move(fields)).dump();
}

template <std::size_t N>
Result<std::array<std::string, N>> unpack(const std::string& plain) {
    const auto bad = fail(ErrorCode::kDenied, "damaged");
    GANTRY_TRY(const Json json, Json::parse(plain));
    const JsonArray* fields = json.if_array();
    if (fields == nullptr || fields->size() != N + 1) return bad;
    const auto expiry = fields->front().as_int();
    if (!expiry || *expiry <= now_seconds()) return bad;
    std::array<std::string, N> parts;
    for (std::size_t i = 0; i < N; ++i) {
        const std::string* part = (*fields)[i + 1].if_string();
        if (part == nullptr) return bad;
        parts[i] = *part;
    }
    return parts;
}

std::unexpected<Error> bad_state() {
    return fail(ErrorCode::kInvalidArgument, "requestState is unknown, expired or belongs to another call");
}
std::unexpected<Error> bad_task() {
    return fail(ErrorCode::kInvalidArgument, "unknown task");
}

/// Sorts keys, so that a client may spell its arguments differently on the retry.
Json sorted(const Json& json) {
    if (const JsonArray* array = json.if_array()) {
        JsonArray out;
        out.reserve(array->size());
        for (const Json& element : *array) out.push_back(sorted(element));
        return out;
    }
    const JsonObject* object = json.if_object();
    if (object == nullptr) return json;
    std::vector<std::pair<std::string, Json>> members;
    for (const auto& [key, value] : *object) members.emplace_back(key, sorted(value));
    std::ranges::sort(members, {}, [](const auto& member) -> const std::string& { return member.first; });
    JsonObject out;
    for (auto& [key, value] : members) out.set(key, std::move(value));
    return out;
}

}  // namespace

Result<std::string> Seals::seal_state(const WaitingCall& call) {
    if (call.inner && call.inner->size() > kMaxInnerBytes)
        return fail(ErrorCode::kLimit, "the server's request state is too large to carry");
    const std::string inner = call.inner ? "+" + crypto::base64url_encode(*call.inner) : "";
    return sealer_.seal("state", pack(lifetimes_.state, {call.source, call.principal, call.digest, inner}));
}

Result<WaitingCall> Seals::open_state(std::string_view token, const Principal& principal, std::string_view digest) {
    auto plain = sealer_.open("state", token);
    if (!plain) return bad_state();
    auto parts = unpack<4>(*plain);
    if (!parts) return bad_state();
    auto& [source, owner, made_for, inner] = *parts;
    if (owner != principal.id || made_for != digest) return bad_state();
    WaitingCall call{.source = std::move(source), .principal = std::move(owner), .digest = std::move(made_for)};
    if (!inner.empty()) {
        auto bytes = crypto::base64url_decode(std::string_view(inner).substr(1));
        if (!bytes) return bad_state();
        call.inner = *std::move(bytes);
    }
    return call;
}

Result<std::string> Seals::seal_task(const TaskHandle& task) {
    if (task.inner.size() > kMaxInnerBytes) return fail(ErrorCode::kLimit, "the server's task id is too long to carry");
    return sealer_.seal("task",
                        pack(lifetimes_.task, {task.source, task.principal, crypto::base64url_encode(task.inner)}));
}

Result<TaskHandle> Seals::open_task(std::string_view token, const Principal& principal) {
    auto plain = sealer_.open("task", token);
    if (!plain) return bad_task();
    auto parts = unpack<3>(*plain);
    if (!parts) return bad_task();
    auto& [source, owner, inner] = *parts;
    auto bytes = crypto::base64url_decode(inner);
    if (owner != principal.id || !bytes) return bad_task();
    return TaskHandle{.source = std::move(source), .principal = std::move(owner), .inner = *std::move(bytes)};
}

std::string digest_of(Verb verb, std::string_view own_name, const json::ParamsView& params) {
    std::string text(method_of(verb));
    text.append("\n").append(own_name).append("\n");
    if (params.arguments) {
        // Validated when it was scanned, so it parses.
        if (auto arguments = Json::parse(params.arguments.raw())) text += sorted(*arguments).dump();
    }
    return crypto::base64url_encode(crypto::sha256(text));
}

}  // namespace gantry::gateway
