#include "auth/jose/key_set.hpp"

#include <set>
#include <utility>

namespace gantry::jose {
namespace {

constexpr std::size_t kMaxKeys = 128;

}  // namespace

Result<KeySet> KeySet::of(std::vector<Key> keys) {
    if (keys.size() > kMaxKeys) return fail(ErrorCode::kLimit, "the key set has too many keys");
    bool secrets = false;
    bool pairs = false;
    for (std::size_t i = 0; i < keys.size(); ++i) {
        (keys[i].type() == KeyType::kOct ? secrets : pairs) = true;
        for (std::size_t j = 0; j < i; ++j)
            if (!keys[i].kid().empty() && keys[i].kid() == keys[j].kid() && keys[i].type() == keys[j].type())
                return fail(ErrorCode::kDenied, "the key set names two keys alike");
    }
    if (secrets && pairs) return fail(ErrorCode::kDenied, "the key set mixes shared secrets and public keys");
    KeySet set;
    set.keys_ = std::move(keys);
    return set;
}

Result<KeySet> KeySet::parse(const Json& document) {
    const Json* list = document.find("keys");
    const JsonArray* items = list ? list->if_array() : nullptr;
    if (!items) return fail(ErrorCode::kParse, "a JWK Set has an array \"keys\"");
    if (items->size() > kMaxKeys) return fail(ErrorCode::kLimit, "the key set has too many keys");
    std::vector<Key> keys;
    std::set<std::pair<std::string_view, std::string_view>> names;
    for (const Json& item : *items) {
        const auto kid = item.string_at("kid");
        const bool fresh = names.emplace(kid, item.string_at("kty")).second;
        if (!kid.empty() && !fresh) return fail(ErrorCode::kDenied, "the key set names two keys alike");
    }
    for (const Json& item : *items)
        if (auto key = Key::from_jwk(item)) keys.push_back(*std::move(key));
    return of(std::move(keys));
}

std::vector<const Key*> KeySet::candidates(Alg alg, std::string_view kid) const {
    std::vector<const Key*> found;
    for (const Key& key : keys_)
        if ((kid.empty() || key.kid() == kid) && key.permits(alg, Operation::kVerify)) found.push_back(&key);
    return found;
}

}  // namespace gantry::jose
