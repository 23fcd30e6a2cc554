#ifndef COPENSSL_INTERNAL_H
#define COPENSSL_INTERNAL_H

#include "COpenSSL.h"

#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>

/* NULL when the text has none. */
X509 *copenssl_parse_certificate(const char *pem);
EVP_PKEY *copenssl_parse_key(const char *pem);

#endif
