#include "internal.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/x509v3.h>
#include <string.h>

struct note {
    char *host;
    int has_name;
    int has_key;
    uint8_t key[32];
    long result;
};

static CRYPTO_ONCE once = CRYPTO_ONCE_STATIC_INIT;
static int place = -1;

static void release(void *parent, void *value, CRYPTO_EX_DATA *data, int index, long argl,
                    void *argp) {
    struct note *note = value;
    if (note != NULL)
        OPENSSL_free(note->host);
    OPENSSL_free(note);
}

static void reserve(void) { place = SSL_CTX_get_ex_new_index(0, NULL, NULL, NULL, release); }

static struct note *note_of(const SSL *ssl) {
    return SSL_CTX_get_ex_data(SSL_get_SSL_CTX(ssl), place);
}

static int verify(int is_good, X509_STORE_CTX *store) {
    SSL *ssl = X509_STORE_CTX_get_ex_data(store, SSL_get_ex_data_X509_STORE_CTX_idx());
    if (!is_good)
        note_of(ssl)->result = X509_STORE_CTX_get_error(store);
    return is_good;
}

/* Compares the key alone, without a look at its signer. */
static int compare_key(X509_STORE_CTX *store, void *argument) {
    struct note *note = argument;
    uint8_t hash[32], *bytes = NULL;
    X509 *found = X509_STORE_CTX_get0_cert(store);
    int count = found == NULL ? -1 : i2d_X509_PUBKEY(X509_get_X509_PUBKEY(found), &bytes);
    int is_same = count > 0 && EVP_Digest(bytes, (size_t)count, hash, NULL, EVP_sha256(), NULL) == 1
                  && CRYPTO_memcmp(hash, note->key, sizeof hash) == 0;
    OPENSSL_free(bytes);
    note->result = is_same ? X509_V_OK : X509_V_ERR_APPLICATION_VERIFICATION;
    X509_STORE_CTX_set_error(store, (int)note->result);
    return is_same;
}

/* The library names the address that it connects to; the certificate goes by the name. */
static void begin(const SSL *ssl, int where, int value) {
    struct note *note = note_of(ssl);
    if ((where & SSL_CB_HANDSHAKE_START) != 0 && note != NULL)
        SSL_set_tlsext_host_name((SSL *)ssl, note->has_name ? note->host : NULL);
}

static int set_up(SSL_CTX *context, struct note *note, const struct copenssl_demand *demand) {
    X509_VERIFY_PARAM *parameters = SSL_CTX_get0_param(context);
    if (SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION) != 1)
        return 0;
    SSL_CTX_set_info_callback(context, begin);
    SSL_CTX_set_verify(context, SSL_VERIFY_PEER, verify);
    if (note->has_key) {
        SSL_CTX_set_cert_verify_callback(context, compare_key, note);
        return 1;
    }
    int is_named = note->has_name ? X509_VERIFY_PARAM_set1_host(parameters, note->host, 0)
                                  : X509_VERIFY_PARAM_set1_ip_asc(parameters, note->host);
    return is_named == 1
           && SSL_CTX_load_verify_locations(context, demand->file, demand->folder) == 1;
}

void *copenssl_make_trust(const struct copenssl_demand *demand) {
    if (CRYPTO_THREAD_run_once(&once, reserve) != 1 || place < 0)
        return NULL;
    SSL_CTX *context = SSL_CTX_new(TLS_client_method());
    struct note *note = context == NULL ? NULL : OPENSSL_zalloc(sizeof *note);
    if (note == NULL || SSL_CTX_set_ex_data(context, place, note) != 1) {
        OPENSSL_free(note);
        SSL_CTX_free(context);
        return NULL;
    }
    note->host = OPENSSL_strdup(demand->host);
    note->has_name = demand->has_name;
    note->has_key = demand->key != NULL;
    if (demand->key != NULL)
        memcpy(note->key, demand->key, sizeof note->key);
    if (note->host == NULL || !set_up(context, note, demand)) {
        SSL_CTX_free(context);
        return NULL;
    }
    return context;
}

void copenssl_free_trust(void *trust) { SSL_CTX_free(trust); }

long copenssl_trust_result(const void *trust) {
    struct note *note = SSL_CTX_get_ex_data(trust, place);
    return note->result;
}

int copenssl_is_agreed(const void *ssl) { return SSL_is_init_finished(ssl); }

int copenssl_pending(const void *ssl) { return SSL_pending(ssl); }
