#include "gantry/error.hpp"

namespace gantry {

std::string_view to_string(ErrorCode code) noexcept {
    switch (code) {
        case ErrorCode::kInvalidArgument: return "invalid argument";
        case ErrorCode::kParse: return "malformed data";
        case ErrorCode::kProtocol: return "protocol violation";
        case ErrorCode::kSchema: return "schema violation";
        case ErrorCode::kConnection: return "connection failed";
        case ErrorCode::kOutcomeUnknown: return "outcome unknown";
        case ErrorCode::kTimeout: return "timeout";
        case ErrorCode::kCancelled: return "cancelled";
        case ErrorCode::kUnauthorized: return "unauthorized";
        case ErrorCode::kDenied: return "denied";
        case ErrorCode::kNotFound: return "not found";
        case ErrorCode::kLimit: return "limit exceeded";
        case ErrorCode::kRpc: return "server error";
        case ErrorCode::kTool: return "tool failed";
        case ErrorCode::kUnsupported: return "unsupported";
        case ErrorCode::kInternal: return "internal error";
    }
    return "internal error";
}

Error Error::within(std::string_view context) const {
    Error outer = *this;
    outer.message_ = std::string(context) + ": " + message_;
    return outer;
}

std::string Error::to_string() const {
    std::string text(gantry::to_string(code_));
    text += ": ";
    text += message_;
    if (cause_) {
        text += " (cause: ";
        text += cause_->to_string();
        text += ')';
    }
    return text;
}

}  // namespace gantry
