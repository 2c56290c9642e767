#include "gateway/secrets/expand.hpp"

#include <algorithm>
#include <cstdlib>
#include <utility>
#include <vector>

#include "base/url.hpp"

namespace gantry::gateway {

namespace {

using Place = Reference::Place;

constexpr std::pair<std::string_view, Place> kPlaces[] = {{"keyring:", Place::kKeyring},
                                                          {"secrets:", Place::kSecrets},
                                                          {"env:", Place::kEnv},
                                                          {"file:", Place::kFile},
                                                          // Values that editors prompt for.
                                                          {"input:", Place::kSecrets}};

bool is_name(std::string_view text, bool stored) {
    const auto fits = [stored](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
               (stored && (c == '-' || c == '.'));
    };
    return !text.empty() && text.size() <= 128 && (stored || !(text.front() >= '0' && text.front() <= '9')) &&
           std::ranges::all_of(text, fits);
}

std::optional<Reference> read_reference(std::string_view text) {
    Reference reference;
    for (const auto& [prefix, place] : kPlaces) {
        if (!text.starts_with(prefix)) continue;
        text.remove_prefix(prefix.size());
        reference.place = place;
        break;
    }
    const bool fits = reference.place == Place::kFile
                          ? !text.empty() && text.size() <= 4096 && !text.contains('\0')
                          : is_name(text, reference.place == Place::kKeyring || reference.place == Place::kSecrets);
    if (!fits) return std::nullopt;
    reference.name = text;
    return reference;
}

/// Replaces references and collects the unresolved ones.
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
                // Not quoted: the rest of the text may be anything.
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
        if (fault_) return fail(*fault_);
        if (missing_.empty()) return {};
        std::string what = "not set: ";
        for (const std::string& name : missing_) what.append(&name == &missing_.front() ? "" : ", ").append(name);
        return fail(ErrorCode::kNotFound, std::move(what));
    }

private:
    std::string value_of(std::string_view text) {
        std::optional<std::string_view> instead;
        if (const auto at = text.find(":-"); at != std::string_view::npos) {
            instead = text.substr(at + 2);
            text = text.substr(0, at);
        }
        const auto reference = read_reference(text);
        if (!reference) {
            missing("a reference of a form that is not known");
            return {};
        }
        auto value = lookup_(*reference);
        if (!value) {
            if (!fault_) fault_ = value.error().within(reference->text());
            return {};
        }
        if (*value && (!(*value)->empty() || !instead)) return **std::move(value);
        if (instead) return std::string(*instead);
        missing(reference->text());
        return {};
    }
    void missing(std::string name) {
        if (std::ranges::find(missing_, name) == missing_.end()) missing_.push_back(std::move(name));
    }

    const Lookup& lookup_;
    std::vector<std::string> missing_;
    std::optional<Error> fault_;
};

/// Applies `use` to every text of a server that may contain references.
template <class Spec, class Use>
void each_text(Spec& server, const Use& use) {
    use(server.command);
    use(server.cwd);
    use(server.url);
    for (auto& argument : server.args) use(argument);
    for (auto& path : server.isolation.read) use(path);
    for (auto& path : server.isolation.write) use(path);
    for (auto& [name, value] : server.env) use(value);
    for (auto& [name, value] : server.headers) use(value);
}

}  // namespace

std::string Reference::text() const {
    for (const auto& [prefix, of] : kPlaces) {
        if (of == place) return std::string(prefix) + name;
    }
    return name;
}

Lookup environment() {
    return [](const Reference& reference) -> Result<std::optional<std::string>> {
        if (reference.place != Place::kAnywhere && reference.place != Place::kEnv) return std::nullopt;
        const char* value = std::getenv(reference.name.c_str());
        return value == nullptr ? std::nullopt : std::optional<std::string>(value);
    };
}

Result<std::string> expand(std::string_view text, const Lookup& lookup) {
    Expansion expansion(lookup);
    std::string out = expansion(text);
    if (auto done = expansion.done(); !done) return fail(done.error());
    return out;
}

Result<McpServerSpec> expand(const McpServerSpec& server, const Lookup& lookup) {
    Expansion expansion(lookup);
    McpServerSpec out = server;
    each_text(out, [&expansion](std::string& text) { text = expansion(text); });
    if (auto done = expansion.done(); !done) return fail(done.error());
    if (out.url != server.url) {
        if (auto url = Url::parse(out.url); !url) return fail(url.error().within("url"));
    }
    return out;
}

std::vector<std::string> files_of(const McpServerSpec& server) {
    std::vector<std::string> files;
    const Lookup collect = [&files](const Reference& reference) -> Result<std::optional<std::string>> {
        if (reference.place == Place::kFile) files.push_back(reference.name);
        return std::string();
    };
    Expansion expansion(collect);
    each_text(server, [&expansion](const std::string& text) { static_cast<void>(expansion(text)); });
    return files;
}

bool has_references(std::string_view text) {
    return text.contains("${");
}

bool has_open_reference(std::string_view text) {
    for (auto dollar = text.find("${"); dollar != std::string_view::npos; dollar = text.find("${")) {
        const bool escaped = dollar > 0 && text[dollar - 1] == '$';
        const auto end = escaped ? dollar + 1 : text.find('}', dollar);
        if (end == std::string_view::npos) return true;
        text.remove_prefix(end + 1);
    }
    return false;
}

bool has_references(const McpServerSpec& server) {
    bool found = false;
    each_text(server, [&found](const std::string& text) { found = found || has_references(text); });
    return found;
}

}  // namespace gantry::gateway
