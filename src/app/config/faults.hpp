#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "app/config/shape.hpp"
#include "app/config/yaml.hpp"

namespace gantry::app {

/// Collects all faults of a file, in the order of its lines.
class Faults {
public:
    Faults(const YamlDocument& document, std::string origin) : document_(document), origin_(std::move(origin)) {}

    /// `pointer` locates the faulty part; `path` names it for users: "servers[2].timeout".
    void add(const std::string& pointer, const std::string& path, const std::string& what);
    bool empty() const noexcept { return faults_.empty(); }
    /// One line each: "gantry.yaml:7:5: servers[2].timeout: expected …".
    std::string text() const;

private:
    struct Fault {
        Mark at;
        std::string line;
    };
    static constexpr std::size_t kMaxTold = 50;
    const YamlDocument& document_;
    std::string origin_;
    std::vector<Fault> faults_;
};

/// A value in the file together with its path.
struct Node {
    const Json& json;
    std::string pointer;
    std::string path;
    Faults& faults;
    /// Set while the schema is generated, when there is no file: `json` is then an empty map.
    Shape* shape = nullptr;

    void refuse(const std::string& what) const { faults.add(pointer, path, what); }
    Node member(std::string_view key, const Json& value) const;
    Node element(std::size_t index) const;
};

}  // namespace gantry::app
