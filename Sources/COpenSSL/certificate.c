#include "internal.h"

#include <openssl/err.h>
#include <openssl/x509v3.h>
#include <string.h>
#include <time.h>

void copenssl_reason(char *words, size_t size) {
    unsigned long code = ERR_peek_last_error();
    words[0] = 0;
    if (code != 0) {
        const char *reason = ERR_reason_error_string(code);
        if (reason != NULL)
            OPENSSL_strlcpy(words, reason, size);
        else
            ERR_error_string_n(code, words, size);
    }
    ERR_clear_error();
}

/* An encrypted key would ask the terminal for its password. */
static int no_password(char *buffer, int size, int writing, void *data) { return -1; }

static BIO *reader(const char *pem) {
    size_t length = strnlen(pem, COPENSSL_PEM_MAX + 1);
    return length <= COPENSSL_PEM_MAX ? BIO_new_mem_buf(pem, (int)length) : NULL;
}

X509 *copenssl_parse_certificate(const char *pem) {
    BIO *bio = reader(pem);
    X509 *found = bio == NULL ? NULL : PEM_read_bio_X509(bio, NULL, no_password, NULL);
    BIO_free(bio);
    return found;
}

EVP_PKEY *copenssl_parse_key(const char *pem) {
    BIO *bio = reader(pem);
    EVP_PKEY *found = bio == NULL ? NULL : PEM_read_bio_PrivateKey(bio, NULL, no_password, NULL);
    BIO_free(bio);
    return found;
}

/* Copies a memory BIO, when `isWritten` says that it holds all, and frees it. */
static long take(BIO *bio, int is_written, char *text, size_t size) {
    char *bytes = NULL;
    long count = bio != NULL && is_written == 1 ? BIO_get_mem_data(bio, &bytes) : -1;
    if (count < 0 || (size_t)count >= size)
        count = -1;
    else {
        memcpy(text, bytes, (size_t)count);
        text[count] = 0;
    }
    BIO_free(bio);
    return count;
}

long copenssl_make_key(char *pem, size_t size) {
    EVP_PKEY *key = EVP_EC_gen("P-256");
    BIO *bio = BIO_new(BIO_s_mem());
    int is_written = key != NULL && bio != NULL
        ? PEM_write_bio_PKCS8PrivateKey(bio, key, NULL, NULL, 0, NULL, NULL) : 0;
    EVP_PKEY_free(key);
    return take(bio, is_written, pem, size);
}

static int extend(X509 *certificate, X509 *issuer, int nid, const char *value) {
    X509V3_CTX context;
    X509V3_set_ctx(&context, issuer, certificate, NULL, NULL, 0);
    X509_EXTENSION *extension = X509V3_EXT_conf_nid(NULL, &context, nid, value);
    int is_done = extension != NULL && X509_add_ext(certificate, extension, -1) == 1;
    X509_EXTENSION_free(extension);
    return is_done;
}

/* Version, serial number, name, times and key: all but extensions and signature. */
static X509 *begin(const struct copenssl_wish *wish, EVP_PKEY *key) {
    X509 *made = X509_new();
    BIGNUM *number = BN_bin2bn(wish->serial, 16, NULL);
    X509_NAME *name = made == NULL ? NULL : X509_get_subject_name(made);
    time_t from = (time_t)wish->from, until = (time_t)wish->until;
    int is_done = name != NULL && number != NULL && X509_set_version(made, X509_VERSION_3) == 1
        && BN_to_ASN1_INTEGER(number, X509_get_serialNumber(made)) != NULL
        && X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_UTF8,
                                      (const unsigned char *)wish->name, -1, -1, 0) == 1
        && X509_NAME_add_entry_by_txt(name, "O", MBSTRING_UTF8,
                                      (const unsigned char *)"Roost", -1, -1, 0) == 1
        && ASN1_TIME_adj(X509_getm_notBefore(made), from, 0, 0) != NULL
        && ASN1_TIME_adj(X509_getm_notAfter(made), until, 0, 0) != NULL
        && X509_set_pubkey(made, key) == 1;
    BN_free(number);
    if (is_done)
        return made;
    X509_free(made);
    return NULL;
}

static long write_signed(X509 *certificate, int is_whole, EVP_PKEY *key, char *pem, size_t size) {
    BIO *bio = BIO_new(BIO_s_mem());
    int is_written = is_whole && bio != NULL && X509_sign(certificate, key, EVP_sha256()) > 0
        && PEM_write_bio_X509(bio, certificate) == 1;
    return take(bio, is_written, pem, size);
}

