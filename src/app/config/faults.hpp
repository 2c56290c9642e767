#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "app/config/shape.hpp"
#include "app/config/yaml.hpp"

namespace gantry::app {

/// All that is wrong with a file, in the order of its lines.
class Faults {
public:
    Faults(const YamlDocument& document, std::string origin) : document_(document), origin_(std::move(origin)) {}

    /// `pointer` leads to the part at fault, `path` says so to people: "servers[2].timeout".
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

/// A value in the file together with the way to it.
struct Node {
    const Json& json;
    std::string pointer;
    std::string path;
    Faults& faults;
    /// Set while the readers tell what they know and there is no file: `json` is an empty map then.
    Shape* shape = nullptr;

    void refuse(const std::string& what) const { faults.add(pointer, path, what); }
    Node member(std::string_view key, const Json& value) const;
    Node element(std::size_t index) const;
};

}  // namespace gantry::app
