#pragma once

#include "gantry/mcp/values.hpp"

namespace gantry::mcp {

/// A readable resource as it appears in a list.
struct Resource {
    std::string uri = {};
    std::string name = {};
    std::optional<std::string> title = {};
    std::optional<std::string> description = {};
    std::optional<std::string> mime_type = {};
    std::optional<std::int64_t> size = {};  ///< bytes, before any encoding
    std::optional<Annotations> annotations = {};
    std::vector<Icon> icons = {};
    JsonObject meta = {};
    JsonObject extra = {};

    bool operator==(const Resource&) const = default;
};

/// A family of resources, named by an RFC 6570 template.
struct ResourceTemplate {
    std::string uri_template = {};
    std::string name = {};
    std::optional<std::string> title = {};
    std::optional<std::string> description = {};
    std::optional<std::string> mime_type = {};
    std::optional<Annotations> annotations = {};
    std::vector<Icon> icons = {};
    JsonObject meta = {};
    JsonObject extra = {};

    bool operator==(const ResourceTemplate&) const = default;
};

/// Contents of a resource: text, or base64-encoded bytes. A well-formed answer has exactly one of the two.
struct ResourceContents {
    std::string uri = {};
    std::optional<std::string> mime_type = {};
    std::optional<std::string> text = {};
    std::optional<std::string> blob = {};  ///< base64 as received
    JsonObject meta = {};
    JsonObject extra = {};

    bool operator==(const ResourceContents&) const = default;
};

struct ListResourcesResult {
    std::vector<Resource> resources = {};
    std::optional<std::string> next_cursor = {};
    std::int64_t ttl_ms = 0;  ///< modern only; 0 = stale at once
    Open<CacheScope> cache_scope = {};
    JsonObject meta = {};
    JsonObject extra = {};

    bool operator==(const ListResourcesResult&) const = default;
};

struct ListResourceTemplatesResult {
    std::vector<ResourceTemplate> resource_templates = {};
    std::optional<std::string> next_cursor = {};
    std::int64_t ttl_ms = 0;
    Open<CacheScope> cache_scope = {};
    JsonObject meta = {};
    JsonObject extra = {};

    bool operator==(const ListResourceTemplatesResult&) const = default;
};

struct ReadResourceParams {
    std::string uri = {};
    /// Responses to an InputRequired and its state; only on a modern retry.
    std::optional<JsonObject> input_responses = {};
    std::optional<std::string> request_state = {};
    JsonObject meta = {};
    JsonObject extra = {};

    bool operator==(const ReadResourceParams&) const = default;
};

struct ReadResourceResult {
    std::vector<ResourceContents> contents = {};
    std::int64_t ttl_ms = 0;
    Open<CacheScope> cache_scope = {};
    JsonObject meta = {};
    JsonObject extra = {};

    bool operator==(const ReadResourceResult&) const = default;
};

/// Params of the legacy resources/subscribe and resources/unsubscribe.
struct SubscribeParams {
    std::string uri = {};
    JsonObject meta = {};
    JsonObject extra = {};

    bool operator==(const SubscribeParams&) const = default;
};

/// notifications/resources/updated. The URI may be a sub-resource of the one subscribed to.
struct ResourceUpdated {
    std::string uri = {};
    JsonObject meta = {};
    JsonObject extra = {};

    bool operator==(const ResourceUpdated&) const = default;
};

}  // namespace gantry::mcp
