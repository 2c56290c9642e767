#include "auth/seal/key_ring.hpp"

#include "auth/store/sealed.hpp"
#include "base/crypto/base64url.hpp"
#include "base/crypto/digest.hpp"
#include "base/try.hpp"

namespace gantry::auth {
namespace {

Result<SealKey> key_from(const Json& json) {
    GANTRY_TRY(std::string id, crypto::base64url_decode(json.string_at("id")));
    GANTRY_TRY(std::string secret, crypto::base64url_decode(json.string_at("key")));
    const Json* made = json.find("made");
    const auto seconds = made == nullptr ? std::nullopt : made->as_int();
    if (id.size() != kKeyIdBytes || secret.size() != kSealKeyBytes || !seconds)
        return fail(ErrorCode::kParse, "a key of the sealing key file is damaged");
    return SealKey{.id = std::move(id),
                   .secret = std::move(secret),
                   .made = std::chrono::sys_seconds(std::chrono::seconds(*seconds))};
}

}  // namespace

Result<SealKey> make_seal_key(std::chrono::sys_seconds now) {
    GANTRY_TRY(std::string id, crypto::random_bytes(kKeyIdBytes));
    GANTRY_TRY(std::string secret, crypto::random_bytes(kSealKeyBytes));
    return SealKey{.id = std::move(id), .secret = std::move(secret), .made = now};
}

Result<bool> KeyRing::renew(std::chrono::sys_seconds now, std::chrono::seconds rotate_after,
                            std::chrono::seconds keep_for) {
    bool changed = false;
    if (keys.empty() || now - keys.front().made >= rotate_after) {
        GANTRY_TRY(SealKey key, make_seal_key(now));
        keys.insert(keys.begin(), std::move(key));
        changed = true;
    }
    // A key seals until its successor is created; its last token expires keep_for after that.
    while (keys.size() > 1 && now - keys[keys.size() - 2].made >= keep_for) {
        crypto::wipe(keys.back().secret);
        keys.pop_back();
        changed = true;
    }
    return changed;
}

Json to_json(const KeyRing& ring) {
    JsonArray keys;
    for (const SealKey& key : ring.keys) {
        keys.push_back(JsonObject{{"id", crypto::base64url_encode(key.id)},
                                  {"key", crypto::base64url_encode(key.secret)},
                                  {"made", key.made.time_since_epoch().count()}});
    }
    return JsonObject{{"version", 1}, {"keys", std::move(keys)}};
}

Result<KeyRing> key_ring_from(const Json& json) {
    const Json* keys = json.find("keys");
    if (keys == nullptr || !keys->is_array()) return fail(ErrorCode::kParse, "the sealing key file has no keys");
    KeyRing ring;
    for (const Json& entry : *keys->if_array()) {
        GANTRY_TRY(SealKey key, key_from(entry));
        ring.keys.push_back(std::move(key));
    }
    return ring;
}

}  // namespace gantry::auth
