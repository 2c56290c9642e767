#pragma once

#include "gantry/error.hpp"

namespace gantry::cli {

/// What a script can tell apart. Printed by --help; do not renumber.
enum class ExitCode : std::uint8_t {
    kDone = 0,
    kToolFailed = 1,
    kUsage = 2,
    kConnection = 3,
    kTimeout = 4,
    kAuthorization = 5,
    kServer = 6,
    kSchema = 7,
};

constexpr ExitCode exit_code_for(ErrorCode code) noexcept {
    switch (code) {
        case ErrorCode::kInvalidArgument: return ExitCode::kUsage;
        case ErrorCode::kConnection:
        case ErrorCode::kOutcomeUnknown:
        case ErrorCode::kCancelled: return ExitCode::kConnection;
        case ErrorCode::kTimeout: return ExitCode::kTimeout;
        case ErrorCode::kUnauthorized:
        case ErrorCode::kDenied: return ExitCode::kAuthorization;
        case ErrorCode::kSchema: return ExitCode::kSchema;
        case ErrorCode::kTool: return ExitCode::kToolFailed;
        case ErrorCode::kParse:
        case ErrorCode::kProtocol:
        case ErrorCode::kNotFound:
        case ErrorCode::kLimit:
        case ErrorCode::kRpc:
        case ErrorCode::kUnsupported:
        case ErrorCode::kInternal: return ExitCode::kServer;
    }
    return ExitCode::kServer;
}

}  // namespace gantry::cli
