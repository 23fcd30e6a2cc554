#include "internal.h"

#include <openssl/err.h>
#include <stdlib.h>
#include <string.h>

struct copenssl_context {
    SSL_CTX *context;
    SSL_CTX *other;
};

struct copenssl_session {
    SSL *ssl;
    /* Borrowed: the session owns both. */
    BIO *from_wire, *to_wire;
};

/* The protocol list of ALPN: its length before each name. */
static const unsigned char protocols[] = "\x08http/1.1";

static int choose_protocol(SSL *ssl, const unsigned char **chosen, unsigned char *length,
                           const unsigned char *offered, unsigned int offered_length, void *data) {
    int found = SSL_select_next_proto((unsigned char **)chosen, length, protocols,
                                      sizeof protocols - 1, offered, offered_length);
    return found == OPENSSL_NPN_NEGOTIATED ? SSL_TLSEXT_ERR_OK : SSL_TLSEXT_ERR_ALERT_FATAL;
}

/* Serves the other certificate to clients that ask for its name. */
static int choose_certificate(SSL *ssl, int *alert, void *data) {
    SSL_CTX *other = data;
    const char *name = SSL_get_servername(ssl, TLSEXT_NAMETYPE_host_name);
    if (name == NULL || other == NULL)
        return SSL_TLSEXT_ERR_NOACK;
    if (copenssl_is_for((const void *)SSL_CTX_get0_certificate(other), name))
        SSL_set_SSL_CTX(ssl, other);
    ERR_clear_error();
    return SSL_TLSEXT_ERR_OK;
}

static int add_certificates(SSL_CTX *context, const char *pem) {
    size_t length = strnlen(pem, COPENSSL_PEM_MAX + 1);
    BIO *bio = length <= COPENSSL_PEM_MAX ? BIO_new_mem_buf(pem, (int)length) : NULL;
    X509 *first = bio == NULL ? NULL : PEM_read_bio_X509(bio, NULL, NULL, NULL);
    int is_done = first != NULL && SSL_CTX_use_certificate(context, first) == 1;
    X509_free(first);
    /* Chains have two or three; the bound is for files that are no chain. */
    for (int count = 0; is_done && count < 8; count += 1) {
        X509 *next = PEM_read_bio_X509(bio, NULL, NULL, NULL);
        if (next == NULL)
            break;
        is_done = SSL_CTX_add0_chain_cert(context, next) == 1;
        if (!is_done)
            X509_free(next);
    }
    BIO_free(bio);
    if (is_done)
        ERR_clear_error();
    return is_done;
}

static SSL_CTX *make_server(const char *certificates, const char *key_text) {
    SSL_CTX *context = SSL_CTX_new(TLS_server_method());
    EVP_PKEY *key = copenssl_parse_key(key_text);
    int is_done = context != NULL && key != NULL
        && SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION) == 1
        /* Forward secrecy and authenticated encryption alone; TLS 1.3 has nothing else. */
        && SSL_CTX_set_cipher_list(context, "ECDHE+AESGCM:ECDHE+CHACHA20") == 1
        && add_certificates(context, certificates)
        && SSL_CTX_use_PrivateKey(context, key) == 1 && SSL_CTX_check_private_key(context) == 1;
    EVP_PKEY_free(key);
    if (!is_done) {
        SSL_CTX_free(context);
        return NULL;
    }
    SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION
                                     | SSL_OP_PRIORITIZE_CHACHA);
    /* A connection that waits holds no buffers. */
    SSL_CTX_set_mode(context, SSL_MODE_RELEASE_BUFFERS);
    /* Sessions are resumed by tickets that the client keeps, so none are kept here. */
    SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
    SSL_CTX_set_session_id_context(context, (const unsigned char *)"roost", 5);
    SSL_CTX_set_num_tickets(context, 1);
    SSL_CTX_set_alpn_select_cb(context, choose_protocol, NULL);
    return context;
}

struct copenssl_context *copenssl_make_context(const char *certificates, const char *key,
                                               struct copenssl_context *other) {
    struct copenssl_context *made = calloc(1, sizeof *made);
    if (made == NULL)
        return NULL;
    made->context = make_server(certificates, key);
    if (made->context == NULL) {
        free(made);
        return NULL;
    }
    if (other != NULL) {
        SSL_CTX_up_ref(other->context);
        made->other = other->context;
    }
    SSL_CTX_set_tlsext_servername_callback(made->context, choose_certificate);
    SSL_CTX_set_tlsext_servername_arg(made->context, made->other);
    return made;
}

void copenssl_free_context(struct copenssl_context *context) {
    if (context == NULL)
        return;
    SSL_CTX_free(context->context);
    SSL_CTX_free(context->other);
    free(context);
}

