/*
 * What Roost uses of OpenSSL 3's libcrypto beside certificates: digests, message codes, derived
 * keys, authenticated encryption, P-256 and signatures.
 *
 * A function that fails returns false, or -1 where it returns a count, and leaves its reason for
 * copenssl_reason() of the same thread. No buffer of an input may overlap one of an output.
 */
#ifndef COPENSSL_CRYPTO_H
#define COPENSSL_CRYPTO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

bool copenssl_random(uint8_t *bytes, size_t count);

enum copenssl_digest {
    COPENSSL_SHA256 = 0,
    COPENSSL_MD5 = 1,
};

/* A digest that is fed piece by piece; NULL when memory is short. */
struct copenssl_hash;
struct copenssl_hash *copenssl_make_hash(enum copenssl_digest digest);
bool copenssl_add(struct copenssl_hash *hash, const uint8_t *bytes, size_t count);
/* Writes 32 bytes of SHA-256 or 16 of MD5, and returns how many. Nothing may be added after it. */
long copenssl_finish(struct copenssl_hash *hash, uint8_t value[32]);
void copenssl_free_hash(struct copenssl_hash *hash);

/* SHA-256 of bytes that are there as a whole. */
bool copenssl_sha256(const uint8_t *bytes, size_t count, uint8_t value[32]);

/* Compares in a time that does not depend on where they differ. */
bool copenssl_is_same(const uint8_t *left, const uint8_t *right, size_t count);

/* HMAC-SHA256 (RFC 2104). */
bool copenssl_hmac(const uint8_t *key, size_t key_count, const uint8_t *bytes, size_t count,
                   uint8_t code[32]);

/* HKDF-SHA256 (RFC 5869), extract and expand. */
struct copenssl_hkdf {
    const uint8_t *salt, *secret, *info;
    size_t salt_count, secret_count, info_count;
};
bool copenssl_derive(const struct copenssl_hkdf *inputs, uint8_t *key, size_t count);

/* scrypt (RFC 7914) with blocks of 1 KiB and no parallelism: a key of 32 bytes from a passphrase.
 * It needs 2^log_cost KiB of memory. */
bool copenssl_scrypt(const char *passphrase, size_t passphrase_count, const uint8_t *salt,
                     size_t salt_count, unsigned log_cost, uint8_t key[32]);

/* AES in Galois/counter mode (NIST SP 800-38D), or ChaCha20-Poly1305 (RFC 8439), with a tag of 16
 * bytes behind the text. */
struct copenssl_gcm {
    const uint8_t *key;
    /* 16 or 32. */
    size_t key_count;
    /* ChaCha20-Poly1305, whose key has 32 bytes. */
    bool is_chacha;
    /* 12 bytes, never twice with one key. */
    const uint8_t *nonce;
    /* Sent in the clear and authenticated. */
    const uint8_t *open;
    size_t open_count;
};
/* Writes count + 16 bytes. */
bool copenssl_seal(const struct copenssl_gcm *gcm, const uint8_t *plain, size_t count,
                   uint8_t *sealed);
/* Writes count - 16 bytes; false, with nothing to be used, when the tag is wrong. */
bool copenssl_unseal(const struct copenssl_gcm *gcm, const uint8_t *sealed, size_t count,
                     uint8_t *plain);

/* P-256: a secret number of 32 bytes and a point of 65, uncompressed. */
bool copenssl_make_pair(uint8_t secret[32], uint8_t point[65]);
bool copenssl_point(const uint8_t secret[32], uint8_t point[65]);
/* ECDH: the x coordinate; false when the peer's point is not on the curve. */
bool copenssl_agree(const uint8_t secret[32], const uint8_t peer[65], uint8_t shared[32]);
/* The secret of a P-256 key in PEM. */
bool copenssl_secret(const char *pem, uint8_t secret[32]);

/* ES256 (RFC 7518, 3.4): r and s of 32 bytes each. */
bool copenssl_sign_es256(const uint8_t secret[32], const uint8_t *bytes, size_t count,
                         uint8_t signature[64]);
bool copenssl_verify_es256(const uint8_t point[65], const uint8_t *bytes, size_t count,
                           const uint8_t signature[64]);
/* RS256 (RFC 7518, 3.3) with an RSA key in PEM; returns the bytes written, at most 1 024. */
long copenssl_sign_rs256(const char *pem, const uint8_t *bytes, size_t count, uint8_t *signature,
                         size_t size);

/* Ed25519 (RFC 8032): the point of a public key in PEM; false when it is no such key. */
bool copenssl_read_ed25519(const char *pem, uint8_t point[32]);
bool copenssl_verify_ed25519(const uint8_t point[32], const uint8_t *bytes, size_t count,
                             const uint8_t signature[64]);
/* Signs with a secret number, and gives its point. */
bool copenssl_sign_ed25519(const uint8_t secret[32], const uint8_t *bytes, size_t count,
                           uint8_t point[32], uint8_t signature[64]);

#endif
