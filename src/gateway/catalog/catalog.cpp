#include "gateway/catalog/catalog.hpp"

#include "gateway/catalog/impl.hpp"
#include "gateway/catalog/update.hpp"

namespace gantry::gateway {

Catalog::Catalog(std::unique_ptr<const Impl> impl) : impl_(std::move(impl)) {}
Catalog::~Catalog() = default;

CatalogPtr Catalog::build(CatalogPlanPtr plan, std::vector<InventoryPtr> inventories, NameBook& names,
                          const Catalog* before) {
    for (InventoryPtr& inventory : inventories) {
        if (inventory == nullptr) inventory = std::make_shared<const Inventory>();
    }
    std::unique_ptr<const Impl> made;
    if (before != nullptr && before->impl_->plan() == plan)
        made = CatalogUpdate::run(*before->impl_, inventories, names);
    if (!made) made = Impl::build(std::move(plan), std::move(inventories), names);
    return CatalogPtr(new Catalog(std::move(made)));
}

std::unique_ptr<const Catalog::Impl> Catalog::Impl::build(CatalogPlanPtr plan, std::vector<InventoryPtr> inventories,
                                                          NameBook& names) {
    auto made = std::make_unique<Impl>();
    ProblemList problems;
    Named named = name_entries(*plan, inventories, names, problems);
    made->tables_ = std::move(named.tables);
    made->left_out_ = std::move(named.left_out);
    made->any_hidden_ = named.any_hidden;
    made->scopes_ = make_scopes(*plan, inventories, made->tables_, problems);
    made->plan_ = std::move(plan);
    made->inventories_ = std::move(inventories);
    made->note_renamed_uris();
    made->problems_ = std::move(problems).take();
    return made;
}

void Catalog::Impl::note_renamed_uris() {
    has_renamed_uris_.assign(inventories_.size(), false);
    for (const auto kind : {ItemKind::kResource, ItemKind::kTemplate}) {
        for (const EntryPtr& entry : table(kind).entries) {
            if (!entry->hidden && entry->renamed()) has_renamed_uris_[entry->source] = true;
        }
    }
}

const CatalogPlanPtr& Catalog::plan() const noexcept {
    return impl_->plan();
}

const Scope* Catalog::Impl::scope(std::string_view name) const {
    if (name.empty()) return &scopes_.front();
    const auto number = plan_->scope_named(name);
    return number ? &scopes_[*number] : nullptr;
}

LeftOut Catalog::Impl::left_out(std::string_view source) const {
    const auto number = plan_->source_named(source);
    return number ? left_out_[*number] : LeftOut{};
}

std::optional<Catalog::Found> Catalog::find(ItemKind kind, std::string_view scope, std::string_view name) const {
    const Scope* part = impl_->scope(scope);
    return part == nullptr ? std::nullopt : impl_->find(kind, *part, name);
}

bool Catalog::has_scope(std::string_view scope) const {
    return impl_->scope(scope) != nullptr;
}

const std::vector<std::string>& Catalog::scopes() const noexcept {
    return impl_->plan()->scopes();
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
    return part == nullptr ? 0 : part->listing(kind).digest;
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
