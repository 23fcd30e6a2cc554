#include "internal.h"

#include <limits.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/kdf.h>
#include <openssl/params.h>
#include <openssl/core_names.h>
#include <openssl/rand.h>
#include <stdlib.h>

bool copenssl_random(uint8_t *bytes, size_t count) {
    return count <= INT_MAX && RAND_bytes(bytes, (int)count) == 1;
}

/* MARK: Digests */

struct copenssl_hash {
    EVP_MD_CTX *context;
};

struct copenssl_hash *copenssl_make_hash(enum copenssl_digest digest) {
    struct copenssl_hash *made = calloc(1, sizeof *made);
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    const EVP_MD *kind = digest == COPENSSL_MD5 ? EVP_md5() : EVP_sha256();
    if (made == NULL || context == NULL || EVP_DigestInit_ex(context, kind, NULL) != 1) {
        EVP_MD_CTX_free(context);
        free(made);
        return NULL;
    }
    made->context = context;
    return made;
}

bool copenssl_add(struct copenssl_hash *hash, const uint8_t *bytes, size_t count) {
    return EVP_DigestUpdate(hash->context, bytes, count) == 1;
}

long copenssl_finish(struct copenssl_hash *hash, uint8_t value[32]) {
    unsigned int count = 0;
    return EVP_DigestFinal_ex(hash->context, value, &count) == 1 ? (long)count : -1;
}

void copenssl_free_hash(struct copenssl_hash *hash) {
    if (hash == NULL)
        return;
    EVP_MD_CTX_free(hash->context);
    free(hash);
}

bool copenssl_sha256(const uint8_t *bytes, size_t count, uint8_t value[32]) {
    return EVP_Digest(bytes, count, value, NULL, EVP_sha256(), NULL) == 1;
}

bool copenssl_is_same(const uint8_t *left, const uint8_t *right, size_t count) {
    return CRYPTO_memcmp(left, right, count) == 0;
}

bool copenssl_hmac(const uint8_t *key, size_t key_count, const uint8_t *bytes, size_t count,
                   uint8_t code[32]) {
    unsigned int written = 0;
    /* OpenSSL takes a key without an address for "the key as before". */
    const void *address = key_count == 0 ? (const void *)"" : key;
    return key_count <= INT_MAX
        && HMAC(EVP_sha256(), address, (int)key_count, bytes, count, code, &written) != NULL
        && written == 32;
}

bool copenssl_derive(const struct copenssl_hkdf *inputs, uint8_t *key, size_t count) {
    EVP_KDF *kind = EVP_KDF_fetch(NULL, OSSL_KDF_NAME_HKDF, NULL);
    EVP_KDF_CTX *context = kind == NULL ? NULL : EVP_KDF_CTX_new(kind);
    OSSL_PARAM params[] = {
        OSSL_PARAM_construct_utf8_string(OSSL_KDF_PARAM_DIGEST, "SHA256", 0),
        OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_KEY, (void *)inputs->secret,
                                          inputs->secret_count),
        OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_INFO, (void *)inputs->info,
                                          inputs->info_count),
        OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_SALT, (void *)inputs->salt,
                                          inputs->salt_count),
        OSSL_PARAM_construct_end(),
    };
    bool is_done = context != NULL && EVP_KDF_derive(context, key, count, params) == 1;
    EVP_KDF_CTX_free(context);
    EVP_KDF_free(kind);
    return is_done;
}

bool copenssl_scrypt(const char *passphrase, size_t passphrase_count, const uint8_t *salt,
                     size_t salt_count, unsigned log_cost, uint8_t key[32]) {
    const uint64_t blocks = 8;
    if (log_cost == 0 || log_cost > 20)
        return false;
    uint64_t cost = (uint64_t)1 << log_cost;
    /* Beside the table OpenSSL counts a few blocks. */
    uint64_t memory = 128 * blocks * (cost + 4);
    return EVP_PBE_scrypt(passphrase, passphrase_count, salt, salt_count, cost, blocks, 1, memory,
                          key, 32) == 1;
}

/* MARK: Authenticated encryption */

static EVP_CIPHER_CTX *begin(const struct copenssl_gcm *gcm, int encrypts) {
    EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new();
    const EVP_CIPHER *cipher = gcm->is_chacha ? EVP_chacha20_poly1305()
        : gcm->key_count == 16                ? EVP_aes_128_gcm()
                                              : EVP_aes_256_gcm();
    int written = 0;
    bool is_done = context != NULL
        && ((gcm->key_count == 16 && !gcm->is_chacha) || gcm->key_count == 32)
        && gcm->open_count <= INT_MAX
        && EVP_CipherInit_ex(context, cipher, NULL, gcm->key, gcm->nonce, encrypts) == 1
        && (gcm->open_count == 0
            || EVP_CipherUpdate(context, NULL, &written, gcm->open, (int)gcm->open_count) == 1);
    if (is_done)
        return context;
    EVP_CIPHER_CTX_free(context);
    return NULL;
}

bool copenssl_seal(const struct copenssl_gcm *gcm, const uint8_t *plain, size_t count,
                   uint8_t *sealed) {
    EVP_CIPHER_CTX *context = count <= INT_MAX ? begin(gcm, 1) : NULL;
    int written = 0, last = 0;
    bool is_done = context != NULL
        && (count == 0 || EVP_CipherUpdate(context, sealed, &written, plain, (int)count) == 1)
        && EVP_CipherFinal_ex(context, sealed + written, &last) == 1
        && EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, 16, sealed + count) == 1;
    EVP_CIPHER_CTX_free(context);
    return is_done;
}

bool copenssl_unseal(const struct copenssl_gcm *gcm, const uint8_t *sealed, size_t count,
                     uint8_t *plain) {
    EVP_CIPHER_CTX *context = count >= 16 && count <= INT_MAX ? begin(gcm, 0) : NULL;
    size_t length = count - 16;
    int written = 0, last = 0;
    bool is_done = context != NULL
        && EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, 16, (void *)(sealed + length)) == 1
        && (length == 0
            || EVP_CipherUpdate(context, plain, &written, sealed, (int)length) == 1)
        && EVP_CipherFinal_ex(context, plain + written, &last) == 1;
    EVP_CIPHER_CTX_free(context);
    return is_done;
}
