#pragma once

#include "gantry/mcp/tools.hpp"

namespace gantry::mcp {

enum class ElicitMode : std::uint8_t { kForm, kUrl };

/// A server asks the person at the client, by a form to fill in or by a page to visit.
struct ElicitParams {
    /// Absent on the wire means a form; a mode not known here must be refused.
    Open<ElicitMode> mode = {};
    std::string message = {};
    /// Form only: a flat object schema, kept as it came (order, $schema, enumNames).
    Json requested_schema = {};
    std::string url = {};                            ///< url mode only
    std::optional<std::string> elicitation_id = {};  ///< url mode, 2025-11-25 only
    std::optional<TaskMetadata> task = {};           ///< 2025-11-25 only
    JsonObject meta = {};
    JsonObject extra = {};

    bool operator==(const ElicitParams&) const = default;
};

enum class ElicitAction : std::uint8_t { kAccept, kDecline, kCancel };

struct ElicitResult {
    Open<ElicitAction> action = ElicitAction::kCancel;
    /// The form's values when accepted. Accepting a URL is consent, not completion, and has none.
    std::optional<JsonObject> content = {};
    JsonObject meta = {};
    JsonObject extra = {};

    bool operator==(const ElicitResult&) const = default;
};

/// notifications/elicitation/complete (2025-11-25): what a URL started has finished.
struct ElicitationComplete {
    std::string elicitation_id = {};
    JsonObject meta = {};
    JsonObject extra = {};

    bool operator==(const ElicitationComplete&) const = default;
};

/// One question of a form, read from the requested schema.
struct ElicitField {
    enum class Kind : std::uint8_t { kString, kNumber, kInteger, kBoolean, kChoice, kMultiChoice };
    struct Choice {
        std::string value = {};
        std::string title = {};  ///< what to show; the value itself when untitled

        bool operator==(const Choice&) const = default;
    };

    std::string name = {};
    Kind kind = Kind::kString;
    std::string title = {};  ///< what to show; the name when untitled
    std::string description = {};
    bool required = false;
    std::optional<Json> default_value = {};
    std::vector<Choice> choices = {};
    std::optional<std::string> format = {};  ///< strings: email, uri, date, date-time
    std::optional<double> minimum = {};      ///< of the number, the length or the count of choices
    std::optional<double> maximum = {};

    bool operator==(const ElicitField&) const = default;
};

/// The form's questions in the schema's order. Fails (kSchema) if the schema is not a flat object of
/// primitive properties, naming the property.
Result<std::vector<ElicitField>> elicit_fields(const Json& requested_schema);

/// `content` with every missing property that has a default filled in.
JsonObject fill_defaults(const Json& requested_schema, JsonObject content);

/// Checks an accepted form's content against its schema; the error names the property, never the value.
Result<void> check_elicit_content(const Json& requested_schema, const JsonObject& content);

}  // namespace gantry::mcp
