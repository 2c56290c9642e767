#pragma once

#include "gantry/mcp/tools.hpp"

namespace gantry::mcp {

enum class ElicitMode : std::uint8_t { kForm, kUrl };

/// A server asks the client's user for input, by a form or by a URL to visit.
struct ElicitParams {
    /// Absent on the wire means a form; an unknown mode must be rejected.
    Open<ElicitMode> mode = {};
    std::string message = {};
    /// Form mode only: a flat object schema, kept as received (order, $schema, enumNames).
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
    /// The form's values if accepted. Accepting a URL means consent, not completion, and has no content.
    std::optional<JsonObject> content = {};
    JsonObject meta = {};
    JsonObject extra = {};

    bool operator==(const ElicitResult&) const = default;
};

/// notifications/elicitation/complete (2025-11-25): the interaction at the URL has finished.
struct ElicitationComplete {
    std::string elicitation_id = {};
    JsonObject meta = {};
    JsonObject extra = {};

    bool operator==(const ElicitationComplete&) const = default;
};

/// One field of a form, derived from the requested schema.
struct ElicitField {
    enum class Kind : std::uint8_t { kString, kNumber, kInteger, kBoolean, kChoice, kMultiChoice };
    struct Choice {
        std::string value = {};
        std::string title = {};  ///< display text; the value itself if untitled

        bool operator==(const Choice&) const = default;
    };

    std::string name = {};
    Kind kind = Kind::kString;
    std::string title = {};  ///< display text; the name if untitled
    std::string description = {};
    bool required = false;
    std::optional<Json> default_value = {};
    std::vector<Choice> choices = {};
    std::optional<std::string> format = {};  ///< strings: email, uri, date, date-time
    std::optional<double> minimum = {};      ///< of the number, the string length or the number of choices
    std::optional<double> maximum = {};

    bool operator==(const ElicitField&) const = default;
};

/// The form's fields in schema order. Fails with kSchema, naming the property, unless the schema is a flat object of
/// primitive properties.
Result<std::vector<ElicitField>> elicit_fields(const Json& requested_schema);

/// `content` with a default filled in for every missing property that has one.
JsonObject fill_defaults(const Json& requested_schema, JsonObject content);

/// Validates an accepted form's content against its schema; the error names the property, never the value.
Result<void> check_elicit_content(const Json& requested_schema, const JsonObject& content);

}  // namespace gantry::mcp
