#pragma once

#include <string>
#include <utility>
#include <vector>

namespace gantry::testing {

using Fields = std::vector<std::pair<std::string, std::string>>;

/// The bytes of a request; `fields` override header fields, and an empty value removes one.
inline std::string request(const std::string& method, const std::string& path, const std::string& body,
                           const Fields& fields = {}) {
    Fields all{{"Host", "127.0.0.1"},
               {"Content-Type", "application/json"},
               {"Accept", "application/json, text/event-stream"},
               {"Content-Length", std::to_string(body.size())}};
    if (method != "POST") all.resize(1);
    if (method == "GET") all.emplace_back("Accept", "text/event-stream");
    for (const auto& [name, value] : fields) {
        std::erase_if(all, [&](const auto& field) { return field.first == name; });
        if (!value.empty()) all.emplace_back(name, value);
    }
    std::string text = method + " " + path + " HTTP/1.1\r\n";
    for (const auto& [name, value] : all) text += name + ": " + value + "\r\n";
    return text + "\r\n" + body;
}

inline const std::string kMeta =
    R"("_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}})";

inline std::string modern(const std::string& id, const std::string& method, const std::string& params = {},
                          const std::string& meta = kMeta) {
    return R"({"jsonrpc":"2.0","id":)" + id + R"(,"method":")" + method + R"(","params":{)" + params +
           (params.empty() || meta.empty() ? "" : ",") + meta + "}}";
}

inline std::string legacy(const std::string& id, const std::string& method, const std::string& params = {}) {
    return R"({"jsonrpc":"2.0","id":)" + id + R"(,"method":")" + method + R"(","params":{)" + params + "}}";
}

/// The body with which a legacy client opens a session.
inline std::string initialize_body(const std::string& version, const std::string& capabilities = "{}") {
    return legacy("0", "initialize",
                  R"("protocolVersion":")" + version + R"(","capabilities":)" + capabilities +
                      R"(,"clientInfo":{"name":"bad","version":"1"})");
}

inline Fields modern_fields(const std::string& method, const std::string& name = {}) {
    Fields fields{{"MCP-Protocol-Version", "2026-07-28"}, {"Mcp-Method", method}};
    if (!name.empty()) fields.emplace_back("Mcp-Name", name);
    return fields;
}

inline Fields operator+(Fields fields, const Fields& more) {
    fields.insert(fields.end(), more.begin(), more.end());
    return fields;
}

inline std::string echo_params(const std::string& message) {
    return R"("name":"demo_echo","arguments":{"message":")" + message + "\"}";
}

}  // namespace gantry::testing
