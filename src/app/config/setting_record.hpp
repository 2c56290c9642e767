#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "app/config/about.hpp"
#include "gantry/json.hpp"

namespace gantry::app {

/// The settings that a file gives other values than their defaults, so that two configurations can be compared key by
/// key. The section that reads a key records it. Values are kept as digests under a key of this process, because some
/// are secrets.
class SettingRecord {
public:
    struct Place {
        std::string key;    // "webhooks.pager.url"
        std::string shown;  // the name under which a change is reported: "webhooks.pager"
    };
    /// `usual` and `value`: the default and what was read, in the canonical form of the key's kind.
    void note(const Place& place, Reload reload, const About& about, const Json& usual, const Json& value);
    /// The key and everything below it do not count: the command line decides.
    void forget(std::string_view key);

    struct Change {
        std::string key;
        Reload reload = Reload::kAtOnce;

        bool operator==(const Change&) const = default;
    };
    /// Each once, in alphabetical order.
    static std::vector<Change> changes(const SettingRecord& from, const SettingRecord& to);

private:
    struct Entry {
        std::string shown;
        Reload reload = Reload::kAtOnce;
        std::string_view with;
        std::string digest;
    };
    std::map<std::string, Entry, std::less<>> entries_;
};

}  // namespace gantry::app
