#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "gantry/json.hpp"
#include "io/http/server.hpp"

namespace gantry::surface {

/// What an operator asks for: the parts of the path and of the query by name, and the body.
struct OperationCall {
    std::map<std::string, std::string, std::less<>> values = {};
    Json body = {};

    /// Empty when it was not given.
    std::string_view value(std::string_view name) const noexcept;
};

/// One thing a running gateway can be asked to tell or do. The same list serves whatever carries it.
struct Operation {
    std::string method;  // "GET"
    std::string path;    // "/v1/approvals/{id}"
    /// Answers once…
    std::function<Task<Result<Json>>(const Context& ctx, OperationCall call)> run = {};
    /// …or as long as somebody listens, with an event stream of its own making.
    std::function<Task<void>(const Context& ctx, http::Exchange& exchange, OperationCall call)> follow = {};
};

/// The operations by method and path, over HTTP. Bodies and answers are JSON; a failure is
/// `{"error":{"code":"not_found","message":"…"}}` with a status that fits.
class Operations {
public:
    void add(Operation operation);
    Task<void> handle(const Context& ctx, http::Exchange& exchange) const;

    const std::vector<Operation>& all() const noexcept { return operations_; }

private:
    std::vector<Operation> operations_;
};

}  // namespace gantry::surface
