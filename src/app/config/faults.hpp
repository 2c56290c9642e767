#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "app/config/about.hpp"
#include "app/config/setting_record.hpp"
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
    /// What a changed key below here does, unless the key says otherwise.
    Reload reload = Reload::kAtOnce;
    /// Where values are recorded; null: they are not. `place` is this node's.
    SettingRecord* record = nullptr;
    SettingRecord::Place place = {};
    /// Changes below here are reported as one, under the name in `place`.
    bool is_unit = false;

    void refuse(const std::string& what) const { faults.add(pointer, path, what); }
    Node member(std::string_view key, const Json& value) const;
    Node element(std::size_t index) const;
    /// The place of a key, by its proper name however the file spells it.
    SettingRecord::Place place_of(std::string_view key) const;
    /// The same node under the name of an entry, whose changes are reported as one.
    Node as_entry(std::string_view name) const;
};

}  // namespace gantry::app
