#include <cctype>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "gateway/catalog/cursor.hpp"
#include "gateway/catalog/definition.hpp"
#include "gateway/catalog/name_book.hpp"
#include "gateway/catalog/names.hpp"

namespace {

using namespace gantry;
using namespace gantry::gateway;

void check(bool holds) {
    if (!holds) std::abort();
}

/// The text walk and the strict parser agree on every text that the parser accepts.
void members_agree(std::string_view text) {
    (void)member_of(text, "name");
    const auto tree = Json::parse(text);
    if (!tree || !tree->is_object()) return;
    for (const auto& [key, value] : *tree->if_object()) {
        const auto found = member_of(text, key);
        check(found.has_value());
        const auto again = Json::parse(*found);
        check(again.has_value() && *again == value);
    }
}

void names_fit(std::string_view own) {
    const std::string name = plain_name("p", "s", own);
    check(name.size() <= kMaxName);
    for (const char c : name) check(std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '-');
    check(plain_name("", "s", own).size() <= kMaxOwnName);
    check(tag_of(uri_tag(own) + "x:y") == uri_tag(own));
}

}  // namespace

// Untrusted definitions, names and cursors.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    members_agree(text);
    names_fit(text);
    check(decode_cursor(ItemKind::kTool, encode_cursor(ItemKind::kTool, text)).value_or("") == text);
    if (const auto name = decode_cursor(ItemKind::kTool, text)) check(encode_cursor(ItemKind::kTool, *name) == text);
    if (const auto json = Json::parse(text)) {
        if (const auto book = NameBook::from_json(*json)) check(NameBook::from_json(book->to_json()).has_value());
    }
    return 0;
}
