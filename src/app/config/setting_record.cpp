#include "app/config/setting_record.hpp"

#include <algorithm>

#include "base/crypto/digest.hpp"
#include "base/crypto/sha256.hpp"

namespace gantry::app {
namespace {

/// Random and of this process only: from a digest without a key, a short secret could be guessed.
const std::string& digest_key() {
    // Without random bytes the gateway does not start; until then, digests without a key compare just as well.
    static const std::string key = crypto::random_bytes(32).value_or(std::string());
    return key;
}

bool is_below(std::string_view key, std::string_view parent) {
    return key.starts_with(parent) &&
           (key.size() == parent.size() || key[parent.size()] == '.' || key[parent.size()] == '[');
}

}  // namespace

void SettingRecord::note(const Place& place, Reload reload, const About& about, const Json& usual, const Json& value) {
    if (usual == value) return;
    const Json exception(about.exception());
    const bool excepted = !about.exception().empty() && (usual == exception || value == exception);
    entries_.insert_or_assign(place.key, Entry{.shown = place.shown,
                                               .reload = excepted ? about.exception_reload() : reload,
                                               .with = about.with(),
                                               .digest = crypto::hmac_sha256(digest_key(), value.dump())});
}

void SettingRecord::forget(std::string_view key) {
    std::erase_if(entries_, [key](const auto& entry) { return is_below(entry.first, key); });
}

std::vector<SettingRecord::Change> SettingRecord::changes(const SettingRecord& from, const SettingRecord& to) {
    std::map<std::string_view, const Entry*> differing;  // the heavier of the two entries
    const auto compare = [&differing](const SettingRecord& a, const SettingRecord& b) {
        for (const auto& [key, entry] : a.entries_) {
            const auto other = b.entries_.find(key);
            if (other != b.entries_.end() && other->second.digest == entry.digest) continue;
            const Entry*& known = differing[key];
            if (known == nullptr || known->reload < entry.reload) known = &entry;
        }
    };
    compare(from, to);
    compare(to, from);
    std::vector<Change> changes;
    for (const auto& [key, entry] : differing) {
        const bool at_once = !entry->with.empty() && differing.contains(entry->with);
        Change change{.key = entry->shown, .reload = at_once ? Reload::kAtOnce : entry->reload};
        if (std::ranges::find(changes, change) == changes.end()) changes.push_back(std::move(change));
    }
    return changes;
}

}  // namespace gantry::app
