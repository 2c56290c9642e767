#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "gantry/json.hpp"
#include "io/http/server.hpp"

namespace gantry::surface {

/// An operator's request: path and query parameters by name, and the body.
struct OperationCall {
    std::map<std::string, std::string, std::less<>> values = {};
    Json body = {};

    /// Empty when the parameter is absent.
    std::string_view value(std::string_view name) const noexcept;
};

/// One operation of the control API, independent of the transport.
struct Operation {
    std::string method;  // "GET"
    std::string path;    // "/v1/approvals/{id}"
    /// Either answers once…
    std::function<Task<Result<Json>>(const Context& ctx, OperationCall call)> run = {};
    /// …or streams events until the client disconnects, writing the response itself.
    std::function<Task<void>(const Context& ctx, http::Exchange& exchange, OperationCall call)> follow = {};
};

/// Dispatches HTTP requests to operations by method and path. Bodies and answers are JSON; a failure is
/// `{"error":{"code":"not_found","message":"…"}}` with a matching status.
class Operations {
public:
    void add(Operation operation);
    Task<void> handle(const Context& ctx, http::Exchange& exchange) const;

    const std::vector<Operation>& all() const noexcept { return operations_; }

private:
    std::vector<Operation> operations_;
};

}  // namespace gantry::surface
