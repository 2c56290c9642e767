#include "surface/cli/ask.hpp"

#include <unistd.h>

#include <charconv>
#include <iostream>
#include <mutex>

namespace gantry::cli {

namespace {

using Field = mcp::ElicitField;

mcp::ElicitResult answer(mcp::ElicitAction action) {
    mcp::ElicitResult result;
    result.action = action;
    return result;
}

std::string prompt_for(const Printer& printer, const Field& field) {
    std::string text = "  " + printer.bold(harmless(field.title));
    if (!field.description.empty()) text += printer.dim(" (" + harmless(field.description) + ")");
    if (field.kind == Field::Kind::kBoolean) text += " [y/n]";
    for (std::size_t i = 0; i < field.choices.size(); ++i) {
        text += "\n    " + std::to_string(i + 1) + ") " + harmless(field.choices[i].title);
    }
    if (field.kind == Field::Kind::kMultiChoice) text += "\n    (several: 1,3)";
    if (field.default_value) text += printer.dim(" [default " + harmless(field.default_value->dump()) + "]");
    if (!field.required) text += printer.dim(" (optional)");
    return text + ": ";
}

std::optional<Json> choice(const Field& field, std::string_view text) {
    std::size_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error == std::errc() && end == text.data() + text.size() && number >= 1 && number <= field.choices.size()) {
        return Json(field.choices[number - 1].value);
    }
    for (const Field::Choice& option : field.choices) {
        if (option.value == text || option.title == text) return Json(option.value);
    }
    return std::nullopt;
}

std::optional<Json> choices(const Field& field, std::string_view text) {
    JsonArray picked;
    while (!text.empty()) {
        const std::size_t comma = std::min(text.find(','), text.size());
        const auto one = choice(field, text.substr(0, comma));
        if (!one) return std::nullopt;
        picked.push_back(*one);
        text.remove_prefix(std::min(comma + 1, text.size()));
    }
    return Json(std::move(picked));
}

std::optional<Json> read_value(const Field& field, const std::string& text) {
    switch (field.kind) {
        case Field::Kind::kString: return Json(text);
        case Field::Kind::kBoolean:
            if (text == "y" || text == "yes" || text == "true") return Json(true);
            if (text == "n" || text == "no" || text == "false") return Json(false);
            return std::nullopt;
        case Field::Kind::kNumber:
        case Field::Kind::kInteger: {
            auto number = Json::parse(text);
            const bool fits =
                number && number->is_number() && (field.kind == Field::Kind::kNumber || number->is_integer());
            return fits ? std::optional<Json>(*std::move(number)) : std::nullopt;
        }
        case Field::Kind::kChoice: return choice(field, text);
        case Field::Kind::kMultiChoice: return choices(field, text);
    }
    return std::nullopt;
}

/// False: end of input.
bool ask_field(const Printer& printer, const Field& field, JsonObject& content) {
    for (std::string text;;) {
        std::cerr << prompt_for(printer, field) << std::flush;
        if (!std::getline(std::cin, text)) return false;
        if (text.empty()) {
            if (field.default_value) content.set(field.name, *field.default_value);
            if (field.default_value || !field.required) return true;
        } else if (auto value = read_value(field, text)) {
            content.set(field.name, *std::move(value));
            return true;
        }
        std::cerr << printer.red("  that does not fit; please try again") << '\n';
    }
}

Result<mcp::ElicitResult> ask_form(const Printer& printer, const mcp::ElicitParams& params) {
    auto fields = mcp::elicit_fields(params.requested_schema);
    if (!fields) return fail(fields.error());
    for (;;) {
        JsonObject content;
        for (const Field& field : *fields) {
            if (!ask_field(printer, field, content)) return answer(mcp::ElicitAction::kCancel);
        }
        if (auto fits = mcp::check_elicit_content(params.requested_schema, content); !fits) {
            std::cerr << printer.red("  " + fits.error().message()) << '\n';
            continue;
        }
        std::cerr << "  Send this? [Y/n/c(ancel)] " << std::flush;
        std::string text;
        if (!std::getline(std::cin, text) || text == "c" || text == "cancel") return answer(mcp::ElicitAction::kCancel);
        if (text == "n" || text == "no") return answer(mcp::ElicitAction::kDecline);
        auto accepted = answer(mcp::ElicitAction::kAccept);
        accepted.content = std::move(content);
        return accepted;
    }
}

Result<mcp::ElicitResult> ask_visit(const mcp::ElicitParams& params) {
    std::cerr << "  Please open this address yourself if you trust it: " << harmless(params.url) << '\n'
              << "  Continue? [y/N] " << std::flush;
    std::string text;
    const bool agreed = std::getline(std::cin, text) && (text == "y" || text == "yes");
    return answer(agreed ? mcp::ElicitAction::kAccept : mcp::ElicitAction::kDecline);
}

}  // namespace

Result<mcp::ElicitResult> ask_person(const Printer& printer, const std::string& server,
                                     const mcp::ElicitParams& params) {
    // A server may send several requests concurrently; the person answers them one after the other.
    static std::mutex one_at_a_time;
    const std::lock_guard lock(one_at_a_time);
    if (isatty(STDIN_FILENO) != 1 && std::getenv("GANTRY_ASK_STDIN") == nullptr) {
        std::cerr << "the server asks for input but there is no terminal to ask on: cancelled\n";
        return answer(mcp::ElicitAction::kCancel);
    }
    std::cerr << '\n' << printer.cyan(harmless(server) + " asks: ") << harmless(params.message) << '\n';
    return params.mode == mcp::ElicitMode::kUrl ? ask_visit(params) : ask_form(printer, params);
}

}  // namespace gantry::cli
