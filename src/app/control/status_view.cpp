#include "app/control/status_view.hpp"

#include <time.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <sstream>

#include "app/control/table.hpp"
#include "base/terminal_text.hpp"

namespace gantry::app {
namespace {

std::string plain(std::string_view text) {
    return terminal_text(text, Lines::kJoined);
}

std::string text_at(const Json& json, std::string_view key) {
    const Json* const value = json.find(key);
    if (value == nullptr || value->is_null()) return "";
    return plain(value->is_string() ? *value->if_string() : value->dump());
}

double number_at(const Json& json, std::string_view pointer) {
    const Json* const value = json.at_pointer(pointer);
    return value == nullptr ? 0 : value->as_double().value_or(0);
}

std::string fixed(double value, int digits) {
    char buffer[64];
    std::snprintf(buffer, sizeof buffer, "%.*f", digits, value);
    return buffer;
}

std::string age(double seconds) {
    if (!(std::abs(seconds) < 1e15)) return "?";
    const auto whole = static_cast<long>(seconds);
    if (whole < 120) return std::to_string(whole) + " s";
    if (whole < 7200) return std::to_string(whole / 60) + " min";
    if (whole < 172800) return std::to_string(whole / 3600) + " h";
    return std::to_string(whole / 86400) + " days";
}

const JsonArray& list_at(const Json& json, std::string_view key) {
    static const JsonArray kNone;
    const Json* const value = json.find(key);
    return value != nullptr && value->is_array() ? *value->if_array() : kNone;
}

const Json* server_named(const std::optional<Json>& status, const std::string& name) {
    if (!status) return nullptr;
    for (const Json& server : list_at(*status, "servers")) {
        if (server.string_at("name") == name) return &server;
    }
    return nullptr;
}

std::string joined(const JsonArray& names) {
    std::string out;
    for (const Json& name : names) {
        if (!out.empty()) out += ", ";
        out += name.is_string() ? *name.if_string() : name.dump();
    }
    return plain(out);
}

std::string headline(const Json& status) {
    const std::string url = text_at(status, "url");
    std::string line = "gantry " + text_at(status, "version") + ", process " + text_at(status, "pid") + ", up " +
                       age(number_at(status, "/uptime_seconds"));
    if (!url.empty()) line += ", at " + url;
    return line + "\n";
}

/// "2026-11-17T10:22:28.123Z" in local time.
std::string local_time(const std::string& utc) {
    tm parts{};
    if (::strptime(utc.c_str(), "%Y-%m-%dT%H:%M:%S", &parts) == nullptr) return utc;
    const time_t at = ::timegm(&parts);
    ::localtime_r(&at, &parts);
    std::array<char, 40> text{};
    return {text.data(), ::strftime(text.data(), text.size(), "%Y-%m-%d %H:%M:%S", &parts)};
}

}  // namespace

std::string show_status(const Json& status) {
    std::string out = headline(status);
    if (const std::string file = text_at(status, "config"); !file.empty()) {
        out += "configuration " + file + ", in force for " + age(number_at(status, "/config_age_seconds")) + "\n";
    }
    if (const std::string why = text_at(status, "config_waiting"); !why.empty())
        out += "a change of the configuration waits for gantry reload: " + why + "\n";
    Table table({"SERVER", "STATE", "TOOLS", "CALLS", "FAILED", "RUNNING", "BREAKER", "TROUBLE"});
    for (const Json& server : list_at(status, "servers")) {
        table.add({text_at(server, "name"), text_at(server, "state"), text_at(server, "tools"),
                   text_at(server, "calls"), text_at(server, "failed"), text_at(server, "running"),
                   text_at(server, "breaker"), text_at(server, "trouble")});
    }
    out += "\n" + table.text();
    for (const Json& server : list_at(status, "servers")) {
        for (const Json& warning : list_at(server, "warnings")) {
            if (warning.is_string())
                out += "warning: " + text_at(server, "name") + ": " + plain(*warning.if_string()) + "\n";
        }
    }
    for (const Json& warning : list_at(status, "warnings"))
        out += plain("warning: " + (warning.is_string() ? *warning.if_string() : warning.dump())) + "\n";
    return out;
}

std::string show_top(const Json& status, const std::optional<Json>& before, Duration since) {
    const double span = before ? std::chrono::duration<double>(since).count() : number_at(status, "/uptime_seconds");
    const auto rate = [&](const Json& now, const Json* then, std::string_view key) {
        const std::string pointer = "/" + std::string(key);
        const double more = number_at(now, pointer) - (then == nullptr ? 0 : number_at(*then, pointer));
        return span > 0 ? more / span : 0;
    };
    Table table({"SERVER", "STATE", "CALLS/S", "ERRORS/S", "P50 MS", "P99 MS", "RUNNING", "CALLS", "BREAKER"});
    double calls = 0;
    double failed = 0;
    for (const Json& server : list_at(status, "servers")) {
        const Json* const then = server_named(before, text_at(server, "name"));
        const double own = rate(server, then, "calls");
        const double own_failed = rate(server, then, "failed");
        calls += own;
        failed += own_failed;
        table.add({text_at(server, "name"), text_at(server, "state"), fixed(own, 1), fixed(own_failed, 1),
                   fixed(number_at(server, "/p50_ms"), 2), fixed(number_at(server, "/p99_ms"), 2),
                   text_at(server, "running"), text_at(server, "calls"), text_at(server, "breaker")});
    }
    return headline(status) + fixed(calls, 1) + " calls/s, " + fixed(failed, 1) + " errors/s, " +
           text_at(status, "sessions") + " sessions\n\n" + table.text();
}

std::string show_approvals(const Json& answer) {
    constexpr std::size_t kShownArguments = 60;
    const JsonArray& waiting = list_at(answer, "approvals");
    if (waiting.empty()) return "no calls are waiting for approval\n";
    Table table({"ID", "SERVER", "TOOL", "FOR", "AGE", "EXPIRES IN", "ARGUMENTS"});
    for (const Json& one : waiting) {
        table.add({text_at(one, "id"), text_at(one, "server"), text_at(one, "tool"), text_at(one, "principal"),
                   age(number_at(one, "/age_seconds")), age(number_at(one, "/expires_in_seconds")),
                   terminal_excerpt(text_at(one, "arguments"), kShownArguments)});
    }
    const std::string id = text_at(waiting.front(), "id");
    return table.text() + "\ngantry approvals show " + id + "       all of one call\ngantry approvals --approve " + id +
           "  or --reject " + id + "\n";
}

std::string show_approval(const Json& one) {
    const std::string id = text_at(one, "id");
    const Json* const arguments = one.find("arguments");
    std::string out = "approval " + id + "\n  tool       " + text_at(one, "tool") + " on server " +
                      text_at(one, "server") + "\n  caller     " + text_at(one, "principal") + "\n  request    " +
                      text_at(one, "request_id") + "\n  asked      " + age(number_at(one, "/age_seconds")) +
                      " ago\n  expires    in " + age(number_at(one, "/expires_in_seconds")) + "\n  arguments\n";
    std::istringstream lines(arguments == nullptr ? "{}" : arguments->pretty());
    for (std::string line; std::getline(lines, line);) out += "    " + plain(line) + "\n";
    return out + "\ngantry approvals --approve " + id + "\ngantry approvals --reject " + id + " --reason TEXT\n";
}

std::string show_breakers(const Json& answer) {
    Table table({"SERVER", "BREAKER", "FAILURES", "RETRY IN", "CAUSE"});
    for (const Json& breaker : list_at(answer, "breakers")) {
        const std::string wait = text_at(breaker, "retry_seconds");
        table.add({text_at(breaker, "server"), text_at(breaker, "state"), text_at(breaker, "failures"),
                   wait.empty() ? "" : wait + " s", text_at(breaker, "cause")});
    }
    return table.text();
}

std::string show_dead_letters(const Json& answer) {
    const JsonArray& letters = list_at(answer, "dead_letters");
    if (letters.empty()) return "no failed deliveries\n";
    Table table({"WEBHOOK", "ID", "TYPE", "ATTEMPTS", "SINCE", "LAST ERROR"});
    for (const Json& one : letters) {
        const Json* const configured = one.find("configured");
        const bool known = configured == nullptr || *configured == Json(true);
        table.add({text_at(one, "webhook") + (known ? "" : " (not configured)"), text_at(one, "id"),
                   text_at(one, "type"), text_at(one, "attempts"), text_at(one, "dead_since"), text_at(one, "error")});
    }
    std::string out = table.text();
    if (const Json* const count = answer.find("count"); count != nullptr && *count != Json(letters.size()))
        out += "the latest " + std::to_string(letters.size()) + " of " + count->dump() + "\n";
    return out + "\ngantry events --revive ID, or --revive all\n";
}

std::string show_log_line(std::string_view json) {
    const auto line = Json::parse(json);
    if (!line || !line->is_object()) return plain(json);
    std::string level(line->string_at("level"));
    level.resize(std::max<std::size_t>(level.size(), 8), ' ');
    std::string out = local_time(std::string(line->string_at("time"))) + " " + level + " ";
    out += line->string_at("message");
    for (const auto& [key, value] : *line->if_object()) {
        if (key == "time" || key == "level" || key == "message") continue;
        out.append("  ").append(key).append("=").append(value.is_string() ? *value.if_string() : value.dump());
    }
    return plain(out);
}

std::string show_refresh(const Json& answer) {
    Table table({"SERVER", "TOOLS", "TROUBLE"});
    for (const Json& server : list_at(answer, "servers")) {
        table.add({text_at(server, "name"), text_at(server, "tools"), text_at(server, "trouble")});
    }
    return table.text();
}

bool refreshed_all(const Json& answer) {
    return std::ranges::all_of(list_at(answer, "servers"),
                               [](const Json& server) { return text_at(server, "trouble").empty(); });
}

bool is_well(const Json& server) {
    const std::string_view state = server.string_at("state");
    return state == "ready" || state == "asleep";
}

std::string show_server(const Json& server, const std::string& name) {
    const std::string shown = plain(name);
    if (!server.is_object()) return shown + ": the running gateway does not use it\n";
    const std::string tools = text_at(server, "tools");
    if (is_well(server)) {
        const std::string state = text_at(server, "state") == "asleep" ? "connected when it is called" : "ready";
        return shown + ": " + state + ", " + tools + (tools == "1" ? " tool\n" : " tools\n");
    }
    const std::string trouble = text_at(server, "trouble");
    if (trouble.contains("401") || trouble.contains("authoriz") || trouble.contains("log in")) {
        return shown + ": " + text_at(server, "state") + ": " + trouble + "\n  gantry login " + shown +
               " logs in, if it is a server with OAuth; else check its headers\n";
    }
    return shown + ": " + text_at(server, "state") + (trouble.empty() ? "" : ": " + trouble) +
           "\n  gantry logs --server " + shown + " shows what it wrote; gantry doctor says what to do\n";
}

std::string show_reload(const Json& report) {
    std::string out = "configuration reloaded\n";
    for (const std::string_view what : {"added", "changed", "removed", "settings"}) {
        const JsonArray& names = list_at(report, what);
        if (!names.empty()) out += "  " + std::string(what) + ": " + joined(names) + "\n";
    }
    if (const JsonArray& later = list_at(report, "later"); !later.empty()) {
        out += "  takes effect at the next start: " + joined(later) + "\n";
    }
    if (const Json* const trouble = report.find("trouble"); trouble != nullptr && trouble->is_object()) {
        for (const auto& [server, why] : *trouble->if_object()) {
            out += plain("  " + server + " is down: " + (why.is_string() ? *why.if_string() : why.dump())) + "\n";
        }
    }
    return out;
}

}  // namespace gantry::app
