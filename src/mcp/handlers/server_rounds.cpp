#include "base/try.hpp"
#include "mcp/handlers/request_state.hpp"
#include "mcp/handlers/server_core.hpp"
#include "mcp/protocol/codec.hpp"
#include "mcp/protocol/errors.hpp"
#include "mcp/protocol/meta.hpp"

namespace gantry::mcp {

Result<Rounds> ServerCore::open_rounds(const Call& call, const Json& params, ServerCall& served) const {
    Rounds rounds{.owner = owner_of(*call.peer), .request = {}};
    if (served.asking_ != ServerCall::Asking::kByRounds) return rounds;
    const Json* responses = params.find("inputResponses");
    const Json* state = params.find("requestState");
    rounds.came_back = responses != nullptr || state != nullptr;
    if (responses != nullptr && !responses->is_object()) {
        return fail(ErrorCode::kInvalidArgument, "inputResponses must be an object");
    }
    if (state != nullptr) {
        if (!state->is_string()) return fail(ErrorCode::kInvalidArgument, "requestState must be a string");
        rounds.request = request_digest(call.method, params);
        GANTRY_TRY(RequestState opened, open_state(sealer(), *state->if_string(), rounds.owner, rounds.request,
                                                   std::chrono::system_clock::now()));
        served.answers_ = std::move(opened.answers);
        served.round_ = opened.round;
    }
    if (responses != nullptr) {
        // Earlier answers are kept: the handler may have based decisions on them.
        for (const auto& [key, answer] : *responses->if_object()) {
            if (!served.answers_.contains(key)) served.answers_.set(key, answer);
        }
    }
    return rounds;
}

bool ServerCore::waits_for_client(const ServerCall& served, const Error& error) {
    return served.asking_ == ServerCall::Asking::kByRounds && !served.pending_.empty() && error.rpc() == nullptr;
}

Answer ServerCore::ask_client(const Call& call, const ServerCall& served, const Rounds& rounds) const {
    if (served.round_ >= options.max_rounds) {
        return Answer::failure(call, internal_error("the client was asked too often in one request"));
    }
    const auto expires = std::chrono::system_clock::now() + options.state_lifetime;
    RequestState state{.owner = rounds.owner,
                       .request = rounds.request.empty() ? request_digest(call.method, call.params()) : rounds.request,
                       .expires = std::chrono::duration_cast<std::chrono::seconds>(expires.time_since_epoch()).count(),
                       .round = served.round_ + 1,
                       .answers = served.used_};
    auto sealed = seal_state(sealer(), state);
    if (!sealed) return Answer::failure(call, sealed.error());
    InputRequired required{.input_requests = served.pending_, .request_state = *std::move(sealed)};
    return finished(call, encode(required, call.peer->revision));
}

}  // namespace gantry::mcp
