#include "gateway/model/isolation.hpp"

#include <algorithm>
#include <array>
#include <cctype>

namespace gantry::gateway {

bool is_credential_name(std::string_view name) {
    std::string upper(name);
    std::ranges::transform(upper, upper.begin(), [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
    static constexpr std::array<std::string_view, 17> kFamilies = {
        "CLAUDE_", "ANTHROPIC_", "AWS_",  "GOOGLE_",  "GCP_",    "GCLOUD_",   "CLOUDSDK_",   "AZURE_", "ARM_",
        "OPENAI_", "GEMINI_",    "GROQ_", "MISTRAL_", "COHERE_", "DEEPSEEK_", "OPENROUTER_", "HF_"};
    static constexpr std::array<std::string_view, 8> kParts = {"SECRET",  "TOKEN",  "ACCESS_KEY", "KEY_ID",
                                                               "API_KEY", "APIKEY", "PASSWORD",   "CREDENTIAL"};
    return std::ranges::any_of(kFamilies, [&](std::string_view family) { return upper.starts_with(family); }) ||
           std::ranges::any_of(kParts, [&](std::string_view part) { return upper.contains(part); });
}

}  // namespace gantry::gateway
