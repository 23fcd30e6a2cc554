/*
 * What Roost uses of OpenSSL 3: TLS over memory, keys and certificates.
 *
 * Nothing here opens a file or a socket and nothing blocks. A function that fails leaves its reason
 * for copenssl_reason() of the same thread; functions that fill a buffer return the bytes written
 * without the final zero, or -1 when they fail or the buffer is too small.
 */
#ifndef COPENSSL_H
#define COPENSSL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "COpenSSLCrypto.h"
#include "COpenSSLTrust.h"

/* Enough for any PEM that is written here, and the most that is read. */
#define COPENSSL_PEM_MAX 65536

/* The last reason, in words; empty when there is none. Forgets it. */
void copenssl_reason(char *words, size_t size);

/* MARK: Keys and certificates, as PEM */

/* A new P-256 key, PKCS #8. */
long copenssl_make_key(char *pem, size_t size);

/* What a certificate is to say; times are seconds since 1970. */
struct copenssl_wish {
    const char *name;
    int64_t from, until;
    /* 16 bytes, the first 1…127. */
    const uint8_t *serial;
    /* As "critical,permitted;DNS:a.local,permitted;IP:10.0.0.0/255.0.0.0"; of an authority. */
    const char *constraints;
    /* As "DNS:a.local,IP:10.0.0.7"; of a server. */
    const char *names;
};

/* A certificate authority that signs itself and may sign no other authority. */
long copenssl_make_authority(const struct copenssl_wish *wish, const char *key, char *pem,
                             size_t size);
/* A server's certificate, signed by an authority. */
long copenssl_make_server(const struct copenssl_wish *wish, const char *key, const char *authority,
                          const char *authority_key, char *pem, size_t size);

struct copenssl_certificate;

/* The first certificate of a PEM text; NULL when there is none. */
struct copenssl_certificate *copenssl_read_certificate(const char *pem);
void copenssl_free_certificate(struct copenssl_certificate *certificate);
/* Seconds since 1970. */
int64_t copenssl_valid_from(const struct copenssl_certificate *certificate);
int64_t copenssl_valid_until(const struct copenssl_certificate *certificate);
void copenssl_fingerprint(const struct copenssl_certificate *certificate, uint8_t sha256[32]);
/* Whether it is for this name or address. */
bool copenssl_is_for(const struct copenssl_certificate *certificate, const char *host);
/* Whether the authority signed it. */
bool copenssl_is_signed_by(const struct copenssl_certificate *certificate,
                           const struct copenssl_certificate *authority);
/* Whether the key belongs to it. */
bool copenssl_has_key(const struct copenssl_certificate *certificate, const char *key);
/* Its names and addresses or its name constraints, as OpenSSL prints them. */
long copenssl_names(const struct copenssl_certificate *certificate, char *text, size_t size);
long copenssl_constraints(const struct copenssl_certificate *certificate, char *text, size_t size);

/* MARK: TLS over memory */

struct copenssl_context;
struct copenssl_session;

/* Serves a certificate, with those that lead to its authority behind it; TLS 1.2 and 1.3 only.
 * `other` is served instead to clients that ask for a name it is for; NULL when there is none. */
struct copenssl_context *copenssl_make_context(const char *certificates, const char *key,
                                               struct copenssl_context *other);
void copenssl_free_context(struct copenssl_context *context);

/* The server's side of one connection; the context is to live as long. */
struct copenssl_session *copenssl_accept(struct copenssl_context *context);
/* The client's side, for tests: trusts this authority alone (NULL: everything), asks for this host,
 * and resumes what `before` was given. Times of certificates do not matter to it. */
struct copenssl_session *copenssl_connect(const char *authority, const char *host,
                                          struct copenssl_session *before);
void copenssl_free_session(struct copenssl_session *session);

/* Bytes from the wire. Takes all of them; returns false when memory is short. */
bool copenssl_feed(struct copenssl_session *session, const uint8_t *bytes, size_t count);
/* Bytes for the wire; 0 when there are none. */
size_t copenssl_waiting(const struct copenssl_session *session);
size_t copenssl_drain(struct copenssl_session *session, uint8_t *bytes, size_t size);

enum copenssl_step {
    /* Nothing until more bytes are fed. */
    COPENSSL_WAITS = 0,
    /* `count` plain bytes were read. */
    COPENSSL_READ = 1,
    /* The other side closed in order. */
    COPENSSL_CLOSED = 2,
    /* It is no TLS, or refused; an alert may be there to drain. */
    COPENSSL_FAILED = 3,
};

/* Goes on with the handshake, and reads. */
enum copenssl_step copenssl_read(struct copenssl_session *session, uint8_t *bytes, size_t size,
                                 size_t *count);
/* Encrypts all bytes, 1 or more, for copenssl_drain; false before the handshake is done. */
bool copenssl_write(struct copenssl_session *session, const uint8_t *bytes, size_t count);
/* Says close_notify, once. */
void copenssl_close(struct copenssl_session *session);
bool copenssl_is_open(const struct copenssl_session *session);
bool copenssl_is_resumed(const struct copenssl_session *session);
/* As "TLSv1.3". */
const char *copenssl_version(const struct copenssl_session *session);

#endif
