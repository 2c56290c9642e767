#include "base/schema/uri.hpp"

namespace gantry::schema {
namespace {

int hex_value(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

bool is_scheme(std::string_view text) {
    if (text.empty()) return false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        const bool alpha = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
        const bool other = (c >= '0' && c <= '9') || c == '+' || c == '-' || c == '.';
        if (!alpha && (i == 0 || !other)) return false;
    }
    return true;
}

std::string remove_dot_segments(std::string_view path) {
    std::string out;
    while (!path.empty()) {
        if (path.starts_with("../")) {
            path.remove_prefix(3);
        } else if (path.starts_with("./") || path.starts_with("/./")) {
            path.remove_prefix(2);
        } else if (path == "/.") {
            path = "/";
        } else if (path.starts_with("/../") || path == "/..") {
            path = path.size() == 3 ? std::string_view("/") : path.substr(3);
            const auto slash = out.rfind('/');
            out.resize(slash == std::string::npos ? 0 : slash);
        } else if (path == "." || path == "..") {
            path = {};
        } else {
            auto next = path.find('/', 1);
            if (next == std::string_view::npos) next = path.size();
            out.append(path.substr(0, next));
            path.remove_prefix(next);
        }
    }
    return out;
}

std::string merge_paths(const UriParts& base, std::string_view path) {
    if (base.has_authority && base.path.empty()) return "/" + std::string(path);
    const auto slash = base.path.rfind('/');
    std::string merged(slash == std::string_view::npos ? std::string_view() : base.path.substr(0, slash + 1));
    return merged.append(path);
}

}  // namespace

UriParts split_uri(std::string_view uri) {
    UriParts parts;
    if (const auto hash = uri.find('#'); hash != std::string_view::npos) {
        parts.fragment = uri.substr(hash + 1);
        parts.has_fragment = true;
        uri = uri.substr(0, hash);
    }
    if (const auto mark = uri.find('?'); mark != std::string_view::npos) {
        parts.query = uri.substr(mark + 1);
        parts.has_query = true;
        uri = uri.substr(0, mark);
    }
    if (const auto colon = uri.find(':'); colon != std::string_view::npos && is_scheme(uri.substr(0, colon))) {
        parts.scheme = uri.substr(0, colon);
        uri = uri.substr(colon + 1);
    }
    if (uri.starts_with("//")) {
        uri = uri.substr(2);
        auto slash = uri.find('/');
        if (slash == std::string_view::npos) slash = uri.size();
        parts.authority = uri.substr(0, slash);
        parts.has_authority = true;
        uri = uri.substr(slash);
    }
    parts.path = uri;
    return parts;
}

std::string resolve_uri(std::string_view base, std::string_view reference) {
    const UriParts b = split_uri(base);
    const UriParts r = split_uri(reference);
    const bool own_scheme = !r.scheme.empty();
    const bool own_authority = own_scheme || r.has_authority;
    const bool own_path = own_authority || !r.path.empty();

    std::string out;
    const std::string_view scheme = own_scheme ? r.scheme : b.scheme;
    if (!scheme.empty()) out.append(scheme).append(":");
    const UriParts& owner = own_authority ? r : b;
    if (owner.has_authority) out.append("//").append(owner.authority);
    if (!own_path) {
        out.append(b.path);
    } else if (own_authority || r.path.starts_with('/')) {
        out.append(remove_dot_segments(r.path));
    } else {
        out.append(remove_dot_segments(merge_paths(b, r.path)));
    }
    if (r.has_query) {
        out.append("?").append(r.query);
    } else if (!own_path && b.has_query) {
        out.append("?").append(b.query);
    }
    if (r.has_fragment) out.append("#").append(r.fragment);
    return out;
}

std::pair<std::string_view, std::string_view> split_fragment(std::string_view uri) {
    const auto hash = uri.find('#');
    if (hash == std::string_view::npos) return {uri, {}};
    return {uri.substr(0, hash), uri.substr(hash + 1)};
}

std::string percent_decode(std::string_view text) {
    std::string out;
    out.reserve(text.size());
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '%' && i + 2 < text.size()) {
            const int high = hex_value(text[i + 1]);
            const int low = hex_value(text[i + 2]);
            if (high >= 0 && low >= 0) {
                out.push_back(static_cast<char>(high * 16 + low));
                i += 2;
                continue;
            }
        }
        out.push_back(text[i]);
    }
    return out;
}

}  // namespace gantry::schema
