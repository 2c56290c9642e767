#include "gateway/pipeline/pipeline.hpp"

#include "base/counted.hpp"
#include "base/try.hpp"
#include "gateway/pipeline/unknown_tool.hpp"
#include "gateway/ports/source.hpp"
#include "gateway/resilience/retry.hpp"
#include "io/loop.hpp"

namespace gantry::gateway {
Pipeline::Pipeline(PipelineParts parts, PipelineOptions options)
    : parts_(std::move(parts)),
      options_(options),
      gates_(parts_.gates != nullptr ? *parts_.gates : own_gates_),
      guard_(parts_.policy, gates_, options_.guard, parts_.approver),
      seals_(parts_.sealer, options_.lifetimes),
      costly_({.max_steps = options_.guard.max_steps}) {}

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

Task<Result<Output>> Pipeline::run(const Context& ctx, const IncomingCall& call,
                                   const std::shared_ptr<const Principal>& principal, ReplyLine& line) {
    // A single coroutine for all steps, because most calls are answered at once.
    Outcome outcome{.correlation_id = call.correlation_id, .verb = call.verb, .name = call.name};
    const TimePoint began = SteadyClock::now();
    const Counted counted(running_);
    Guard::Entry entry;
    // The source of a call that was refused or held for approval.
    std::shared_ptr<Source> whose;
    ItemPtr held_item;
    const Error* refusal = parts_.recorder.refusal();
    Result<void> entered = refusal == nullptr
                               ? enter({.incoming = call, .principal = principal}, line.can_ask(), began, entry, whose)
                               : fail(*refusal);
    if (entry.costly) [[unlikely]]
        entered = co_await enter_checked(ctx, entry, whose);
    Result<Output> output;
    if (!entered) {
        output = fail(entered.error());
    } else if (entry.held) [[unlikely]] {
        whose = entry.held->call().source;
        held_item = entry.held->call().item;
        output = co_await run_held(ctx, *std::move(entry.held), line, outcome.attempts);
    } else {
        const AdmittedCall& admitted = entry.pass->call();
        SourceGate& gate = gates_.of(admitted.source().name());
        if (auto permit = gate.try_enter(admitted.source())) [[likely]] {
            output = co_await admitted.source().execute(ctx, admitted, line);
            permit.settle(output);
        } else {
            output = co_await execute(ctx, admitted, line);
        }
        if (!output && may_repeat(gate.retry(), output.error(), admitted)) [[unlikely]] {
            output = co_await repeat(ctx, admitted, line, output.error(), outcome.attempts);
        }
        if (output && output->kind != Output::Kind::kComplete) [[unlikely]] {
            output = co_await ask_back(ctx, admitted, *std::move(output), line);
        }
        if (output) output->item = admitted.item();
    }
    outcome.principal = principal->id;
    if (const Source* source = entry.pass ? &entry.pass->call().source() : whose.get()) {
        outcome.source = source->name();
        outcome.source_kind = source->kind();
    }
    if (entry.pass) {
        outcome.own_name = entry.pass->call().own_name();
        outcome.item = entry.pass->call().item().get();
    } else if (held_item) {
        outcome.own_name = held_item->name;
        outcome.item = held_item.get();
    }
    if (const auto ticket = note_down(outcome, call, output, began)) [[unlikely]] {
        if (auto kept = co_await parts_.recorder.kept(ctx, ticket); !kept) output = fail(kept.error());
    }
    co_return output;
}

Recorder::Ticket Pipeline::note_down(Outcome& outcome, const IncomingCall& call, const Result<Output>& output,
                                     TimePoint began) {
    outcome.session = call.client.session;
    outcome.client = call.client.name;
    outcome.arguments = call.view.arguments.raw();
    outcome.trace = call.trace;
    outcome.ended = SteadyClock::now();
    outcome.took = outcome.ended - began;
    if (output) {
        outcome.asked_back = output->kind == Output::Kind::kInputRequired;
        outcome.result_bytes = output->stream ? 0 : output->result().size();
        outcome.tool_failed = !output->stream && output->view().is_error.is_true();
    } else {
        outcome.error = &output.error();
    }
    return parts_.recorder.record(outcome);
}

void Pipeline::turned_away(const IncomingCall& call, const Principal& principal, const Error& why) {
    Outcome outcome{.correlation_id = call.correlation_id, .verb = call.verb, .name = call.name};
    outcome.principal = principal.id;
    note_down(outcome, call, fail(why), SteadyClock::now());
}

Result<void> Pipeline::enter(IdentifiedCall call, bool reachable, TimePoint now, Guard::Entry& entry,
                             std::shared_ptr<Source>& refusing) {
    const IncomingCall& incoming = call.incoming;
    // Nothing suspends while this reference is used, so the catalog stays alive.
    const Catalog& catalog =
        *parts_.catalog({.principal = *call.principal, .client = incoming.client, .reachable = reachable});
    auto resolved = resolve(catalog, parts_.find_source, seals_, call);
    if (!resolved) {
        if (incoming.verb == Verb::kCallTool && resolved.error().code() == ErrorCode::kNotFound)
            return fail(unknown_tool(catalog, parts_.policy, incoming, *call.principal));
        return fail(resolved.error());
    }
    auto admitted = guard_.admit(*resolved, now, entry);
    if (!admitted) {
        refusing = std::move(resolved->source);
        if (incoming.verb == Verb::kCallTool && admitted.error().code() == ErrorCode::kNotFound)
            return fail(unknown_tool(catalog, parts_.policy, incoming, *resolved->identified.principal));
    }
    return admitted;
}

Task<Result<void>> Pipeline::enter_checked(const Context& ctx, Guard::Entry& entry, std::shared_ptr<Source>& refusing) {
    const ResolvedCall& call = *entry.costly;
    refusing = call.source;
    auto fits = co_await costly_.check(ctx, call.source->name(), std::string(call.identified.incoming.name),
                                       call.item->input_schema, std::string(Guard::arguments_of(call)));
    if (!fits) co_return fail(fits.error().within("arguments"));
    co_return guard_.admit_checked(entry);
}

Task<Result<Output>> Pipeline::run_held(const Context& ctx, Guard::Held held, ReplyLine& line,
                                        std::uint32_t& attempts) {
    const ResolvedCall call = held.call();
    const TimePoint began = SteadyClock::now();
    GANTRY_CO_TRY(auto decision, co_await guard_.ask(ctx, std::move(held), line));
    if (!decision.pass) {
        GANTRY_CO_CHECK(seal_question(call, decision.asks));
        decision.asks.item = call.item;
        co_return std::move(decision.asks);
    }
    // The time a person takes does not count as the call's.
    const Duration waited = SteadyClock::now() - began;
    const Deadline until = ctx.deadline().is_never() ? ctx.deadline() : Deadline(ctx.deadline().at() + waited);
    const Context rest(until, ctx.cancel());
    const AdmittedCall& admitted = decision.pass->call();
    auto output = co_await execute(rest, admitted, line);
    if (!output && may_repeat(gates_.of(admitted.source().name()).retry(), output.error(), admitted))
        output = co_await repeat(rest, admitted, line, output.error(), attempts);
    if (output && output->kind != Output::Kind::kComplete)
        output = co_await ask_back(rest, admitted, *std::move(output), line);
    if (output) output->item = admitted.item();
    co_return output;
}

Task<Result<Output>> Pipeline::execute(const Context& ctx, const AdmittedCall& call, ReplyLine& line) {
    GANTRY_CO_TRY(auto permit, co_await gates_.of(call.source().name()).enter(ctx, call.source()));
    auto output = co_await call.source().execute(ctx, call, line);
    permit.settle(output);
    co_return output;
}

Task<Result<Output>> Pipeline::repeat(const Context& ctx, const AdmittedCall& call, ReplyLine& line, Error first,
                                      std::uint32_t& attempts) {
    const RetryOptions options = gates_.of(call.source().name()).retry();
    Result<Output> output = fail(std::move(first));
    for (std::size_t number = 2; number <= options.attempts; ++number) {
        const Duration pause = pause_before(options, number);
        // An answer now is worth more than a timeout later.
        if (Deadline::after(pause) >= ctx.deadline()) break;
        GANTRY_CO_CHECK(co_await sleep_for(ctx, pause));
        attempts = static_cast<std::uint32_t>(number);
        output = co_await execute(ctx, call, line);
        if (output || !may_repeat(options, output.error(), call)) break;
    }
    co_return output;
}

/// Handles an output that is not final: a question, or a task.
Task<Result<Output>> Pipeline::ask_back(const Context& ctx, const AdmittedCall& call, Output output, ReplyLine& line) {
    if (output.kind == Output::Kind::kInputRequired && line.can_ask()) {
        GANTRY_CO_TRY(output, co_await answer_questions(
                                  ctx, call, std::move(output), line,
                                  [this](const Context& again_ctx, const AdmittedCall& again, ReplyLine& to) {
                                      return execute(again_ctx, again, to);
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