static struct copenssl_session *make_session(SSL_CTX *context) {
    struct copenssl_session *made = calloc(1, sizeof *made);
    SSL *ssl = SSL_new(context);
    BIO *from_wire = BIO_new(BIO_s_mem()), *to_wire = BIO_new(BIO_s_mem());
    if (made == NULL || ssl == NULL || from_wire == NULL || to_wire == NULL) {
        free(made);
        SSL_free(ssl);
        BIO_free(from_wire);
        BIO_free(to_wire);
        return NULL;
    }
    /* No bytes yet is no end. */
    BIO_set_mem_eof_return(from_wire, -1);
    BIO_set_mem_eof_return(to_wire, -1);
    SSL_set_bio(ssl, from_wire, to_wire);
    *made = (struct copenssl_session){ssl, from_wire, to_wire};
    return made;
}

struct copenssl_session *copenssl_accept(struct copenssl_context *context) {
    struct copenssl_session *made = make_session(context->context);
    if (made != NULL)
        SSL_set_accept_state(made->ssl);
    return made;
}

struct copenssl_session *copenssl_connect(const char *authority, const char *host,
                                          struct copenssl_session *before) {
    SSL_CTX *context = SSL_CTX_new(TLS_client_method());
    X509 *root = authority == NULL ? NULL : copenssl_parse_certificate(authority);
    if (context == NULL)
        return NULL;
    if (root != NULL) {
        SSL_CTX_set_verify(context, SSL_VERIFY_PEER, NULL);
        X509_STORE_add_cert(SSL_CTX_get_cert_store(context), root);
        X509_free(root);
    }
    X509_VERIFY_PARAM_set_flags(SSL_CTX_get0_param(context), X509_V_FLAG_NO_CHECK_TIME);
    SSL_CTX_set_alpn_protos(context, protocols, sizeof protocols - 1);
    struct copenssl_session *made = make_session(context);
    SSL_CTX_free(context);
    if (made == NULL)
        return NULL;
    SSL_set_tlsext_host_name(made->ssl, host);
    SSL_set1_host(made->ssl, host);
    if (before != NULL) {
        SSL_SESSION *kept = SSL_get1_session(before->ssl);
        SSL_set_session(made->ssl, kept);
        SSL_SESSION_free(kept);
    }
    SSL_set_connect_state(made->ssl);
    return made;
}

void copenssl_free_session(struct copenssl_session *session) {
    if (session == NULL)
        return;
    SSL_free(session->ssl);
    free(session);
}

bool copenssl_feed(struct copenssl_session *session, const uint8_t *bytes, size_t count) {
    size_t taken = 0;
    return count == 0
        || (BIO_write_ex(session->from_wire, bytes, count, &taken) == 1 && taken == count);
}

size_t copenssl_waiting(const struct copenssl_session *session) {
    return BIO_ctrl_pending(session->to_wire);
}

size_t copenssl_drain(struct copenssl_session *session, uint8_t *bytes, size_t size) {
    size_t taken = 0;
    return BIO_read_ex(session->to_wire, bytes, size, &taken) == 1 ? taken : 0;
}

enum copenssl_step copenssl_read(struct copenssl_session *session, uint8_t *bytes, size_t size,
                                 size_t *count) {
    *count = 0;
    ERR_clear_error();
    int is_read = SSL_read_ex(session->ssl, bytes, size, count);
    if (is_read == 1)
        return COPENSSL_READ;
    switch (SSL_get_error(session->ssl, is_read)) {
    case SSL_ERROR_WANT_READ:
    case SSL_ERROR_WANT_WRITE:
        return COPENSSL_WAITS;
    case SSL_ERROR_ZERO_RETURN:
        return COPENSSL_CLOSED;
    default:
        return COPENSSL_FAILED;
    }
}

bool copenssl_write(struct copenssl_session *session, const uint8_t *bytes, size_t count) {
    size_t taken = 0;
    if (!SSL_is_init_finished(session->ssl))
        return false;
    ERR_clear_error();
    /* A memory BIO grows, so nothing is ever left over. */
    return SSL_write_ex(session->ssl, bytes, count, &taken) == 1 && taken == count;
}

void copenssl_close(struct copenssl_session *session) {
    if (SSL_is_init_finished(session->ssl) && !(SSL_get_shutdown(session->ssl) & SSL_SENT_SHUTDOWN))
        SSL_shutdown(session->ssl);
    ERR_clear_error();
}

bool copenssl_is_open(const struct copenssl_session *session) {
    return SSL_is_init_finished(session->ssl) == 1;
}

bool copenssl_is_resumed(const struct copenssl_session *session) {
    return SSL_session_reused(session->ssl) == 1;
}

const char *copenssl_version(const struct copenssl_session *session) {
    return SSL_get_version(session->ssl);
}
