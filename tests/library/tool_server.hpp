#pragma once

#include <condition_variable>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "gantry/client.hpp"
#include "support/raw_server.hpp"

namespace gantry::testing {

/// A 2025-11-25 server behind a URL that answers as the test specifies. Each request has its own thread.
class ToolServer {
public:
    struct Reply {
        std::string result = "{}";
        std::string error = {};  ///< instead of the result, when not empty
        /// Messages that the server sends before the answer, on the same stream.
        std::vector<std::string> before = {};
        /// `before` contains a request: answer only after the client has answered it.
        bool asks = false;
    };
    using Answer = std::function<Reply(const Json& params)>;

    /// Answers by method name; other methods get -32601.
    explicit ToolServer(std::map<std::string, Answer> methods);

    std::string url() const { return server_.url(); }
    ConnectOptions options() const;

    /// "tools/call {…}" with the params, "DELETE", "answer {…}" for answers to the server; in order of arrival.
    std::vector<std::string> seen() const;
    int count(const std::string& what) const;
    /// The head of the last request of this method.
    std::string head_of(const std::string& method) const;

private:
    void serve(int socket);
    void respond(int socket, const std::string& request);
    void note_answer(const std::string& answer, const std::string& request);
    void wait_for_answer();
    void note(std::string what, const std::string& request);

    std::map<std::string, Answer> methods_;
    mutable std::mutex mutex_;
    std::condition_variable changed_;
    std::vector<std::string> seen_;
    std::map<std::string, std::string> heads_;
    int unused_answers_ = 0;
    RawServer server_;  // last, because its threads use the other members
};

/// {"tools":[{"name":…,"inputSchema":{"type":"object"}},…]}
std::string tool_list(const std::vector<std::string>& names);
/// {"content":[{"type":"text","text":…}]}
std::string text_result(const std::string& text);

}  // namespace gantry::testing
