#pragma once

#include <memory>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "gateway/catalog/catalog.hpp"
#include "gateway/ports/source.hpp"

namespace gantry::gateway {

/// The sources of one configuration, by number and by name. Holding the set keeps them alive.
class SourceSet {
public:
    SourceSet() = default;
    explicit SourceSet(std::vector<std::shared_ptr<Source>> sources) : sources_(std::move(sources)) {
        for (const auto& source : sources_) by_name_.emplace(source->name(), source.get());
    }
    SourceSet(const SourceSet&) = delete;
    SourceSet& operator=(const SourceSet&) = delete;

    Source& operator[](SourceNumber number) const { return *sources_[number]; }
    /// Null: there is none of that name.
    Source* find(std::string_view name) const {
        const auto found = by_name_.find(name);
        return found == by_name_.end() ? nullptr : found->second;
    }

private:
    std::vector<std::shared_ptr<Source>> sources_;
    std::unordered_map<std::string_view, Source*> by_name_;
};

}  // namespace gantry::gateway
