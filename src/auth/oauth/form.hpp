#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gantry/error.hpp"

namespace gantry::auth {

/// Encodes everything except unreserved characters as %XX.
std::string percent_encode(std::string_view text);

/// Parameters of an application/x-www-form-urlencoded body or a query, in order.
class Form {
public:
    void add(std::string_view name, std::string_view value);
    /// Omits an empty value.
    void add_if(std::string_view name, std::string_view value);
    const std::string& text() const noexcept { return text_; }

private:
    std::string text_;
};

/// Decoded name and value pairs. Rejects invalid escapes, NUL and duplicate names: in an authorization
/// response a second `code` or `iss` is an attack, not a list.
Result<std::vector<std::pair<std::string, std::string>>> parse_query(std::string_view query);

}  // namespace gantry::auth
