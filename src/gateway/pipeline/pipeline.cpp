#include "gateway/pipeline/pipeline.hpp"

#include "base/try.hpp"
#include "gateway/ports/source.hpp"

namespace gantry::gateway {

/// What the record wants to know and only the inner steps see.
struct Pipeline::Trace {
    std::string source;
};

Pipeline::Pipeline(PipelineParts parts, PipelineOptions options)
    : parts_(std::move(parts)),
      options_(options),
      guard_(parts_.policy, options_.guard),
      seals_(parts_.sealer, options_.lifetimes) {}

Task<Result<std::shared_ptr<const Principal>>> Pipeline::identify(const Context& ctx, const Credentials& credentials) {
    return parts_.authenticator.authenticate(ctx, credentials);
}

Task<Result<Output>> Pipeline::run(const Context& ctx, IncomingCall call, std::shared_ptr<const Principal> principal,
                                   ReplyLine& line) {
    const TimePoint began = SteadyClock::now();
    Trace trace;
    Outcome outcome{.verb = call.verb, .name = call.name};
    const std::string correlation_id = call.correlation_id;
    const auto who = principal;
    auto output = co_await attempt(ctx, {.incoming = std::move(call), .principal = std::move(principal)}, line, trace);
    outcome.correlation_id = correlation_id;
    outcome.principal = who->id;
    outcome.source = trace.source;
    outcome.took = SteadyClock::now() - began;
    if (output) {
        outcome.asked_back = output->kind == Output::Kind::kInputRequired;
        outcome.result_bytes = output->stream ? 0 : output->result().size();
    } else {
        outcome.error = &output.error();
    }
    parts_.recorder.record(outcome);
    co_return output;
}

Task<Result<Output>> Pipeline::attempt(const Context& ctx, IdentifiedCall call, ReplyLine& line, Trace& trace) {
    const CatalogPtr catalog = parts_.catalog();
    GANTRY_CO_TRY(auto resolved, resolve(*catalog, parts_.find_source, seals_, std::move(call)));
    trace.source = resolved.source->name();
    GANTRY_CO_TRY(const auto pass, guard_.admit(std::move(resolved)));
    const AdmittedCall& admitted = pass.call();
    GANTRY_CO_TRY(auto output, co_await admitted.source().execute(ctx, admitted, line));
    if (output.kind != Output::Kind::kComplete) [[unlikely]] {
        if (output.kind == Output::Kind::kInputRequired && line.can_ask()) {
            GANTRY_CO_TRY(output, co_await answer_questions(ctx, admitted, std::move(output), line, options_.input));
        }
        GANTRY_CO_CHECK(seal(admitted, output));
    }
    output.item = admitted.item();
    co_return std::move(output);
}

Result<void> Pipeline::seal(const AdmittedCall& call, Output& output) {
    if (output.kind == Output::Kind::kInputRequired) {
        GANTRY_TRY(output.state,
                   seals_.seal_state({.source = call.source().name(),
                                      .principal = call.principal().id,
                                      .digest = digest_of(call.verb(), call.own_name(), call.incoming().view),
                                      .inner = std::move(output.state)}));
    } else if (output.kind == Output::Kind::kTask && output.state) {
        GANTRY_TRY(output.state, seals_.seal_task({.source = call.source().name(),
                                                   .principal = call.principal().id,
                                                   .inner = *std::move(output.state)}));
    }
    return {};
}

}  // namespace gantry::gateway
