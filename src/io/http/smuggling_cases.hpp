#pragma once

#include <array>
#include <string_view>

namespace gantry::http {

/// Request forms that two parsers could interpret differently, and our answers. Tested on strings
/// and on sockets.
struct SmugglingCase {
    std::string_view name;
    std::string_view request;
    int status;
};

using std::string_view_literals::operator""sv;

inline constexpr std::array kSmugglingCases{
    SmugglingCase{"both lengths",
                  "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
                  400},
    SmugglingCase{"both lengths, other order",
                  "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n",
                  400},
    SmugglingCase{"repeated length",
                  "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello", 400},
    SmugglingCase{"repeated equal length",
                  "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nContent-Length: 5\r\n\r\nhello", 400},
    SmugglingCase{"length list", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5, 5\r\n\r\nhello", 400},
    SmugglingCase{"signed length", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: +5\r\n\r\nhello", 400},
    SmugglingCase{"negative length", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: -5\r\n\r\n", 400},
    SmugglingCase{"hex length", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 0x5\r\n\r\nhello", 400},
    SmugglingCase{"length with blank", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5 5\r\n\r\nhello", 400},
    SmugglingCase{"empty length", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length:\r\n\r\n", 400},
    SmugglingCase{"overflowing length",
                  "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 18446744073709551621\r\n\r\nhello", 400},
    SmugglingCase{"identity coding", "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: identity\r\n\r\n", 400},
    SmugglingCase{"coding list", "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
                  400},
    SmugglingCase{
        "repeated coding",
        "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400},
    SmugglingCase{"obscured coding", "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: xchunked\r\n\r\n0\r\n\r\n", 400},
    SmugglingCase{"coding with vertical tab",
                  "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: \x0b"
                  "chunked\r\n\r\n0\r\n\r\n",
                  400},
    SmugglingCase{"quoted coding", "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: \"chunked\"\r\n\r\n0\r\n\r\n",
                  400},
    SmugglingCase{"coding in 1.0", "POST / HTTP/1.0\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400},
    SmugglingCase{"blank before colon", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length : 5\r\n\r\nhello", 400},
    SmugglingCase{"tab before colon", "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding\t: chunked\r\n\r\n0\r\n\r\n",
                  400},
    SmugglingCase{"folded line", "GET / HTTP/1.1\r\nHost: a\r\nX: y\r\n z\r\n\r\n", 400},
    SmugglingCase{"folded coding", "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding:\r\n chunked\r\n\r\n0\r\n\r\n",
                  400},
    SmugglingCase{"blank first header line", "GET / HTTP/1.1\r\n Host: a\r\n\r\n", 400},
    SmugglingCase{"bare LF", "GET / HTTP/1.1\r\nHost: a\nX: y\r\n\r\n", 400},
    SmugglingCase{"only LF", "GET / HTTP/1.1\nHost: a\n\n", 400},
    SmugglingCase{"bare CR in value", "GET / HTTP/1.1\r\nHost: a\r\nX: y\rContent-Length: 5\r\n\r\n", 400},
    SmugglingCase{"bare CR in request line", "GET /\rx HTTP/1.1\r\nHost: a\r\n\r\n", 400},
    SmugglingCase{"double CR", "GET / HTTP/1.1\r\r\nHost: a\r\n\r\n", 400},
    SmugglingCase{"NUL in value", "GET / HTTP/1.1\r\nHost: a\r\nX: y\0z\r\n\r\n"sv, 400},
    SmugglingCase{"NUL in name", "GET / HTTP/1.1\r\nHost: a\r\nX\0: y\r\n\r\n"sv, 400},
    SmugglingCase{"NUL in target", "GET /\0 HTTP/1.1\r\nHost: a\r\n\r\n"sv, 400},
    SmugglingCase{"empty name", "GET / HTTP/1.1\r\nHost: a\r\n: y\r\n\r\n", 400},
    SmugglingCase{"no colon", "GET / HTTP/1.1\r\nHost: a\r\nContent-Length\r\n\r\n", 400},
    SmugglingCase{"bad name", "GET / HTTP/1.1\r\nHost: a\r\nX(y): z\r\n\r\n", 400},
    SmugglingCase{"name beyond ASCII", "GET / HTTP/1.1\r\nHost: a\r\nX\xc3\xa4: z\r\n\r\n", 400},
    SmugglingCase{"missing host", "GET / HTTP/1.1\r\nX: y\r\n\r\n", 400},
    SmugglingCase{"empty host", "GET / HTTP/1.1\r\nHost:\r\n\r\n", 400},
    SmugglingCase{"repeated host", "GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", 400},
    SmugglingCase{"repeated equal host", "GET / HTTP/1.1\r\nHost: a\r\nhost: a\r\n\r\n", 400},
    SmugglingCase{"host with path", "GET / HTTP/1.1\r\nHost: a/b\r\n\r\n", 400},
    SmugglingCase{"host with user", "GET / HTTP/1.1\r\nHost: u@a\r\n\r\n", 400},
    SmugglingCase{"host list", "GET / HTTP/1.1\r\nHost: a, b\r\n\r\n", 400},
    SmugglingCase{"absolute form against host", "GET http://b/ HTTP/1.1\r\nHost: a\r\n\r\n", 400},
    SmugglingCase{"absolute form without host", "GET http://a/ HTTP/1.1\r\n\r\n", 400},
    SmugglingCase{"absolute form with user", "GET http://u@a/ HTTP/1.1\r\nHost: a\r\n\r\n", 400},
    SmugglingCase{"other scheme", "GET ftp://a/ HTTP/1.1\r\nHost: a\r\n\r\n", 400},
    SmugglingCase{"relative target", "GET a HTTP/1.1\r\nHost: a\r\n\r\n", 400},
    SmugglingCase{"target with fragment", "GET /#x HTTP/1.1\r\nHost: a\r\n\r\n", 400},
    SmugglingCase{"target beyond ASCII", "GET /\xc3\xa4 HTTP/1.1\r\nHost: a\r\n\r\n", 400},
    SmugglingCase{"asterisk with GET", "GET * HTTP/1.1\r\nHost: a\r\n\r\n", 400},
    SmugglingCase{"two blanks in request line", "GET  / HTTP/1.1\r\nHost: a\r\n\r\n", 400},
    SmugglingCase{"blank after version", "GET / HTTP/1.1 \r\nHost: a\r\n\r\n", 400},
    SmugglingCase{"tab in request line", "GET\t/\tHTTP/1.1\r\nHost: a\r\n\r\n", 400},
    SmugglingCase{"no version", "GET /\r\nHost: a\r\n\r\n", 400},
    SmugglingCase{"lower-case version", "GET / http/1.1\r\nHost: a\r\n\r\n", 400},
    SmugglingCase{"odd version", "GET / HTTP/1.10\r\nHost: a\r\n\r\n", 400},
    SmugglingCase{"bad method", "G(T / HTTP/1.1\r\nHost: a\r\n\r\n", 400},
    SmugglingCase{"HTTP/2 preface", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 505},
    SmugglingCase{"HTTP/1.2", "GET / HTTP/1.2\r\nHost: a\r\n\r\n", 505},
    SmugglingCase{"CONNECT", "CONNECT a:443 HTTP/1.1\r\nHost: a:443\r\n\r\n", 501},
    SmugglingCase{"unknown expectation", "POST / HTTP/1.1\r\nHost: a\r\nExpect: magic\r\nContent-Length: 1\r\n\r\nx",
                  417},
    SmugglingCase{"TLS on a plain port", "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n"sv, 400},
};

/// Chunked bodies that are rejected; each follows a valid head.
inline constexpr std::array kBadChunks{
    "5\nhello\r\n0\r\n\r\n"sv,
    "5\r\nhello\n0\r\n\r\n"sv,
    "5\r\nhelloX\r\n0\r\n\r\n"sv,
    "5 \r\nhello\r\n0\r\n\r\n"sv,
    "+5\r\nhello\r\n0\r\n\r\n"sv,
    "0x5\r\nhello\r\n0\r\n\r\n"sv,
    "\r\n"sv,
    ";x\r\n"sv,
    "5\rhello\r\n0\r\n\r\n"sv,
    "5;a=\x01\r\nhello\r\n0\r\n\r\n"sv,
    "5 5\r\nhello\r\n0\r\n\r\n"sv,
    "0000000000000005\r\nhello\r\n0\r\n\r\n"sv,
    "FFFFFFFFFFFFFFFFF\r\n"sv,
    "0\r\nA: b\n\r\n"sv,
    "0\r\nA : b\r\n\r\n"sv,
    "0\r\nA: b\r\n c\r\n\r\n"sv,
    "0\r\nA: b\0c\r\n\r\n"sv,
    "0\r\nAb\r\n\r\n"sv,
    "0\r\n\rX"sv,
};

}  // namespace gantry::http
