#include "gateway/catalog/catalog.hpp"

#include "gateway/catalog/impl.hpp"

namespace gantry::gateway {

Catalog::Catalog(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Catalog::~Catalog() = default;

std::shared_ptr<const Catalog> Catalog::build(std::vector<SourceEntry> sources, std::vector<GroupSpec> groups,
                                              const CatalogRules& rules, NameBook& names) {
    return std::shared_ptr<const Catalog>(
        new Catalog(std::make_unique<Impl>(std::move(sources), std::move(groups), rules, names)));
}

std::optional<Catalog::Found> Catalog::find(ItemKind kind, std::string_view scope, std::string_view name) const {
    const Scope* part = impl_->scope(scope);
    return part == nullptr ? std::nullopt : impl_->find(kind, *part, name);
}

bool Catalog::has_scope(std::string_view scope) const {
    return impl_->scope(scope) != nullptr;
}

std::vector<std::string> Catalog::scopes() const {
    std::vector<std::string> names;
    for (const Scope& scope : impl_->scopes()) names.push_back(scope.name);
    return names;
}

Result<Page> Catalog::list(ItemKind kind, std::string_view scope, mcp::Revision revision,
                           std::optional<std::string_view> cursor) const {
    const Scope* part = impl_->scope(scope);
    if (part == nullptr) return fail(ErrorCode::kNotFound, "no such part of the catalog");
    return impl_->list(kind, *part, revision, cursor);
}

Page Catalog::plain_tools(std::string_view scope) const {
    const Scope* part = impl_->scope(scope);
    return part == nullptr ? std::make_shared<const std::string>(R"({"tools":[]})") : impl_->plain_tools(*part);
}

std::vector<std::string_view> Catalog::names(ItemKind kind, std::string_view scope, mcp::Revision revision,
                                             std::size_t most) const {
    const Scope* part = impl_->scope(scope);
    return part == nullptr ? std::vector<std::string_view>() : impl_->names(kind, *part, revision, most);
}

mcp::ServerCapabilities Catalog::capabilities(std::string_view scope) const {
    const Scope* part = impl_->scope(scope);
    return part == nullptr ? mcp::ServerCapabilities() : impl_->capabilities(*part);
}

std::optional<std::string> Catalog::instructions(std::string_view scope) const {
    const Scope* part = impl_->scope(scope);
    return part == nullptr ? std::nullopt : impl_->instructions(*part);
}

mcp::Implementation Catalog::presented_as(std::string_view scope) const {
    const Scope* part = impl_->scope(scope);
    return part == nullptr ? mcp::Implementation() : impl_->presented_as(*part);
}

std::string Catalog::public_uri(std::string_view source_name, std::string_view own_uri) const {
    return impl_->public_uri(source_name, own_uri);
}

const std::vector<CatalogProblem>& Catalog::problems() const noexcept {
    return impl_->problems();
}

LeftOut Catalog::left_out(std::string_view source_name) const {
    return impl_->left_out(source_name);
}

std::uint64_t Catalog::digest(ItemKind kind, std::string_view scope) const {
    const Scope* part = impl_->scope(scope);
    return part == nullptr ? 0 : impl_->digest(kind, *part);
}

bool Catalog::draws_on(std::string_view scope, ItemKind kind, std::string_view source_name) const {
    const Scope* part = impl_->scope(scope);
    return part != nullptr && impl_->draws_on(*part, kind, source_name);
}

std::size_t Catalog::size(ItemKind kind, std::string_view scope) const {
    const Scope* part = impl_->scope(scope);
    return part == nullptr ? 0 : part->listing(kind).order.size();
}

}  // namespace gantry::gateway
