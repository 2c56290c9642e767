#include "gantry/mcp/content.hpp"

#include "mcp/protocol/codec/blocks.hpp"
#include "mcp/protocol/codec/fields.hpp"

namespace gantry::mcp {

GANTRY_MCP_CODEC(TextContent, constant("type", "text"), must<&TextContent::text>("text"),
                 may<&TextContent::annotations>("annotations").hint(),
                 may<&TextContent::meta>("_meta").since(Revision::k2025_06_18));

GANTRY_MCP_CODEC(ImageContent, constant("type", "image"), must<&ImageContent::data>("data"),
                 must<&ImageContent::mime_type>("mimeType"), may<&ImageContent::annotations>("annotations").hint(),
                 may<&ImageContent::meta>("_meta").since(Revision::k2025_06_18));

GANTRY_MCP_CODEC(AudioContent, constant("type", "audio"), must<&AudioContent::data>("data"),
                 must<&AudioContent::mime_type>("mimeType"), may<&AudioContent::annotations>("annotations").hint(),
                 may<&AudioContent::meta>("_meta").since(Revision::k2025_06_18));

GANTRY_MCP_CODEC(EmbeddedResource, constant("type", "resource"), must<&EmbeddedResource::resource>("resource"),
                 may<&EmbeddedResource::annotations>("annotations").hint(),
                 may<&EmbeddedResource::meta>("_meta").since(Revision::k2025_06_18));

template <>
Result<void> Codec<ResourceLink>::read(const Json& json, ResourceLink& out, Revision revision, const Place& place) {
    auto read = Codec<Resource>::read(json, out.resource, revision, place);
    out.resource.extra.erase("type");
    return read;
}
template <>
Json Codec<ResourceLink>::write(const ResourceLink& value, Revision revision) {
    return typed("resource_link", Codec<Resource>::write(value.resource, revision));
}
GANTRY_MCP_EXPORT(ResourceLink);

template <>
Result<void> Codec<UnknownContent>::read(const Json& json, UnknownContent& out, Revision revision, const Place& place) {
    return Codec<JsonObject>::read(json, out.block, revision, place);
}
template <>
Json Codec<UnknownContent>::write(const UnknownContent& value, Revision) {
    return value.block;
}
GANTRY_MCP_EXPORT(UnknownContent);

template <>
Result<void> Codec<Content>::read(const Json& json, Content& out, Revision revision, const Place& place) {
    const std::string_view type = json.string_at("type");
    if (type == "text") return read_block<TextContent>(json, out, revision, place);
    if (type == "image") return read_block<ImageContent>(json, out, revision, place);
    if (type == "audio") return read_block<AudioContent>(json, out, revision, place);
    if (type == "resource_link") return read_block<ResourceLink>(json, out, revision, place);
    if (type == "resource") return read_block<EmbeddedResource>(json, out, revision, place);
    return read_block<UnknownContent>(json, out, revision, place);
}
template <>
Json Codec<Content>::write(const Content& value, Revision revision) {
    return write_block(value, revision);
}
GANTRY_MCP_EXPORT(Content);

std::string join_text(std::span<const Content> content) {
    std::string joined;
    bool first = true;
    for (const Content& block : content) {
        const std::string* text = nullptr;
        if (const auto* plain = std::get_if<TextContent>(&block)) text = &plain->text;
        if (const auto* embedded = std::get_if<EmbeddedResource>(&block); embedded && embedded->resource.text) {
            text = &*embedded->resource.text;
        }
        if (text == nullptr) continue;
        if (!std::exchange(first, false)) joined += '\n';
        joined += *text;
    }
    return joined;
}

}  // namespace gantry::mcp
