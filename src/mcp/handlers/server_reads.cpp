#include "mcp/handlers/server_core.hpp"
#include "mcp/protocol/codec.hpp"
#include "mcp/protocol/errors.hpp"
#include "mcp/protocol/older.hpp"

namespace gantry::mcp {
namespace {

constexpr std::size_t kMaxCompletions = 100;

Answer refuse(const Call& call, const Error& error) {
    return Answer::failure(call, invalid_params(error.message()));
}

bool given_up(const Context& ctx) {
    const auto live = ctx.check();
    return !live && live.error().code() == ErrorCode::kCancelled;
}

}  // namespace

Task<Answer> ServerCore::get_prompt(const Context& ctx, const Call& call, ReplyChannel& line) {
    const Json params = call.params();
    auto asked = decode<GetPromptParams>(params, call.peer->revision);
    if (!asked) co_return refuse(call, asked.error());
    const auto found = prompts.find(asked->name);
    if (found == prompts.end()) co_return Answer::failure(call, invalid_params("unknown prompt: " + asked->name));
    const std::shared_ptr<const PromptEntry> prompt = found->second;
    for (const PromptArgument& argument : prompt->definition.arguments) {
        if (argument.required && !asked->arguments.contains(argument.name)) {
            co_return Answer::failure(call, invalid_params("the prompt needs the argument '" + argument.name + "'"));
        }
    }
    const auto served = serve(call, line, std::move(asked->meta));
    const auto rounds = open_rounds(call, params, *served);
    if (!rounds) co_return refuse(call, rounds.error());
    const auto result = co_await prompt->handler(ctx, *served, std::move(asked->arguments));
    if (result) {
        co_return finished(call, prompt_result_for(encode(*result, kLatestRevision), call.peer->revision));
    }
    if (waits_for_client(*served, result.error())) co_return ask_client(call, *served, *rounds);
    if (given_up(ctx)) co_return Answer();
    co_return Answer::failure(call, result.error());
}

Task<Answer> ServerCore::read_resource(const Context& ctx, const Call& call, ReplyChannel& line) {
    const Revision revision = call.peer->revision;
    const Json params = call.params();
    auto asked = decode<ReadResourceParams>(params, revision);
    if (!asked) co_return refuse(call, asked.error());

    ResourceHandler handler;
    StringMap variables;
    if (const auto found = resources.find(asked->uri); found != resources.end()) {
        handler = found->second->handler;
    } else {
        for (const auto& [text, entry] : templates) {
            auto matched = entry->pattern.extract(asked->uri);
            if (!matched) continue;
            handler = entry->handler;
            variables = *std::move(matched);
            break;
        }
    }
    if (!handler) co_return Answer::failure(call, resource_not_found(asked->uri, revision));

    const auto served = serve(call, line, std::move(asked->meta));
    const auto rounds = open_rounds(call, params, *served);
    if (!rounds) co_return refuse(call, rounds.error());
    auto result = co_await handler(ctx, *served, asked->uri, std::move(variables));
    if (!result) {
        if (waits_for_client(*served, result.error())) co_return ask_client(call, *served, *rounds);
        if (given_up(ctx)) co_return Answer();
        if (result.error().code() == ErrorCode::kNotFound) {
            co_return Answer::failure(call, resource_not_found(asked->uri, revision));
        }
        co_return Answer::failure(call, result.error());
    }
    if (rounds->came_back) {
        result->ttl_ms = 0;  // depends on the client's answers
        result->cache_scope = CacheScope::kPrivate;
    } else if (result->ttl_ms == 0) {
        result->ttl_ms = std::chrono::duration_cast<milliseconds>(options.ttl).count();
        result->cache_scope = options.cache_scope;
    }
    co_return finished(call, read_result_for(encode(*result, kLatestRevision), revision));
}

Task<Answer> ServerCore::complete(const Context& ctx, const Call& call) {
    auto asked = decode<CompleteParams>(call.params(), call.peer->revision);
    if (!asked) co_return refuse(call, asked.error());
    Completer completer;
    if (const auto* prompt = std::get_if<PromptReference>(&asked->ref)) {
        if (!prompts.contains(prompt->name)) co_return Answer::failure(call, invalid_params("unknown prompt"));
        const auto found = prompt_completers.find({prompt->name, asked->argument.name});
        if (found != prompt_completers.end()) completer = found->second;
    } else {
        const auto& resource = std::get<ResourceReference>(asked->ref);
        if (!templates.contains(resource.uri) && !resources.contains(resource.uri)) {
            co_return Answer::failure(call, invalid_params("unknown resource template"));
        }
        const auto found = template_completers.find({resource.uri, asked->argument.name});
        if (found != template_completers.end()) completer = found->second;
    }
    CompleteResult result;
    if (completer) {
        StringMap settled = asked->context ? std::move(asked->context->arguments) : StringMap{};
        auto completion = co_await completer(ctx, std::move(asked->argument), std::move(settled));
        if (!completion) {
            if (given_up(ctx)) co_return Answer();
            co_return Answer::failure(call, completion.error());
        }
        result.completion = *std::move(completion);
    }
    auto& values = result.completion.values;
    if (values.size() > kMaxCompletions) {
        if (!result.completion.total) result.completion.total = static_cast<std::int64_t>(values.size());
        values.resize(kMaxCompletions);
        result.completion.has_more = true;
    }
    co_return finished(call, encode(result, call.peer->revision));
}

}  // namespace gantry::mcp
