#pragma once

#include <string_view>

namespace bench {

/// The parts of a JSON-RPC request that an answer depends on; values as they stand in the text, quotes included.
struct Request {
    std::string_view id;      // empty: a notification
    std::string_view method;  // without quotes
    std::string_view name;    // params.name, without quotes
    std::string_view token;   // params._meta.progressToken
};

/// One pass over `text`, which is taken to be valid: what sends it here is under test elsewhere.
Request read_request(std::string_view text);

}  // namespace bench
