#pragma once

#include <span>

#include "gantry/mcp/resources.hpp"
#include "gantry/mcp/values.hpp"

namespace gantry::mcp {

struct TextContent {
    std::string text = {};
    std::optional<Annotations> annotations = {};
    JsonObject meta = {};
    JsonObject extra = {};

    bool operator==(const TextContent&) const = default;
};

struct ImageContent {
    std::string data = {};  ///< base64 as received
    std::string mime_type = {};
    std::optional<Annotations> annotations = {};
    JsonObject meta = {};
    JsonObject extra = {};

    bool operator==(const ImageContent&) const = default;
};

/// Since 2025-03-26.
struct AudioContent {
    std::string data = {};  ///< base64 as received
    std::string mime_type = {};
    std::optional<Annotations> annotations = {};
    JsonObject meta = {};
    JsonObject extra = {};

    bool operator==(const AudioContent&) const = default;
};

/// A reference to a resource that the reader may fetch. Since 2025-06-18.
struct ResourceLink {
    Resource resource = {};

    bool operator==(const ResourceLink&) const = default;
};

/// A resource included by value.
struct EmbeddedResource {
    ResourceContents resource = {};
    std::optional<Annotations> annotations = {};
    JsonObject meta = {};
    JsonObject extra = {};

    bool operator==(const EmbeddedResource&) const = default;
};

/// A block of an unknown type, kept exactly as received, `type` included.
struct UnknownContent {
    JsonObject block = {};

    bool operator==(const UnknownContent&) const = default;
};

/// One part of a tool result or prompt message.
using Content = std::variant<TextContent, ImageContent, AudioContent, ResourceLink, EmbeddedResource, UnknownContent>;

/// The text blocks and embedded text resources in order, separated by newlines.
std::string join_text(std::span<const Content> content);

}  // namespace gantry::mcp
