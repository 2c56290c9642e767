#include "app/config/expand.hpp"

#include <algorithm>
#include <cstdlib>

#include "base/url.hpp"

namespace gantry::app {

namespace {

bool is_name(std::string_view text) {
    const auto fits = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
    };
    return !text.empty() && !(text.front() >= '0' && text.front() <= '9') && std::ranges::all_of(text, fits);
}

/// Replaces references and collects the names of those that lead nowhere.
class Expansion {
public:
    explicit Expansion(const Lookup& lookup) : lookup_(lookup) {}

    std::string operator()(std::string_view text) {
        std::string out;
        while (!text.empty()) {
            const auto dollar = text.find("${");
            if (dollar == std::string_view::npos) break;
            if (dollar > 0 && text[dollar - 1] == '$') {
                out.append(text.substr(0, dollar - 1)).append("${");
                text.remove_prefix(dollar + 2);
                continue;
            }
            const auto end = text.find('}', dollar);
            if (end == std::string_view::npos) {
                // Not quoted: what follows may be anything.
                missing("${ without }");
                break;
            }
            out.append(text.substr(0, dollar));
            out.append(value_of(text.substr(dollar + 2, end - dollar - 2)));
            text.remove_prefix(end + 1);
        }
        return out.append(text);
    }

    Result<void> done() const {
        if (missing_.empty()) return {};
        std::string what = missing_.size() == 1 ? "not set: " : "not set: ";
        for (const std::string& name : missing_) what.append(&name == &missing_.front() ? "" : ", ").append(name);
        return fail(ErrorCode::kNotFound, std::move(what));
    }

private:
    std::string value_of(std::string_view reference) {
        std::optional<std::string_view> instead;
        if (const auto at = reference.find(":-"); at != std::string_view::npos) {
            instead = reference.substr(at + 2);
            reference = reference.substr(0, at);
        }
        if (reference.starts_with("env:")) reference.remove_prefix(4);
        if (!is_name(reference)) {
            missing("a reference that is no variable's name");
            return {};
        }
        auto value = lookup_(std::string(reference));
        if (value && (!value->empty() || !instead)) return *std::move(value);
        if (instead) return std::string(*instead);
        missing(std::string(reference));
        return {};
    }
    void missing(std::string name) {
        if (std::ranges::find(missing_, name) == missing_.end()) missing_.push_back(std::move(name));
    }

    const Lookup& lookup_;
    std::vector<std::string> missing_;
};

}  // namespace

Lookup environment() {
    return [](const std::string& name) -> std::optional<std::string> {
        const char* value = std::getenv(name.c_str());
        return value == nullptr ? std::nullopt : std::optional<std::string>(value);
    };
}

Result<std::string> expand(std::string_view text, const Lookup& lookup) {
    Expansion expansion(lookup);
    std::string out = expansion(text);
    if (auto done = expansion.done(); !done) return fail(done.error());
    return out;
}

Result<gateway::McpServerSpec> expand(const gateway::McpServerSpec& server, const Lookup& lookup) {
    Expansion expansion(lookup);
    gateway::McpServerSpec out = server;
    for (std::string* text : {&out.command, &out.cwd, &out.url}) *text = expansion(*text);
    for (std::string& argument : out.args) argument = expansion(argument);
    for (auto& [name, value] : out.env) value = expansion(value);
    for (auto& [name, value] : out.headers) value = expansion(value);
    if (auto done = expansion.done(); !done) return fail(done.error().within("server '" + server.name + "'"));
    if (out.url != server.url) {
        if (auto url = Url::parse(out.url); !url) return fail(url.error().within("server '" + server.name + "': url"));
    }
    return out;
}

}  // namespace gantry::app
