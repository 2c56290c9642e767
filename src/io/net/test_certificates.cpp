#include "io/net/test_certificates.hpp"

#include <arpa/inet.h>
#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/x509v3.h>

#include <stdexcept>

namespace gantry::net::testing {

namespace {

constexpr long kDay = 24L * 60 * 60;

struct Free {
    void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
    void operator()(X509* certificate) const { X509_free(certificate); }
    void operator()(BIO* bio) const { BIO_free_all(bio); }
    void operator()(X509_EXTENSION* extension) const { X509_EXTENSION_free(extension); }
};
template <class T>
using Owned = std::unique_ptr<T, Free>;

template <class T>
T* need(T* made) {
    if (!made) throw std::runtime_error("OpenSSL could not make a test certificate");
    return made;
}

template <class Write>
std::string to_pem(Write write) {
    const Owned<BIO> bio(need(BIO_new(BIO_s_mem())));
    write(bio.get());
    char* data = nullptr;
    const long size = BIO_get_mem_data(bio.get(), &data);
    return std::string(data, static_cast<std::size_t>(size));
}

std::string pem_of(X509* certificate) {
    return to_pem([&](BIO* bio) { PEM_write_bio_X509(bio, certificate); });
}

void add_extension(X509* certificate, X509* issuer, int id, const std::string& value) {
    X509V3_CTX context;
    X509V3_set_ctx(&context, issuer, certificate, nullptr, nullptr, 0);
    const Owned<X509_EXTENSION> extension(need(X509V3_EXT_conf_nid(nullptr, &context, id, value.c_str())));
    X509_add_ext(certificate, extension.get(), -1);
}

Owned<X509> new_certificate(const std::string& name, EVP_PKEY* key, bool expired) {
    Owned<X509> certificate(need(X509_new()));
    X509_set_version(certificate.get(), 2);
    std::uint64_t serial = 0;
    RAND_bytes(reinterpret_cast<unsigned char*>(&serial), sizeof serial);
    ASN1_INTEGER_set_uint64(X509_get_serialNumber(certificate.get()), serial >> 1);
    X509_gmtime_adj(X509_getm_notBefore(certificate.get()), -2 * kDay);
    X509_gmtime_adj(X509_getm_notAfter(certificate.get()), expired ? -kDay : kDay);
    X509_set_pubkey(certificate.get(), key);
    X509_NAME_add_entry_by_txt(X509_get_subject_name(certificate.get()), "CN", MBSTRING_UTF8,
                               reinterpret_cast<const unsigned char*>(name.c_str()), -1, -1, 0);
    return certificate;
}

bool is_address(const std::string& host) {
    unsigned char ignored[sizeof(in6_addr)];
    return ::inet_pton(AF_INET, host.c_str(), ignored) == 1 || ::inet_pton(AF_INET6, host.c_str(), ignored) == 1;
}

/// Signed by `issuer`'s key, or self-signed without an issuer.
TestCertificate make_leaf(const std::vector<std::string>& hosts, EVP_PKEY* key, X509* issuer, EVP_PKEY* signing,
                          bool expired) {
    const Owned<X509> certificate = new_certificate(hosts.empty() ? "test" : hosts[0], key, expired);
    if (issuer == nullptr) issuer = certificate.get();
    X509_set_issuer_name(certificate.get(), X509_get_subject_name(issuer));
    add_extension(certificate.get(), issuer, NID_basic_constraints, "critical,CA:FALSE");
    std::string names;
    for (const std::string& host : hosts) {
        if (!names.empty()) names += ',';
        names += (is_address(host) ? "IP:" : "DNS:") + host;
    }
    if (!names.empty()) add_extension(certificate.get(), issuer, NID_subject_alt_name, names);
    X509_sign(certificate.get(), signing, EVP_sha256());
    return {pem_of(certificate.get()),
            to_pem([&](BIO* bio) { PEM_write_bio_PrivateKey(bio, key, nullptr, nullptr, 0, nullptr, nullptr); })};
}

}  // namespace

struct TestAuthority::State {
    Owned<EVP_PKEY> key;
    Owned<X509> certificate;
};

TestAuthority::TestAuthority(const std::string& name) : state_(std::make_unique<State>()) {
    state_->key.reset(need(EVP_EC_gen("P-256")));
    state_->certificate = new_certificate(name, state_->key.get(), false);
    X509* const self = state_->certificate.get();
    X509_set_issuer_name(self, X509_get_subject_name(self));
    add_extension(self, self, NID_basic_constraints, "critical,CA:TRUE");
    add_extension(self, self, NID_key_usage, "critical,keyCertSign,cRLSign");
    add_extension(self, self, NID_subject_key_identifier, "hash");
    X509_sign(self, state_->key.get(), EVP_sha256());
    pem_ = pem_of(self);
}

TestAuthority::~TestAuthority() = default;

TestCertificate TestAuthority::issue(const std::vector<std::string>& hosts, bool expired) const {
    const Owned<EVP_PKEY> key(need(EVP_EC_gen("P-256")));
    return make_leaf(hosts, key.get(), state_->certificate.get(), state_->key.get(), expired);
}

TestCertificate self_signed(const std::vector<std::string>& hosts) {
    const Owned<EVP_PKEY> key(need(EVP_EC_gen("P-256")));
    return make_leaf(hosts, key.get(), nullptr, key.get(), false);
}

}  // namespace gantry::net::testing
