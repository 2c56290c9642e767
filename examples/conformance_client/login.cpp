#include "scenarios.hpp"
#include "visit.hpp"

namespace conformance {

namespace {

std::string text_of(const Setting& setting, std::string_view key) {
    return std::string(setting.context.string_at(key));
}

}  // namespace

gantry::Authorization authorization_for(const Setting& setting) {
    gantry::Authorization authorization;
    authorization.store = gantry::Authorization::Store::kMemory;
    authorization.client_id = text_of(setting, "client_id");
    authorization.client_secret = text_of(setting, "client_secret");
    authorization.client_metadata_url = "https://conformance-test.local/client-metadata.json";
    if (setting.scenario.starts_with("auth/client-credentials")) {
        authorization.how = gantry::ClientCredentials{.private_key_pem = text_of(setting, "private_key_pem")};
    } else if (setting.scenario == "auth/enterprise-managed-authorization") {
        authorization.how = gantry::EnterpriseManaged{.idp_client_id = text_of(setting, "idp_client_id"),
                                                      .idp_id_token = text_of(setting, "idp_id_token"),
                                                      .idp_issuer = text_of(setting, "idp_issuer"),
                                                      .idp_token_endpoint = text_of(setting, "idp_token_endpoint")};
    } else if (setting.scenario == "auth/wif-jwt-bearer") {
        const std::string token = text_of(setting, "valid_jwt");
        authorization.how = gantry::WorkloadIdentity{.token = [token] { return gantry::Result<std::string>(token); }};
    } else {
        authorization.how = gantry::UserLogin{.visit = &visit, .redirect_uri = "http://localhost:3000/callback"};
        authorization.dpop = setting.scenario.starts_with("auth/dpop");
    }
    return authorization;
}

}  // namespace conformance
