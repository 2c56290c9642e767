#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "request.hpp"

namespace bench {

enum class Era { kModern, kLegacy };

/// The reply to one request: notifications, then the response as its beginning up to and including the id, and the
/// rest, which is prepared once and only pointed to.
struct Answer {
    int status = 200;
    std::vector<std::string> notifications;
    std::string head;
    std::string_view tail;
    bool opens_session = false;
    bool stays_open = false;  // a listen: only notifications, until the peer goes
};

/// An MCP server that does nothing: a catalog of any size and answers of given sizes, prepared at start.
///
/// Tools: small (0.3 KB), medium (10 KB), large (1 MB), huge (64 MB), progress (20 notifications, then 0.3 KB); further
/// ones up to the asked number answer like small.
class Answers {
public:
    Answers(Era era, std::size_t tools);

    Answer to(const Request& request) const;

    /// The catalog becomes another one of the same size. Returns the beginning of the notification that says so; the
    /// id of the listen it goes to and "}}}" follow.
    std::string change_catalog();
    /// The same, but only the last tool changes.
    std::string change_one_tool();

private:
    void write_list();
    std::string result_of(std::size_t bytes) const;
    Answer call(const Request& request) const;
    Answer with(const Request& request, std::string_view tail) const;
    Answer refuse(const Request& request, int status, std::string_view error) const;

    Era era_;
    std::size_t tools_;
    unsigned generation_ = 0;
    unsigned last_tool_generation_ = 0;
    std::string opening_;
    std::string list_;
    std::string former_list_;  // may still be on its way to a client
    std::string small_, medium_, large_, huge_;
};

}  // namespace bench