long copenssl_make_authority(const struct copenssl_wish *wish, const char *key_text, char *pem,
                             size_t size) {
    EVP_PKEY *key = copenssl_parse_key(key_text);
    X509 *made = key == NULL ? NULL : begin(wish, key);
    int is_whole = made != NULL && X509_set_issuer_name(made, X509_get_subject_name(made)) == 1
        && extend(made, made, NID_basic_constraints, "critical,CA:TRUE,pathlen:0")
        && extend(made, made, NID_key_usage, "critical,keyCertSign,cRLSign")
        && extend(made, made, NID_subject_key_identifier, "hash")
        && extend(made, made, NID_name_constraints, wish->constraints);
    long count = write_signed(made, is_whole, key, pem, size);
    X509_free(made);
    EVP_PKEY_free(key);
    return count;
}

long copenssl_make_server(const struct copenssl_wish *wish, const char *key_text,
                          const char *authority_text, const char *authority_key_text, char *pem,
                          size_t size) {
    EVP_PKEY *key = copenssl_parse_key(key_text), *signer = copenssl_parse_key(authority_key_text);
    X509 *authority = copenssl_parse_certificate(authority_text);
    X509 *made = key == NULL || signer == NULL || authority == NULL ? NULL : begin(wish, key);
    int is_whole = made != NULL
        && X509_set_issuer_name(made, X509_get_subject_name(authority)) == 1
        && extend(made, authority, NID_basic_constraints, "critical,CA:FALSE")
        && extend(made, authority, NID_key_usage, "critical,digitalSignature")
        && extend(made, authority, NID_ext_key_usage, "serverAuth")
        && extend(made, authority, NID_subject_key_identifier, "hash")
        && extend(made, authority, NID_authority_key_identifier, "keyid")
        && extend(made, authority, NID_subject_alt_name, wish->names);
    long count = write_signed(made, is_whole, signer, pem, size);
    X509_free(made);
    X509_free(authority);
    EVP_PKEY_free(signer);
    EVP_PKEY_free(key);
    return count;
}

/* MARK: Reading */

struct copenssl_certificate;

static X509 *x509(const struct copenssl_certificate *certificate) { return (X509 *)certificate; }

struct copenssl_certificate *copenssl_read_certificate(const char *pem) {
    return (struct copenssl_certificate *)copenssl_parse_certificate(pem);
}

void copenssl_free_certificate(struct copenssl_certificate *certificate) {
    X509_free(x509(certificate));
}

static int64_t seconds(const ASN1_TIME *time) {
    struct tm parts;
    return ASN1_TIME_to_tm(time, &parts) == 1 ? (int64_t)timegm(&parts) : 0;
}

int64_t copenssl_valid_from(const struct copenssl_certificate *certificate) {
    return seconds(X509_get0_notBefore(x509(certificate)));
}

int64_t copenssl_valid_until(const struct copenssl_certificate *certificate) {
    return seconds(X509_get0_notAfter(x509(certificate)));
}

void copenssl_fingerprint(const struct copenssl_certificate *certificate, uint8_t sha256[32]) {
    unsigned int count = 32;
    memset(sha256, 0, 32);
    X509_digest(x509(certificate), EVP_sha256(), sha256, &count);
}

bool copenssl_is_for(const struct copenssl_certificate *certificate, const char *host) {
    return X509_check_host(x509(certificate), host, 0, 0, NULL) == 1
        || X509_check_ip_asc(x509(certificate), host, 0) == 1;
}

bool copenssl_is_signed_by(const struct copenssl_certificate *certificate,
                           const struct copenssl_certificate *authority) {
    bool is_signed = X509_check_issued(x509(authority), x509(certificate)) == X509_V_OK
        && X509_verify(x509(certificate), X509_get0_pubkey(x509(authority))) == 1;
    ERR_clear_error();
    return is_signed;
}

bool copenssl_has_key(const struct copenssl_certificate *certificate, const char *key_text) {
    EVP_PKEY *key = copenssl_parse_key(key_text);
    bool is_its = key != NULL && X509_check_private_key(x509(certificate), key) == 1;
    EVP_PKEY_free(key);
    ERR_clear_error();
    return is_its;
}

static long print(const struct copenssl_certificate *certificate, int nid, char *text,
                  size_t size) {
    int index = X509_get_ext_by_NID(x509(certificate), nid, -1);
    BIO *bio = index < 0 ? NULL : BIO_new(BIO_s_mem());
    int is_written = bio == NULL
        ? 0 : X509V3_EXT_print(bio, X509_get_ext(x509(certificate), index), 0, 0);
    return take(bio, is_written, text, size);
}

long copenssl_names(const struct copenssl_certificate *certificate, char *text, size_t size) {
    return print(certificate, NID_subject_alt_name, text, size);
}

long copenssl_constraints(const struct copenssl_certificate *certificate, char *text,
                          size_t size) {
    return print(certificate, NID_name_constraints, text, size);
}
