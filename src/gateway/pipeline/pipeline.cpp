#include "gateway/pipeline/pipeline.hpp"

#include "base/counted.hpp"
#include "base/try.hpp"
#include "gateway/pipeline/unknown_tool.hpp"
#include "gateway/ports/source.hpp"
#include "gateway/resilience/retry.hpp"
#include "io/loop.hpp"

namespace gantry::gateway {

Pipeline::Pipeline(PipelineParts parts, PipelineOptions options)
    : parts_(parts),
      options_(options),
      gates_(parts_.gates != nullptr ? *parts_.gates : own_gates_),
      guard_(gates_, parts_.approver),
      seals_(parts_.sealer, options_.lifetimes),
      costly_({}) {}

Task<Result<std::shared_ptr<const Principal>>> Pipeline::identify(const Context& ctx, const Credentials& credentials) {
    if (parts_.events == nullptr || !parts_.events->listening())
        return parts_.authenticator.authenticate(ctx, credentials);
    return identify_and_publish(ctx, credentials);
}

/// The same, and publishes an event when authentication fails.
Task<Result<std::shared_ptr<const Principal>>> Pipeline::identify_and_publish(const Context& ctx,
                                                                              const Credentials& credentials) {
    auto principal = co_await parts_.authenticator.authenticate(ctx, credentials);
    if (!principal)
        parts_.events->publish({.type = event_type::kAuthenticationFailed,
                                .subject = credentials.peer_address,
                                .data = {{"reason", to_string(principal.error().code())}}});
    co_return principal;
}

// A single coroutine for all steps, because most calls are answered at once.
Task<Result<Output>> Pipeline::run(const Context& ctx, const IncomingCall& call,
                                   const std::shared_ptr<const Principal>& principal, ReplyLine& line) {
    const TimePoint began = SteadyClock::now();
    const Counted counted(running_);

    Admission admission = admit({.incoming = call, .principal = principal}, began);
    if (admission.entry.costly) [[unlikely]]
        co_await check_costly(ctx, admission);

    Execution done;
    if (!admission.entry.verdict) {
        done.output = fail(admission.entry.verdict.error());
    } else if (admission.entry.held) [[unlikely]] {
        done = co_await execute_held(ctx, *std::move(admission.entry.held), line);
    } else {
        const AdmittedCall& admitted = admission.entry.pass->call();
        if (auto permit = gates_.of(admitted.source().name()).try_enter(admitted.source())) [[likely]] {
            done.output = co_await admitted.source().execute(ctx, admitted, line);
            permit.settle(done.output);
        } else {
            done.output = co_await attempt(ctx, admitted, line);
        }
        if (!is_final(done.output, admitted)) [[unlikely]]
            done = co_await finish(ctx, admitted, std::move(done), line);
        if (done.output) done.output->item = admitted.item();
    }

    if (const auto ticket = record(call, *principal, admission, done, began)) [[unlikely]] {
        if (auto kept = co_await parts_.recorder.kept(ctx, ticket); !kept) co_return fail(kept.error());
    }
    co_return std::move(done.output);
}

Pipeline::Admission Pipeline::admit(IdentifiedCall call, TimePoint now) {
    const IncomingCall& incoming = call.incoming;
    const Principal& principal = *call.principal;  // resolve() may move the pointer
    if (const Error* refusal = parts_.recorder.refusal(); refusal != nullptr) [[unlikely]]
        return {.entry = {.verdict = fail(*refusal)}};
    const auto worded = [&](const Error& why) {
        const bool unknown = incoming.verb == Verb::kCallTool && why.code() == ErrorCode::kNotFound;
        return fail(unknown ? unknown_tool(incoming, principal) : why);
    };
    auto resolved = resolve(seals_, call);
    if (!resolved) return {.entry = {.verdict = worded(resolved.error())}};
    const Source* const source = resolved->source;  // the guard may move the call
    Admission admission{.entry = guard_.admit(*resolved, now), .source = source};
    if (!admission.entry.verdict) admission.entry.verdict = worded(Error(admission.entry.verdict.error()));
    note_admitted(admission);
    return admission;
}

void Pipeline::note_admitted(Admission& admission) noexcept {
    if (admission.entry.pass) {
        admission.item = admission.entry.pass->call().item();
        admission.own_name = admission.entry.pass->call().own_name();
    } else if (admission.entry.held) {
        admission.item = admission.entry.held->call().item;
        admission.own_name = admission.item->name;
    }
}

Task<void> Pipeline::check_costly(const Context& ctx, Admission& admission) {
    const ResolvedCall& call = *admission.entry.costly;
    const IncomingCall& incoming = call.identified.incoming;
    auto fits =
        co_await costly_.check(ctx, call.source->name(), std::string(incoming.name), call.item->input_schema,
                               std::string(Guard::arguments_of(call)), incoming.snapshot.settings->limits.max_steps);
    if (fits) {
        guard_.admit_checked(admission.entry);
    } else {
        admission.entry.verdict = fail(fits.error().within("arguments"));
    }
    note_admitted(admission);
}

Task<Result<Output>> Pipeline::attempt(const Context& ctx, const AdmittedCall& call, ReplyLine& line) {
    GANTRY_CO_TRY(auto permit, co_await gates_.of(call.source().name()).enter(ctx, call.source()));
    auto output = co_await call.source().execute(ctx, call, line);
    permit.settle(output);
    co_return output;
}

Task<Pipeline::Execution> Pipeline::execute_held(const Context& ctx, Guard::Held held, ReplyLine& line) {
    const ResolvedCall call = held.call();
    const TimePoint began = SteadyClock::now();
    auto decision = co_await guard_.ask(ctx, std::move(held), line);
    if (!decision) co_return Execution{.output = fail(decision.error())};
    if (!decision->pass) {
        if (auto sealed = seal_question(call, decision->asks); !sealed)
            co_return Execution{.output = fail(sealed.error())};
        decision->asks.item = call.item;
        co_return Execution{.output = std::move(decision->asks)};
    }
    // The time a person takes does not count as the call's.
    const Duration waited = SteadyClock::now() - began;
    const Deadline until = ctx.deadline().is_never() ? ctx.deadline() : Deadline(ctx.deadline().at() + waited);
    const Context rest(until, ctx.cancel());
    const AdmittedCall& admitted = decision->pass->call();
    Execution done{.output = co_await attempt(rest, admitted, line)};
    if (!is_final(done.output, admitted)) done = co_await finish(rest, admitted, std::move(done), line);
    if (done.output) done.output->item = admitted.item();
    co_return done;
}

bool Pipeline::is_final(const Result<Output>& output, const AdmittedCall& call) {
    if (output) return output->kind == Output::Kind::kComplete;
    return !may_repeat(gates_.of(call.source().name()).retry(), output.error(), call);
}

Task<Pipeline::Execution> Pipeline::finish(const Context& ctx, const AdmittedCall& call, Execution first,
                                           ReplyLine& line) {
    Execution done = std::move(first);
    if (!done.output) {
        const Error why = done.output.error();
        done = co_await repeat(ctx, call, line, why);
    }
    if (done.output && done.output->kind != Output::Kind::kComplete)
        done.output = co_await ask_back(ctx, call, *std::move(done.output), line);
    co_return done;
}

Task<Pipeline::Execution> Pipeline::repeat(const Context& ctx, const AdmittedCall& call, ReplyLine& line, Error first) {
    const RetryOptions options = gates_.of(call.source().name()).retry();
    Execution done{.output = fail(std::move(first))};
    for (std::size_t number = 2; number <= options.attempts; ++number) {
        const Duration pause = pause_before(options, number);
        // An answer now is worth more than a timeout later.
        if (Deadline::after(pause) >= ctx.deadline()) break;
        if (auto slept = co_await sleep_for(ctx, pause); !slept) {
            done.output = fail(slept.error());
            break;
        }
        done.attempts = static_cast<std::uint32_t>(number);
        done.output = co_await attempt(ctx, call, line);
        if (done.output || !may_repeat(options, done.output.error(), call)) break;
    }
    co_return done;
}

Recorder::Ticket Pipeline::record(const IncomingCall& call, const Principal& principal, const Admission& admission,
                                  const Execution& done, TimePoint began) {
    Outcome outcome{.correlation_id = call.correlation_id,
                    .verb = call.verb,
                    .name = call.name,
                    .own_name = admission.own_name,
                    .item = admission.item,
                    .principal = principal.id,
                    .source = {}};
    if (admission.source != nullptr) {
        outcome.source = admission.source->name();
        outcome.source_kind = admission.source->kind();
    }
    outcome.session = call.client.session;
    outcome.client = call.client.name;
    outcome.attempts = done.attempts;
    outcome.arguments = call.view.arguments.raw();
    outcome.trace = call.trace;
    outcome.ended = SteadyClock::now();
    outcome.took = outcome.ended - began;
    if (const auto& output = done.output) {
        outcome.asked_back = output->kind == Output::Kind::kInputRequired;
        outcome.result_bytes = output->stream ? 0 : output->result().size();
        if (!output->stream && output->kind == Output::Kind::kComplete) outcome.result = output->result();
        outcome.tool_failed = !output->stream && output->view().is_error.is_true();
    } else {
        outcome.error = &output.error();
    }
    return parts_.recorder.record(outcome);
}

void Pipeline::turned_away(const IncomingCall& call, const Principal& principal, const Error& why) {
    record(call, principal, {}, {.output = fail(why)}, SteadyClock::now());
}

/// Handles an output that is not final: a question, or a task.
Task<Result<Output>> Pipeline::ask_back(const Context& ctx, const AdmittedCall& call, Output output, ReplyLine& line) {
    if (output.kind == Output::Kind::kInputRequired && line.can_ask()) {
        GANTRY_CO_TRY(output, co_await answer_questions(
                                  ctx, call, std::move(output), line,
                                  [this](const Context& again_ctx, const AdmittedCall& again, ReplyLine& to) {
                                      return attempt(again_ctx, again, to);
                                  },
                                  options_.input));
    }
    GANTRY_CO_CHECK(seal(call, output));
    co_return std::move(output);
}

Result<void> Pipeline::seal_question(const ResolvedCall& call, Output& output) {
    const IncomingCall& incoming = call.identified.incoming;
    GANTRY_TRY(output.state, seals_.seal_state({.source = call.source->name(),
                                                .principal = call.identified.principal->id,
                                                .digest = digest_of(incoming.verb, call.own_name, incoming.view),
                                                .inner = std::move(output.state)}));
    return {};
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
