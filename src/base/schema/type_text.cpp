#include "base/schema/type_text.hpp"

#include <vector>

namespace gantry::schema {
namespace {

/// Deeper references and alternatives would not be readable.
constexpr int kMaxDepth = 8;
constexpr std::size_t kMaxAlternatives = 6;
constexpr std::size_t kMaxWord = 40;
constexpr const char* kAny = "any";

std::string shortened(std::string text) {
    if (text.size() <= kMaxWord) return text;
    std::size_t end = kMaxWord;
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) --end;
    return text.substr(0, end) + "…";
}

std::string joined(const std::vector<std::string>& words) {
    std::string out;
    for (std::size_t i = 0; i < words.size(); ++i) {
        if (i == kMaxAlternatives) return out + "|…";
        out.append(out.empty() ? "" : "|").append(words[i]);
    }
    return out.empty() ? kAny : out;
}

void add(std::vector<std::string>& words, std::string word) {
    for (const std::string& there : words) {
        if (there == word) return;
    }
    if (words.size() <= kMaxAlternatives) words.push_back(std::move(word));
}

std::string text_of(const Json& root, const Json& schema, int depth);

std::string array_text(const Json& root, const Json& schema, int depth) {
    const Json* items = schema.find("items");
    if (items == nullptr || !items->is_object()) return "array";
    const std::string inner = text_of(root, *items, depth + 1);
    if (inner == kAny) return "array";
    return inner.contains('|') ? "(" + inner + ")[]" : inner + "[]";
}

std::string one_type(const Json& root, const Json& schema, const Json& type, int depth) {
    const std::string* name = type.if_string();
    if (name == nullptr) return kAny;
    return *name == "array" ? array_text(root, schema, depth) : shortened(*name);
}

std::string text_of(const Json& root, const Json& schema, int depth) {
    if (depth > kMaxDepth || !schema.is_object()) return kAny;
    std::vector<std::string> words;
    if (const Json* only = schema.find("const")) return shortened(only->dump());
    if (const Json* choices = schema.find("enum"); choices != nullptr && choices->is_array()) {
        for (const Json& choice : *choices->if_array()) add(words, shortened(choice.dump()));
        return joined(words);
    }
    if (const Json* type = schema.find("type")) {
        if (const JsonArray* several = type->if_array()) {
            for (const Json& one : *several) add(words, one_type(root, schema, one, depth));
            return joined(words);
        }
        return one_type(root, schema, *type, depth);
    }
    if (const Json* reference = schema.find("$ref"); reference != nullptr && reference->is_string()) {
        const std::string& target = *reference->if_string();
        const Json* found = target.starts_with('#') ? root.at_pointer(target.substr(1)) : nullptr;
        return found == nullptr ? kAny : text_of(root, *found, depth + 1);
    }
    for (const char* word : {"anyOf", "oneOf", "allOf"}) {
        const Json* parts = schema.find(word);
        if (parts == nullptr || !parts->is_array()) continue;
        for (const Json& part : *parts->if_array()) {
            if (words.size() > kMaxAlternatives) break;
            if (std::string text = text_of(root, part, depth + 1); text != kAny) add(words, std::move(text));
        }
        return joined(words);
    }
    return schema.find("properties") != nullptr ? "object" : kAny;
}

}  // namespace

std::string type_text(const Json& root, const Json& property) {
    return text_of(root, property, 0);
}

const Json* property_of(const Json& schema, std::string_view name) {
    const Json* properties = schema.is_object() ? schema.find("properties") : nullptr;
    return properties != nullptr && properties->is_object() ? properties->find(name) : nullptr;
}

}  // namespace gantry::schema
