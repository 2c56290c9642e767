#include "gantry/error.hpp"

#include <optional>

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

/// The details of an error; shared by copies and immutable once shared.
struct Error::Details {
    std::string message;
    std::string server;
    std::string tool;
    std::string transport;
    std::optional<std::chrono::milliseconds> timeout;
    std::optional<RpcError> rpc;
    std::optional<Error> cause;
};

Error::Error(ErrorCode code, std::string message)
    // kLimit is not retryable by default: it may concern the answer, and then the request ran.
    : code_(code), retryable_(code == ErrorCode::kConnection) {
    auto details = std::make_shared<Details>();
    details->message = std::move(message);
    details_ = std::move(details);
}

const Error::Details& Error::details() const noexcept {
    static const Details kMovedAway;
    return details_ ? *details_ : kMovedAway;
}

Error::Details& Error::mutable_details() {
    auto own = std::make_shared<Details>(details());
    Details& changeable = *own;
    details_ = std::move(own);
    return changeable;
}

const std::string& Error::message() const noexcept {
    return details().message;
}

const RpcError* Error::rpc() const noexcept {
    return details().rpc ? &*details().rpc : nullptr;
}

const Error* Error::cause() const noexcept {
    return details().cause ? &*details().cause : nullptr;
}

const std::string& Error::server() const noexcept {
    return details().server;
}

const std::string& Error::tool() const noexcept {
    return details().tool;
}

const std::string& Error::transport() const noexcept {
    return details().transport;
}

std::optional<std::chrono::milliseconds> Error::timeout() const noexcept {
    return details().timeout;
}

Error&& Error::rpc(RpcError value) && {
    mutable_details().rpc = std::move(value);
    return std::move(*this);
}

Error&& Error::caused_by(Error inner) && {
    mutable_details().cause = std::move(inner);
    return std::move(*this);
}

Error&& Error::on_server(std::string name) && {
    mutable_details().server = std::move(name);
    return std::move(*this);
}

Error&& Error::on_tool(std::string name) && {
    mutable_details().tool = std::move(name);
    return std::move(*this);
}

Error&& Error::on_transport(std::string name) && {
    mutable_details().transport = std::move(name);
    return std::move(*this);
}

Error&& Error::timed_out_after(std::chrono::milliseconds limit) && {
    if (!details().timeout) mutable_details().timeout = limit;
    return std::move(*this);
}

Error Error::within(std::string_view context) const {
    Error outer = *this;
    outer.mutable_details().message = std::string(context) + ": " + message();
    return outer;
}

std::string Error::to_string() const {
    std::string text(gantry::to_string(code_));
    text += ": ";
    text += message();
    if (const Error* inner = cause()) {
        text += " (cause: ";
        text += inner->to_string();
        text += ')';
    }
    return text;
}

}  // namespace gantry
