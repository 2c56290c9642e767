#include "mcp/protocol/older.hpp"

#include <algorithm>
#include <array>

namespace gantry::mcp {
namespace {

using enum Revision;

void drop(Json& value, std::initializer_list<std::string_view> names) {
    if (JsonObject* object = value.if_object()) {
        for (const std::string_view name : names) object->erase(name);
    }
}

template <class Change>
void each(Json* list, const Change& change) {
    if (JsonArray* items = list != nullptr ? list->if_array() : nullptr) {
        for (Json& item : *items) item = change(std::move(item));
    }
}

/// Decorations of named things that older revisions lack: icons, then title and `_meta`.
void drop_decorations(Json& value, Revision revision) {
    if (revision < k2025_11_25) drop(value, {"icons"});
    if (revision < k2025_06_18) drop(value, {"title", "_meta"});
}

/// Members of every modern result that legacy results must not have.
void drop_stamps(Json& result, Revision revision) {
    if (!is_modern(revision)) drop(result, {"resultType", "ttlMs", "cacheScope"});
}

Json text_block(std::string text) {
    return JsonObject{{"type", "text"}, {"text", std::move(text)}};
}

Json link_as_text(const Json& link) {
    const std::string_view uri = link.string_at("uri");
    const std::string_view name = link.string_at("title", link.string_at("name"));
    Json block = text_block(name.empty() ? std::string(uri) : std::string(name).append(": ").append(uri));
    if (const Json* annotations = link.find("annotations")) block.if_object()->set("annotations", *annotations);
    return block;
}

Json audio_as_resource(const Json& audio) {
    JsonObject resource{{"uri", "audio:embedded"}};
    if (const Json* type = audio.find("mimeType")) resource.set("mimeType", *type);
    const Json* data = audio.find("data");
    resource.set("blob", data != nullptr ? *data : Json(""));
    JsonObject block{{"type", "resource"}, {"resource", std::move(resource)}};
    if (const Json* annotations = audio.find("annotations")) block.set("annotations", *annotations);
    return block;
}

// --- schemas ---------------------------------------------------------------------------------------------------

bool holds_data(std::string_view keyword) {
    static constexpr std::array kData{"enum", "const", "default", "examples"};
    return std::ranges::find(kData, keyword) != kData.end();
}

bool maps_names_to_schemas(std::string_view keyword) {
    static constexpr std::array kMaps{"properties",  "patternProperties", "$defs",
                                      "definitions", "dependentSchemas",  "dependencies"};
    return std::ranges::find(kMaps, keyword) != kMaps.end();
}

/// Adjusts pointers from the document's root, which is now one level deeper. Anchors need no change, and neither does
/// anything inside a subschema with an `$id`, which is its own document.
void deepen_references(Json& schema) {
    if (JsonArray* list = schema.if_array()) {
        for (Json& item : *list) deepen_references(item);
        return;
    }
    JsonObject* object = schema.if_object();
    if (object == nullptr || object->contains("$id")) return;
    for (auto& [keyword, value] : *object) {
        if ((keyword == "$ref" || keyword == "$dynamicRef") && value.is_string()) {
            std::string& reference = *value.if_string();
            if (reference == "#" || reference.starts_with("#/")) reference.insert(1, "/properties/result");
        } else if (maps_names_to_schemas(keyword) && value.is_object()) {
            for (auto& [name, inner] : *value.if_object()) deepen_references(inner);
        } else if (!holds_data(keyword)) {
            deepen_references(value);
        }
    }
}

// --- elicitation -----------------------------------------------------------------------------------------------

struct Choices {
    JsonArray values = {};
    JsonArray titles = {};
};

/// The choices of `oneOf`/`anyOf` with const and title; empty if it is not such a list.
Choices titled_choices(const Json* list) {
    Choices choices;
    const JsonArray* items = list != nullptr ? list->if_array() : nullptr;
    if (items == nullptr) return choices;
    for (const Json& item : *items) {
        const Json* value = item.find("const");
        if (value == nullptr) return {};
        choices.values.push_back(*value);
        choices.titles.emplace_back(item.string_at("title", value->is_string() ? *value->if_string() : ""));
    }
    return choices;
}

std::string listed(const JsonArray& values) {
    std::string text;
    for (const Json& value : values) {
        if (const std::string* name = value.if_string()) text.append(text.empty() ? "" : ", ").append(*name);
    }
    return text;
}

Json multi_select_as_text(const Json& property) {
    const Json* items = property.find("items");
    Choices choices;
    if (items != nullptr) {
        choices = titled_choices(items->find("anyOf"));
        if (const Json* plain = items->find("enum"); plain != nullptr && plain->is_array()) {
            choices.values = *plain->if_array();
        }
    }
    JsonObject text{{"type", "string"}};
    if (const Json* title = property.find("title")) text.set("title", *title);
    std::string description(property.string_at("description"));
    description.append(description.empty() ? "" : " ").append("Any of, separated by commas: ");
    text.set("description", description + listed(choices.values));
    return text;
}

/// One property of a form for clients that support neither defaults other than of booleans, nor titled or multiple
/// choices.
Json older_property(Json property) {
    JsonObject* object = property.if_object();
    if (object == nullptr) return property;
    if (property.string_at("type") == "array") return multi_select_as_text(property);
    if (Choices choices = titled_choices(property.find("oneOf")); !choices.values.empty()) {
        object->erase("oneOf");
        object->set("enum", std::move(choices.values));
        object->set("enumNames", std::move(choices.titles));
    }
    if (property.string_at("type") != "boolean") object->erase("default");
    return property;
}

JsonArray split(std::string_view text) {
    JsonArray parts;
    while (!text.empty()) {
        const std::size_t comma = text.find(',');
        std::string_view part = text.substr(0, comma);
        while (part.starts_with(' ')) part.remove_prefix(1);
        while (part.ends_with(' ')) part.remove_suffix(1);
        if (!part.empty()) parts.emplace_back(part);
        text = comma == std::string_view::npos ? std::string_view() : text.substr(comma + 1);
    }
    return parts;
}

bool has_several_blocks(const Json& message) {
    const Json* content = message.find("content");
    return content != nullptr && content->is_array() && content->if_array()->size() > 1;
}

}  // namespace

bool is_wrapped(const Json& output_schema) noexcept {
    return output_schema.string_at("type") != "object";
}

Json wrap_schema(Json schema) {
    JsonObject wrapper;
    if (JsonObject* object = schema.if_object()) {
        if (const Json* dialect = object->find("$schema"); dialect != nullptr && !object->contains("$id")) {
            wrapper.set("$schema", *dialect);
            object->erase("$schema");
        }
    }
    deepen_references(schema);
    wrapper.set("type", "object");
    wrapper.set("properties", JsonObject{{"result", std::move(schema)}});
    wrapper.set("required", JsonArray{"result"});
    return wrapper;
}

Json tool_for(Json tool, Revision revision) {
    if (revision != k2025_11_25) drop(tool, {"execution"});
    if (is_modern(revision)) return tool;
    drop_decorations(tool, revision);
    if (revision < k2025_03_26) drop(tool, {"annotations"});
    if (revision < k2025_06_18) {
        drop(tool, {"outputSchema"});
    } else if (Json* schema = tool.find("outputSchema"); schema != nullptr && is_wrapped(*schema)) {
        *schema = wrap_schema(std::move(*schema));
    }
    return tool;
}

Json content_for(Json block, Revision revision) {
    const std::string_view type = block.string_at("type");
    if (type == "resource_link") {
        if (revision < k2025_06_18) return link_as_text(block);
        if (revision < k2025_11_25) drop(block, {"icons"});
        return block;
    }
    if (type == "audio" && revision < k2025_03_26) return audio_as_resource(block);
    if (revision < k2025_06_18) {
        drop(block, {"_meta"});
        if (Json* resource = block.find("resource")) drop(*resource, {"_meta"});
    }
    return block;
}

Json call_result_for(Json result, Revision revision, const Json* output_schema) {
    drop_stamps(result, revision);
    JsonObject* object = result.if_object();
    if (is_modern(revision) || object == nullptr) return result;
    if (!object->contains("content")) object->set("content", JsonArray{});
    if (Json* value = object->find("structuredContent")) {
        Json* content = object->find("content");
        if (content->is_array() && content->if_array()->empty())
            content->if_array()->push_back(text_block(value->dump()));
        const bool wrap = output_schema != nullptr ? is_wrapped(*output_schema) : !value->is_object();
        if (wrap) *value = JsonObject{{"result", std::move(*value)}};
        if (revision < k2025_06_18) object->erase("structuredContent");
    }
    each(object->find("content"), [revision](Json block) { return content_for(std::move(block), revision); });
    return result;
}

Json prompt_for(Json prompt, Revision revision) {
    drop_decorations(prompt, revision);
    each(prompt.find("arguments"), [revision](Json argument) {
        if (revision < k2025_06_18) drop(argument, {"title"});
        return argument;
    });
    return prompt;
}

Json prompt_result_for(Json result, Revision revision) {
    drop_stamps(result, revision);
    each(result.find("messages"), [revision](Json message) {
        if (Json* content = message.find("content")) *content = content_for(std::move(*content), revision);
        return message;
    });
    return result;
}

Json resource_for(Json resource, Revision revision) {
    drop_decorations(resource, revision);
    if (Json* annotations = resource.find("annotations"); annotations != nullptr && revision < k2025_06_18) {
        drop(*annotations, {"lastModified"});
    }
    return resource;
}

Json read_result_for(Json result, Revision revision) {
    drop_stamps(result, revision);
    each(result.find("contents"), [revision](Json contents) {
        if (revision < k2025_06_18) drop(contents, {"_meta"});
        return contents;
    });
    return result;
}

Json progress_for(Json params, Revision revision) {
    if (revision < k2025_03_26) drop(params, {"message"});
    return params;
}

Result<Json> elicit_params_for(Json params, Revision revision) {
    if (revision < k2025_06_18) return fail(ErrorCode::kUnsupported, "the client's revision has no elicitation");
    if (revision >= k2025_11_25) return params;
    if (params.string_at("mode", "form") != "form") {
        return fail(ErrorCode::kUnsupported, "the client's revision knows elicitation by form only");
    }
    drop(params, {"mode"});
    if (Json* schema = params.find("requestedSchema")) {
        drop(*schema, {"$schema"});
        if (Json* properties = schema->find("properties"); properties != nullptr && properties->is_object()) {
            for (auto& [name, property] : *properties->if_object()) property = older_property(std::move(property));
        }
    }
    return params;
}

Json elicit_result_from(Json result, const Json& requested_schema, Revision revision) {
    if (revision >= k2025_11_25) return result;
    Json* content = result.find("content");
    const Json* properties = requested_schema.find("properties");
    if (content == nullptr || !content->is_object() || properties == nullptr) return result;
    for (auto& [name, value] : *content->if_object()) {
        const Json* property = properties->find(name);
        if (property == nullptr || property->string_at("type") != "array" || !value.is_string()) continue;
        value = split(*value.if_string());
    }
    return result;
}

Result<Json> sampling_params_for(Json params, Revision revision, const ClientCapabilities& client) {
    const bool may_use_tools =
        revision >= k2025_11_25 && client.sampling.has_value() && client.sampling->tools.has_value();
    if (const Json* tools = params.find("tools"); tools != nullptr && !may_use_tools) {
        if (!tools->is_array() || !tools->if_array()->empty()) {
            return fail(ErrorCode::kUnsupported, "the client did not offer sampling with tools");
        }
        drop(params, {"tools", "toolChoice"});
    }
    if (revision < k2025_11_25) {
        const Json* messages = params.find("messages");
        for (const Json& message : messages != nullptr && messages->is_array() ? *messages->if_array() : JsonArray{}) {
            if (!has_several_blocks(message)) continue;
            return fail(ErrorCode::kUnsupported, "the client's revision knows one block of content per message");
        }
    } else if (client.sampling && !client.sampling->context && params.string_at("includeContext", "none") != "none") {
        drop(params, {"includeContext"});
    }
    if (revision < k2025_03_26) {
        each(params.find("messages"), [](Json message) {
            if (Json* content = message.find("content"); content != nullptr && content->string_at("type") == "audio") {
                // Sampling has no embedded resources that could carry the bytes.
                *content = text_block("[audio left out: the client's revision does not know it]");
            }
            return message;
        });
    }
    return params;
}

}  // namespace gantry::mcp
