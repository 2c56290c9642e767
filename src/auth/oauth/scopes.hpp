#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace gantry::auth {

/// An ordered set of scope names. Names with characters RFC 6749 forbids are dropped.
class Scopes {
public:
    Scopes() = default;
    explicit Scopes(std::string_view spaced) { add_all(spaced); }
    explicit Scopes(const std::vector<std::string>& names) {
        for (const auto& name : names) add(name);
    }

    void add(std::string_view name);
    void add_all(std::string_view spaced);
    void add_all(const Scopes& other) {
        for (const auto& name : other.names_) add(name);
    }
    bool contains(std::string_view name) const noexcept;
    bool contains_all(const Scopes& other) const noexcept;
    bool empty() const noexcept { return names_.empty(); }
    /// Joined by single spaces.
    std::string text() const;

private:
    std::vector<std::string> names_;
};

}  // namespace gantry::auth
