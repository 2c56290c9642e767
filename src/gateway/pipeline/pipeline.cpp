#include "gateway/pipeline/pipeline.hpp"

#include "base/try.hpp"
#include "gateway/ports/source.hpp"

namespace gantry::gateway {

Pipeline::Pipeline(PipelineParts parts, PipelineOptions options)
    : parts_(std::move(parts)),
      options_(options),
      guard_(parts_.policy, options_.guard),
      seals_(parts_.sealer, options_.lifetimes) {}

Task<Result<std::shared_ptr<const Principal>>> Pipeline::identify(const Context& ctx, const Credentials& credentials) {
    return parts_.authenticator.authenticate(ctx, credentials);
}

Task<Result<Output>> Pipeline::run(const Context& ctx, const IncomingCall& call,
                                   std::shared_ptr<const Principal> principal, ReplyLine& line) {
    // One coroutine for all steps of a call that is answered at once, as most are.
    Outcome outcome{.correlation_id = call.correlation_id, .verb = call.verb, .name = call.name};
    const TimePoint began = SteadyClock::now();
    std::string source;
    const auto pass = enter({.incoming = call, .principal = principal}, source);
    Result<Output> output;
    if (!pass) {
        output = fail(pass.error());
    } else {
        const AdmittedCall& admitted = pass->call();
        output = co_await admitted.source().execute(ctx, admitted, line);
        if (output && output->kind != Output::Kind::kComplete) [[unlikely]] {
            output = co_await ask_back(ctx, admitted, *std::move(output), line);
        }
        if (output) output->item = admitted.item();
    }
    outcome.principal = principal->id;
    outcome.source = pass ? std::string_view(pass->call().source().name()) : source;
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

Result<Guard::Pass> Pipeline::enter(IdentifiedCall call, std::string& source) {
    const CatalogPtr catalog = parts_.catalog();
    GANTRY_TRY(auto resolved, resolve(*catalog, parts_.find_source, seals_, std::move(call)));
    const std::shared_ptr<Source> whose = resolved.source;
    auto pass = guard_.admit(std::move(resolved));
    if (!pass) source = whose->name();
    return pass;
}

/// The source has a question or goes on after this answer.
Task<Result<Output>> Pipeline::ask_back(const Context& ctx, const AdmittedCall& call, Output output, ReplyLine& line) {
    if (output.kind == Output::Kind::kInputRequired && line.can_ask()) {
        GANTRY_CO_TRY(output, co_await answer_questions(ctx, call, std::move(output), line, options_.input));
    }
    GANTRY_CO_CHECK(seal(call, output));
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
