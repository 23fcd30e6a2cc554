#include "internal.h"

#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/ecdsa.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/param_build.h>
#include <string.h>

bool copenssl_point(const uint8_t secret[32], uint8_t point[65]) {
    EC_GROUP *group = EC_GROUP_new_by_curve_name(NID_X9_62_prime256v1);
    EC_POINT *product = group == NULL ? NULL : EC_POINT_new(group);
    BIGNUM *number = BN_bin2bn(secret, 32, BN_secure_new());
    bool is_done = product != NULL && number != NULL && !BN_is_zero(number)
        && BN_cmp(number, EC_GROUP_get0_order(group)) < 0
        && EC_POINT_mul(group, product, number, NULL, NULL, NULL) == 1
        && EC_POINT_point2oct(group, product, POINT_CONVERSION_UNCOMPRESSED, point, 65, NULL)
            == 65;
    BN_clear_free(number);
    EC_POINT_free(product);
    EC_GROUP_free(group);
    return is_done;
}

/* A key of a point, with its secret when that is not NULL. A point off the curve is refused. */
static EVP_PKEY *make_key(const uint8_t *secret, const uint8_t *point) {
    OSSL_PARAM_BLD *builder = OSSL_PARAM_BLD_new();
    BIGNUM *number = secret == NULL ? NULL : BN_bin2bn(secret, 32, BN_secure_new());
    EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_name(NULL, "EC", NULL);
    int selection = secret == NULL ? EVP_PKEY_PUBLIC_KEY : EVP_PKEY_KEYPAIR;
    EVP_PKEY *key = NULL;
    bool is_built = builder != NULL && context != NULL && (secret == NULL || number != NULL)
        && OSSL_PARAM_BLD_push_utf8_string(builder, OSSL_PKEY_PARAM_GROUP_NAME, "prime256v1", 0)
            == 1
        && OSSL_PARAM_BLD_push_octet_string(builder, OSSL_PKEY_PARAM_PUB_KEY, point, 65) == 1
        && (secret == NULL
            || OSSL_PARAM_BLD_push_BN(builder, OSSL_PKEY_PARAM_PRIV_KEY, number) == 1);
    OSSL_PARAM *params = is_built ? OSSL_PARAM_BLD_to_param(builder) : NULL;
    if (params == NULL || EVP_PKEY_fromdata_init(context) != 1
        || EVP_PKEY_fromdata(context, &key, selection, params) != 1)
        key = NULL;
    OSSL_PARAM_free(params);
    OSSL_PARAM_BLD_free(builder);
    EVP_PKEY_CTX_free(context);
    BN_clear_free(number);
    return key;
}

static EVP_PKEY *make_pair(const uint8_t secret[32]) {
    uint8_t point[65];
    return copenssl_point(secret, point) ? make_key(secret, point) : NULL;
}

static bool read_secret(EVP_PKEY *key, uint8_t secret[32]) {
    BIGNUM *number = NULL;
    char group[32] = "";
    bool is_done = EVP_PKEY_get_group_name(key, group, sizeof group, NULL) == 1
        && strcmp(group, "prime256v1") == 0
        && EVP_PKEY_get_bn_param(key, OSSL_PKEY_PARAM_PRIV_KEY, &number) == 1
        && BN_bn2binpad(number, secret, 32) == 32;
    BN_clear_free(number);
    return is_done;
}

bool copenssl_make_pair(uint8_t secret[32], uint8_t point[65]) {
    EVP_PKEY *key = EVP_EC_gen("P-256");
    bool is_done = key != NULL && read_secret(key, secret) && copenssl_point(secret, point);
    EVP_PKEY_free(key);
    return is_done;
}

bool copenssl_secret(const char *pem, uint8_t secret[32]) {
    EVP_PKEY *key = copenssl_parse_key(pem);
    bool is_done = key != NULL && EVP_PKEY_is_a(key, "EC") == 1 && read_secret(key, secret);
    EVP_PKEY_free(key);
    return is_done;
}

bool copenssl_agree(const uint8_t secret[32], const uint8_t peer[65], uint8_t shared[32]) {
    EVP_PKEY *own = make_pair(secret), *other = make_key(NULL, peer);
    EVP_PKEY_CTX *context = own == NULL || other == NULL ? NULL : EVP_PKEY_CTX_new(own, NULL);
    size_t count = 32;
    bool is_done = context != NULL && EVP_PKEY_derive_init(context) == 1
        && EVP_PKEY_derive_set_peer(context, other) == 1
        && EVP_PKEY_derive(context, shared, &count) == 1 && count == 32;
    EVP_PKEY_CTX_free(context);
    EVP_PKEY_free(own);
    EVP_PKEY_free(other);
    return is_done;
}

/* MARK: Signatures */

static bool sign(EVP_PKEY *key, const uint8_t *bytes, size_t count, uint8_t *signature,
                 size_t *size) {
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    bool is_done = key != NULL && context != NULL
        && EVP_DigestSignInit(context, NULL, EVP_sha256(), NULL, key) == 1
        && EVP_DigestSign(context, signature, size, bytes, count) == 1;
    EVP_MD_CTX_free(context);
    return is_done;
}

bool copenssl_sign_es256(const uint8_t secret[32], const uint8_t *bytes, size_t count,
                         uint8_t signature[64]) {
    uint8_t der[80];
    size_t size = sizeof der;
    EVP_PKEY *key = make_pair(secret);
    const uint8_t *next = der;
    ECDSA_SIG *parts = sign(key, bytes, count, der, &size)
        ? d2i_ECDSA_SIG(NULL, &next, (long)size) : NULL;
    bool is_done = parts != NULL && BN_bn2binpad(ECDSA_SIG_get0_r(parts), signature, 32) == 32
        && BN_bn2binpad(ECDSA_SIG_get0_s(parts), signature + 32, 32) == 32;
    ECDSA_SIG_free(parts);
    EVP_PKEY_free(key);
    return is_done;
}

bool copenssl_verify_es256(const uint8_t point[65], const uint8_t *bytes, size_t count,
                           const uint8_t signature[64]) {
    EVP_PKEY *key = make_key(NULL, point);
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    ECDSA_SIG *parts = ECDSA_SIG_new();
    BIGNUM *r = BN_bin2bn(signature, 32, NULL), *s = BN_bin2bn(signature + 32, 32, NULL);
    uint8_t *der = NULL;
    int size = -1;
    if (parts != NULL && r != NULL && s != NULL && ECDSA_SIG_set0(parts, r, s) == 1) {
        r = s = NULL;
        size = i2d_ECDSA_SIG(parts, &der);
    }
    bool is_right = key != NULL && context != NULL && size > 0
        && EVP_DigestVerifyInit(context, NULL, EVP_sha256(), NULL, key) == 1
        && EVP_DigestVerify(context, der, (size_t)size, bytes, count) == 1;
    OPENSSL_free(der);
    BN_free(r);
    BN_free(s);
    ECDSA_SIG_free(parts);
    EVP_MD_CTX_free(context);
    EVP_PKEY_free(key);
    ERR_clear_error();
    return is_right;
}

long copenssl_sign_rs256(const char *pem, const uint8_t *bytes, size_t count, uint8_t *signature,
                         size_t size) {
    EVP_PKEY *key = copenssl_parse_key(pem);
    bool is_done = key != NULL && EVP_PKEY_is_a(key, "RSA") == 1
        && sign(key, bytes, count, signature, &size);
    EVP_PKEY_free(key);
    return is_done ? (long)size : -1;
}
