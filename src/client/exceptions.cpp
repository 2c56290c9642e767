#include "gantry/exceptions.hpp"

namespace gantry {

void throw_error(Error error) {
    switch (error.code()) {
        case ErrorCode::kConnection:
        case ErrorCode::kOutcomeUnknown: throw ConnectionError(std::move(error));
        case ErrorCode::kTimeout: throw TimeoutError(std::move(error));
        case ErrorCode::kSchema: throw SchemaError(std::move(error));
        case ErrorCode::kUnauthorized:
        case ErrorCode::kDenied: throw AuthorizationError(std::move(error));
        case ErrorCode::kTool:
        case ErrorCode::kRpc:
        case ErrorCode::kNotFound: throw ToolError(std::move(error));
        default: throw Exception(std::move(error));
    }
}

mcp::CallToolResult or_throw(Result<mcp::CallToolResult> result) {
    if (!result) throw_error(std::move(result).error());
    if (result->is_error) throw_error(Error(ErrorCode::kTool, result->text()));
    return *std::move(result);
}

}  // namespace gantry
