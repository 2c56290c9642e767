#include "base/schema/schema.hpp"

#include "base/schema/program.hpp"
#include "base/schema/text_check.hpp"
#include "base/try.hpp"

namespace gantry::schema {

Result<Schema> Schema::compile(const Json& schema, const CompileOptions& options) {
    GANTRY_TRY(Program program, compile_program(schema, options));
    return Schema(std::make_shared<const Program>(std::move(program)));
}

ValidationReport Schema::validate(const Json& value, const ValidateOptions& options) const {
    return run_program(*program_, value, options);
}

Result<void> Schema::check(const Json& value, const ValidateOptions& options) const {
    const ValidationReport report = validate(value, options);
    if (!report.valid()) return fail(report.to_error());
    return {};
}

bool Schema::surely_fits(std::string_view json) const noexcept {
    return text_fits(*program_, json);
}

Result<void> Schema::check_text(std::string_view json, const ValidateOptions& options) const {
    if (surely_fits(json)) return {};
    GANTRY_TRY(const Json value, Json::parse(json));
    return check(value, options);
}

Error ValidationReport::to_error() const {
    std::string text;
    for (const ValidationIssue& issue : issues) {
        if (!text.empty()) text.append("; ");
        text.append(issue.message);
    }
    // The same value hits the same limit again, so a retry does not help.
    return Error(limit_reached ? ErrorCode::kLimit : ErrorCode::kSchema, std::move(text)).retryable(false);
}

}  // namespace gantry::schema
