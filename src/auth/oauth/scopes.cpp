#include "auth/oauth/scopes.hpp"

#include <algorithm>

namespace gantry::auth {
namespace {

constexpr std::size_t kMaxScopes = 256;

bool is_scope_name(std::string_view name) noexcept {
    return !name.empty() && std::all_of(name.begin(), name.end(),
                                        [](char c) { return c >= 0x21 && c <= 0x7e && c != '"' && c != '\\'; });
}

}  // namespace

void Scopes::add(std::string_view name) {
    if (is_scope_name(name) && names_.size() < kMaxScopes && !contains(name)) names_.emplace_back(name);
}

void Scopes::add_all(std::string_view spaced) {
    while (!spaced.empty()) {
        const std::string_view word = spaced.substr(0, spaced.find(' '));
        add(word);
        spaced.remove_prefix(std::min(spaced.size(), word.size() + 1));
    }
}

bool Scopes::contains(std::string_view name) const noexcept {
    return std::find(names_.begin(), names_.end(), name) != names_.end();
}

bool Scopes::contains_all(const Scopes& other) const noexcept {
    return std::all_of(other.names_.begin(), other.names_.end(), [&](const auto& name) { return contains(name); });
}

std::string Scopes::text() const {
    std::string out;
    for (const auto& name : names_) {
        if (!out.empty()) out += ' ';
        out += name;
    }
    return out;
}

}  // namespace gantry::auth
