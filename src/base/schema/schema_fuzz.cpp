// The input is a schema and a value, each as JSON, separated by a zero byte (or split in
// the middle). Compiling and validating must always end, and soon.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "base/schema/schema.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace gantry;
    const std::string_view input(reinterpret_cast<const char*>(data), size);
    const auto zero = input.find('\0');
    const std::size_t cut = zero == std::string_view::npos ? size / 2 : zero;
    const auto json = Json::parse(input.substr(0, cut));
    const auto value = Json::parse(input.substr(zero == std::string_view::npos ? cut : cut + 1));
    if (!json) return 0;
    for (const bool formats : {false, true}) {
        schema::CompileOptions options;
        options.assert_formats = formats;
        options.ignore_unsupported_patterns = formats;
        options.default_draft = formats ? schema::Draft::kDraft7 : schema::Draft::k2020_12;
        const auto compiled = schema::Schema::compile(*json, options);
        if (!compiled) continue;
        const schema::ValidateOptions limits{.max_steps = 100'000};
        // The schema itself is a value too, and more likely to match its own keywords.
        for (const Json* subject : {value ? &*value : nullptr, &*json}) {
            if (!subject) continue;
            const auto quiet = compiled->validate(*subject, {.max_issues = 1, .max_steps = 100'000});
            const auto full = compiled->validate(*subject, limits);
            if (!quiet.limit_reached && !full.limit_reached && quiet.valid() != full.valid()) std::abort();
            if (!full.valid() && !full.limit_reached && compiled->surely_fits(subject->dump())) std::abort();
            if (!full.valid() && full.to_error().message().empty()) std::abort();
        }
    }
    return 0;
}
