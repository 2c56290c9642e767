// A malicious or unlucky server over standard input and output.
//
//     gantry_hostile_server costly             a tool whose schema takes 2,000 alternatives per element
//     gantry_hostile_server tools COUNT        that many tools
//     gantry_hostile_server unusable           a tool with an unusable schema
//     gantry_hostile_server resource NAME MS   the resource shared://one, after that many milliseconds
#include <chrono>
#include <cstdlib>
#include <iostream>
#include <string>
#include <thread>

#include "gantry/json.hpp"

namespace {

using gantry::Json;
using gantry::JsonArray;
using gantry::JsonObject;

Json tool(const std::string& name, Json schema) {
    return JsonObject{{"name", name}, {"inputSchema", std::move(schema)}};
}

JsonArray tools_of(const std::string& kind, const std::string& more) {
    JsonArray tools;
    if (kind == "costly") {
        JsonArray alternatives;
        for (int i = 0; i < 2000; ++i) alternatives.emplace_back(JsonObject{{"const", i}});
        const Json list = JsonObject{{"items", JsonObject{{"anyOf", std::move(alternatives)}}}};
        tools.push_back(tool("check", JsonObject{{"type", "object"}, {"properties", JsonObject{{"list", list}}}}));
    } else if (kind == "tools") {
        for (int i = 0; i < std::atoi(more.c_str()); ++i)
            tools.push_back(tool("t" + std::to_string(i), JsonObject{{"type", "object"}}));
    } else if (kind == "unusable") {
        tools.push_back(tool("odd", JsonObject{{"type", "object"}, {"properties", 7}}));
    }
    return tools;
}

Json answer(const std::string& method, const std::string& kind, const std::string& more) {
    if (method == "initialize") {
        return JsonObject{{"protocolVersion", "2025-06-18"},
                          {"capabilities", JsonObject{{"tools", JsonObject()}, {"resources", JsonObject()}}},
                          {"serverInfo", JsonObject{{"name", kind}, {"version", "1"}}}};
    }
    if (method == "tools/list") return JsonObject{{"tools", tools_of(kind, more)}};
    if (method == "resources/list") {
        JsonArray all;
        if (kind == "resource") all.emplace_back(JsonObject{{"uri", "shared://one"}, {"name", more}});
        return JsonObject{{"resources", std::move(all)}};
    }
    if (method == "resources/templates/list") return JsonObject{{"resourceTemplates", JsonArray()}};
    if (method == "resources/read") {
        return JsonObject{{"contents", JsonArray{JsonObject{{"uri", "shared://one"}, {"text", "of " + more}}}}};
    }
    return JsonObject{{"content", JsonArray{JsonObject{{"type", "text"}, {"text", "done"}}}}};
}

}  // namespace

int main(int argc, char** argv) {
    const std::string kind = argc > 1 ? argv[1] : "";
    const std::string more = argc > 2 ? argv[2] : "";
    if (argc > 3) std::this_thread::sleep_for(std::chrono::milliseconds(std::atoi(argv[3])));
    for (std::string line; std::getline(std::cin, line);) {
        const auto request = Json::parse(line);
        const Json* const id = request ? request->find("id") : nullptr;
        if (id == nullptr) continue;
        const std::string method(request->string_at("method"));
        JsonObject reply{{"jsonrpc", "2.0"}, {"id", *id}};
        if (method == "server/discover") {
            reply.set("error", JsonObject{{"code", -32601}, {"message", "unknown method"}});
        } else {
            reply.set("result", answer(method, kind, more));
        }
        std::cout << Json(std::move(reply)).dump() << std::endl;
    }
    return 0;
}
