#include "internal.h"

#include <openssl/err.h>
#include <openssl/evp.h>
#include <string.h>

bool copenssl_read_ed25519(const char *pem, uint8_t point[32]) {
    size_t length = strnlen(pem, COPENSSL_PEM_MAX + 1), count = 32;
    BIO *bio = length <= COPENSSL_PEM_MAX ? BIO_new_mem_buf(pem, (int)length) : NULL;
    EVP_PKEY *key = bio == NULL ? NULL : PEM_read_bio_PUBKEY(bio, NULL, NULL, NULL);
    bool is_done = key != NULL && EVP_PKEY_is_a(key, "ED25519") == 1
        && EVP_PKEY_get_raw_public_key(key, point, &count) == 1 && count == 32;
    EVP_PKEY_free(key);
    BIO_free(bio);
    ERR_clear_error();
    return is_done;
}

bool copenssl_verify_ed25519(const uint8_t point[32], const uint8_t *bytes, size_t count,
                             const uint8_t signature[64]) {
    EVP_PKEY *key = EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, NULL, point, 32);
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    bool is_right = key != NULL && context != NULL
        && EVP_DigestVerifyInit(context, NULL, NULL, NULL, key) == 1
        && EVP_DigestVerify(context, signature, 64, bytes, count) == 1;
    EVP_MD_CTX_free(context);
    EVP_PKEY_free(key);
    ERR_clear_error();
    return is_right;
}

bool copenssl_sign_ed25519(const uint8_t secret[32], const uint8_t *bytes, size_t count,
                           uint8_t point[32], uint8_t signature[64]) {
    EVP_PKEY *key = EVP_PKEY_new_raw_private_key(EVP_PKEY_ED25519, NULL, secret, 32);
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    size_t point_count = 32, size = 64;
    bool is_done = key != NULL && context != NULL
        && EVP_PKEY_get_raw_public_key(key, point, &point_count) == 1
        && EVP_DigestSignInit(context, NULL, NULL, NULL, key) == 1
        && EVP_DigestSign(context, signature, &size, bytes, count) == 1 && size == 64;
    EVP_MD_CTX_free(context);
    EVP_PKEY_free(key);
    return is_done;
}
