#pragma once

#include "gantry/error.hpp"

namespace gantry::cli {

/// What a script can tell apart. Printed by `gantry help exit-codes`; do not renumber.
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

/// By the kind of failure alone; see exit_code_of() for what a gateway says about its refusal.
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

/// The same, and a refusal of a gateway by its reason: a call that was not approved is kAuthorization, not kServer.
ExitCode exit_code_of(const Error& error);

}  // namespace gantry::cli
