// What checking a tool call's arguments costs: a typical schema of five properties, and the
// same through $ref and unevaluatedProperties.
#include <benchmark/benchmark.h>

#include <cstdio>
#include <cstdlib>

#include "base/schema/schema.hpp"

namespace {

using gantry::Json;
using gantry::schema::Schema;

constexpr std::string_view kTool = R"({"type":"object","properties":{
 "query":{"type":"string","minLength":1,"maxLength":200,"description":"what to look for"},
 "limit":{"type":"integer","minimum":1,"maximum":100},
 "sort":{"type":"string","enum":["relevance","date","name"]},
 "tags":{"type":"array","items":{"type":"string"},"maxItems":10},
 "exact":{"type":"boolean"}},"required":["query"],"additionalProperties":false})";
constexpr std::string_view kComposed = R"({"$ref":"#/$defs/base","properties":{"exact":{"type":"boolean"}},
 "unevaluatedProperties":false,"$defs":{"base":{"type":"object","properties":{
 "query":{"type":"string","pattern":"^[a-z ]+$"},"limit":{"$ref":"#/$defs/count"},
 "sort":{"enum":["relevance","date","name"]},"tags":{"type":"array","items":{"type":"string"},"uniqueItems":true}},
 "required":["query"]},"count":{"type":"integer","minimum":1,"maximum":100}}})";
constexpr std::string_view kGood =
    R"({"query":"gantry crane","limit":25,"sort":"date","tags":["steel","port","tall"],"exact":false})";
constexpr std::string_view kBad = R"({"query":"","limit":2500,"sort":"size","tags":[1],"extra":false})";

template <class T>
T must(gantry::Result<T> result) {
    if (!result) {
        std::fprintf(stderr, "%s\n", result.error().to_string().c_str());
        std::abort();
    }
    return *std::move(result);
}

void validate(benchmark::State& state, std::string_view schema_text, std::string_view value_text, bool expected) {
    const auto schema = must(Schema::compile(must(Json::parse(schema_text))));
    const auto value = must(Json::parse(value_text));
    for (auto _ : state) {
        const auto report = schema.validate(value);
        if (report.valid() != expected) std::abort();
        benchmark::DoNotOptimize(report);
    }
}

void compile(benchmark::State& state) {
    const auto json = must(Json::parse(kTool));
    for (auto _ : state) benchmark::DoNotOptimize(Schema::compile(json));
}

void parse_only(benchmark::State& state) {
    for (auto _ : state) benchmark::DoNotOptimize(Json::parse(kGood));
}

BENCHMARK_CAPTURE(validate, tool_accepted, kTool, kGood, true);
BENCHMARK_CAPTURE(validate, tool_refused_with_five_issues, kTool, kBad, false);
BENCHMARK_CAPTURE(validate, composed_accepted, kComposed, kGood, true);
BENCHMARK(compile);
BENCHMARK(parse_only);

}  // namespace

BENCHMARK_MAIN();
