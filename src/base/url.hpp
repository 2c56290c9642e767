#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "gantry/error.hpp"

namespace gantry {

/// An absolute http or https URL, split but never normalized: text() is byte for byte what
/// was parsed, because OAuth compares resource and issuer URLs as strings.
class Url {
public:
    static constexpr std::size_t kMaxLength = 64u << 10;

    /// Rejects other schemes, user-info, control characters, spaces, bytes beyond ASCII and empty hosts.
    /// Also rejects hosts that two programs may interpret differently: percent-encoded ones, IPv6 zones and
    /// numbers that are not four plain decimals (127.1, 0x7f.1, 2130706433).
    /// Errors name the invalid part, never the text: a query may contain a secret.
    static Result<Url> parse(std::string_view text);
    /// RFC 3986 reference resolution against this URL ("/x", "../x", "?q", "//host/x", absolute).
    /// An absolute reference is not normalized, dots included.
    Result<Url> resolve(std::string_view reference) const;

    const std::string& text() const noexcept { return text_; }
    bool is_https() const noexcept { return https_; }
    /// Lower case; an IPv6 literal without brackets.
    const std::string& host() const noexcept { return host_; }
    std::uint16_t port() const noexcept { return port_; }
    /// Starts with "/"; without query and fragment.
    const std::string& path() const noexcept { return path_; }
    /// Without "?"; empty if absent.
    const std::string& query() const noexcept { return query_; }
    /// For the request line: path and query.
    std::string target() const;
    /// For the Host header: the port only if not the scheme's default.
    std::string authority() const;
    /// "https://host[:port]", the scope of credentials and connection pools.
    std::string origin() const;
    /// localhost, 127.0.0.0/8 or ::1, spelled literally.
    bool is_loopback_literal() const noexcept;

    /// Same text; "http://a" and "http://a/" differ.
    friend bool operator==(const Url& a, const Url& b) noexcept { return a.text_ == b.text_; }

private:
    std::string text_, host_, path_, query_;
    std::size_t path_at_ = 0;  // offset of the end of the authority in text_
    std::uint16_t port_ = 0;
    bool https_ = false;
    bool has_query_ = false;  // "/x?" is not "/x"
};

}  // namespace gantry
