#ifndef COPENSSL_TRUST_H
#define COPENSSL_TRUST_H

#include <stdint.h>

/* What a client demands of a server's certificate. */
struct copenssl_demand {
    /* The server's name: compared with the certificate, and sent as SNI when `has_name`. */
    const char *host;
    int has_name;
    /* A folder of hashed certificates, or a PEM file; NULL for the other one. */
    const char *folder;
    const char *file;
    /* SHA-256 of the public key, 32 bytes, in place of both; NULL without. */
    const uint8_t *key;
};

/* An SSL_CTX, TLS 1.2 or later, for a library that makes the session itself, by address: so the
   name is part of the context. NULL with a reason in `copenssl_reason`. */
void *copenssl_make_trust(const struct copenssl_demand *demand);
void copenssl_free_trust(void *trust);
/* X509_V_…: why the last certificate was refused; 0 when none was. */
long copenssl_trust_result(const void *trust);
/* Whether the handshake of an SSL is over. */
int copenssl_is_agreed(const void *ssl);
/* Decrypted bytes that an SSL holds and the socket no longer shows. */
int copenssl_pending(const void *ssl);

#endif
