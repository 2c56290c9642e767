#pragma once

#include "gantry/error.hpp"

namespace gantry::cli {

/// Outcomes that a script can distinguish. Printed by `gantry help exit-codes`; do not renumber.
enum class ExitCode : std::uint8_t {
    kDone = 0,
    kToolFailed = 1,
    kUsage = 2,
    kConnection = 3,
    kTimeout = 4,
    kAuthorization = 5,
    kServer = 6,
    kSchema = 7,
    kOutput = 8,
};

/// By the error code alone; exit_code_of() also considers a gateway's reason for a refusal.
constexpr ExitCode exit_code_for(ErrorCode code) noexcept {
    switch (code) {
        case ErrorCode::kInvalidArgument: return ExitCode::kUsage;
        case ErrorCode::kConnection:
        case ErrorCode::kNotFound:
        case ErrorCode::kOutcomeUnknown:
        case ErrorCode::kCancelled: return ExitCode::kConnection;
        case ErrorCode::kTimeout: return ExitCode::kTimeout;
        case ErrorCode::kUnauthorized:
        case ErrorCode::kDenied: return ExitCode::kAuthorization;
        case ErrorCode::kSchema: return ExitCode::kSchema;
        case ErrorCode::kTool: return ExitCode::kToolFailed;
        case ErrorCode::kParse:
        case ErrorCode::kProtocol:
        case ErrorCode::kLimit:
        case ErrorCode::kRpc:
        case ErrorCode::kUnsupported:
        case ErrorCode::kInternal: return ExitCode::kServer;
    }
    return ExitCode::kServer;
}

/// Like exit_code_for(), but also considers the reason of a gateway's refusal: a call that was not approved is
/// kAuthorization, not kServer.
ExitCode exit_code_of(const Error& error);

}  // namespace gantry::cli
