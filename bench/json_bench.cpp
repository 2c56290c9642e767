#include <benchmark/benchmark.h>
#include <simdjson.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "base/json/incremental.hpp"
#include "base/json/scan.hpp"
#include "base/json/splice.hpp"
#include "gantry/json.hpp"

namespace {

using gantry::Json;

/// A call as a client of 2025-11-25 sends it, about 0.3 KB.
const std::string& call() {
    static const std::string text =
        R"({"jsonrpc":"2.0","id":1742,"method":"tools/call","params":{"name":"github__search_issues","arguments":)"
        R"({"query":"is:open label:bug crash on startup","owner":"example","repo":"project","page":1,"perPage":50,)"
        R"("sort":"updated","order":"desc"},"_meta":{"progressToken":"p-1742","vendor.example/trace":"00-4bf92f3577b3"}}})";
    return text;
}

/// A tools/list answer of about 100 KB: descriptions, schemas, enums and annotations.
const std::string& list() {
    static const std::string text = [] {
        std::string out = R"({"jsonrpc":"2.0","id":2,"result":{"tools":[)";
        for (int i = 0; out.size() < 100'000; ++i) {
            if (i != 0) out += ',';
            out +=
                R"({"name":"search_issues_)" + std::to_string(i) +
                R"(","title":"Search issues","description":"Searches issues and pull requests in one repository. )"
                R"(Returns at most 100 matches per page, newest first; use \"cursor\" to go on.\nNeeds read access.",)"
                R"("inputSchema":{"type":"object","properties":{"query":{"type":"string","description":)"
                R"("What to look for, in the syntax of the search box."},"state":{"type":"string","enum":["open",)"
                R"("closed","all"],"default":"open"},"limit":{"type":"integer","minimum":1,"maximum":100,"default":30},)"
                R"("labels":{"type":"array","items":{"type":"string"},"uniqueItems":true}},"required":["query"],)"
                R"("additionalProperties":false},"annotations":{"readOnlyHint":true,"openWorldHint":true}})";
        }
        return out + R"(],"nextCursor":"page-2"}})";
    }();
    return text;
}

void count(benchmark::State& state, const std::string& text) {
    state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations()) * static_cast<std::int64_t>(text.size()));
}

void scan(benchmark::State& state, const std::string& text) {
    for (auto _ : state) {
        auto view = gantry::json::scan_envelope(text);
        if (!view) state.SkipWithError("refused");
        benchmark::DoNotOptimize(view);
    }
    count(state, text);
}

void scan_and_forward(benchmark::State& state, const std::string& text) {
    for (auto _ : state) {
        auto view = gantry::json::scan_envelope(text);
        gantry::json::Splice splice(text);
        splice.replace(view->id, "90017");
        splice.replace(view->in_params.name, R"("search_issues")");
        benchmark::DoNotOptimize(splice.finish());
    }
    count(state, text);
}

void parse_tree(benchmark::State& state, const std::string& text) {
    for (auto _ : state) benchmark::DoNotOptimize(Json::parse(text));
    count(state, text);
}

void dump_tree(benchmark::State& state, const std::string& text) {
    const auto json = Json::parse(text);
    for (auto _ : state) benchmark::DoNotOptimize(json->dump());
    count(state, text);
}

/// In pieces as they come from a socket.
void incremental(benchmark::State& state, const std::string& text) {
    for (auto _ : state) {
        gantry::json::IncrementalScanner scanner;
        for (std::string_view rest = text; !rest.empty();
             rest.remove_prefix(std::min<std::size_t>(rest.size(), 16384))) {
            if (!scanner.feed(rest.substr(0, 16384))) state.SkipWithError("refused");
        }
        if (!scanner.finish()) state.SkipWithError("refused");
    }
    count(state, text);
}

/// The yardstick: validates, but keeps duplicate keys.
void simdjson_dom(benchmark::State& state, const std::string& text) {
    const simdjson::padded_string padded(text);
    simdjson::dom::parser parser;
    for (auto _ : state) {
        simdjson::dom::element document;
        if (parser.parse(padded).get(document) != simdjson::SUCCESS) state.SkipWithError("refused");
        benchmark::DoNotOptimize(document);
    }
    count(state, text);
}

/// Finds the id and the raw params or result; does not check what it skips.
void simdjson_on_demand(benchmark::State& state, const std::string& text) {
    const simdjson::padded_string padded(text);
    simdjson::ondemand::parser parser;
    for (auto _ : state) {
        auto document = parser.iterate(padded);
        for (auto field : document.get_object()) {
            std::string_view key;
            if (field.unescaped_key().get(key) != simdjson::SUCCESS) state.SkipWithError("refused");
            simdjson::ondemand::value value;
            if (field.value().get(value) != simdjson::SUCCESS) state.SkipWithError("refused");
            benchmark::DoNotOptimize(simdjson::to_json_string(value));
        }
    }
    count(state, text);
}

BENCHMARK_CAPTURE(scan, call, call());
BENCHMARK_CAPTURE(scan_and_forward, call, call());
BENCHMARK_CAPTURE(parse_tree, call, call());
BENCHMARK_CAPTURE(dump_tree, call, call());
BENCHMARK_CAPTURE(incremental, call, call());
BENCHMARK_CAPTURE(simdjson_dom, call, call());
BENCHMARK_CAPTURE(simdjson_on_demand, call, call());
BENCHMARK_CAPTURE(scan, list, list());
BENCHMARK_CAPTURE(scan_and_forward, list, list());
BENCHMARK_CAPTURE(parse_tree, list, list());
BENCHMARK_CAPTURE(dump_tree, list, list());
BENCHMARK_CAPTURE(incremental, list, list());
BENCHMARK_CAPTURE(simdjson_dom, list, list());
BENCHMARK_CAPTURE(simdjson_on_demand, list, list());

}  // namespace

BENCHMARK_MAIN();
