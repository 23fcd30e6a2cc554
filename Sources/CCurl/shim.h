#include <curl/curl.h>

// curl_easy_setopt and its like are variadic, which Swift cannot call: one function per type.
static inline CURLcode ccurl_long(CURL *easy, CURLoption option, long value) {
    return curl_easy_setopt(easy, option, value);
}
static inline CURLcode ccurl_text(CURL *easy, CURLoption option, const char *value) {
    return curl_easy_setopt(easy, option, value);
}
static inline CURLcode ccurl_pointer(CURL *easy, CURLoption option, void *value) {
    return curl_easy_setopt(easy, option, value);
}
static inline CURLcode ccurl_size(CURL *easy, CURLoption option, curl_off_t value) {
    return curl_easy_setopt(easy, option, value);
}
static inline CURLcode ccurl_list(CURL *easy, CURLoption option, struct curl_slist *value) {
    return curl_easy_setopt(easy, option, value);
}
// Bytes of a body, and lines of a head.
static inline CURLcode ccurl_on_body(CURL *easy, curl_write_callback body, void *context) {
    curl_easy_setopt(easy, CURLOPT_WRITEDATA, context);
    return curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, body);
}
static inline CURLcode ccurl_on_head(CURL *easy, curl_write_callback body, void *context) {
    curl_easy_setopt(easy, CURLOPT_HEADERDATA, context);
    return curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, body);
}
static inline CURLcode ccurl_on_read(CURL *easy, curl_read_callback body, void *context) {
    curl_easy_setopt(easy, CURLOPT_READDATA, context);
    return curl_easy_setopt(easy, CURLOPT_READFUNCTION, body);
}
static inline CURLcode ccurl_on_seek(CURL *easy, curl_seek_callback body, void *context) {
    curl_easy_setopt(easy, CURLOPT_SEEKDATA, context);
    return curl_easy_setopt(easy, CURLOPT_SEEKFUNCTION, body);
}
static inline CURLcode ccurl_on_debug(CURL *easy, curl_debug_callback body, void *context) {
    curl_easy_setopt(easy, CURLOPT_DEBUGDATA, context);
    return curl_easy_setopt(easy, CURLOPT_DEBUGFUNCTION, body);
}
static inline CURLcode ccurl_on_connected(CURL *easy, curl_prereq_callback body, void *context) {
    curl_easy_setopt(easy, CURLOPT_PREREQDATA, context);
    return curl_easy_setopt(easy, CURLOPT_PREREQFUNCTION, body);
}
static inline CURLcode ccurl_get_long(CURL *easy, CURLINFO info, long *value) {
    return curl_easy_getinfo(easy, info, value);
}
static inline CURLcode ccurl_get_size(CURL *easy, CURLINFO info, curl_off_t *value) {
    return curl_easy_getinfo(easy, info, value);
}
static inline CURLMcode ccurl_multi_long(CURLM *multi, CURLMoption option, long value) {
    return curl_multi_setopt(multi, option, value);
}
static inline CURLMcode ccurl_on_socket(CURLM *multi, curl_socket_callback body, void *context) {
    curl_multi_setopt(multi, CURLMOPT_SOCKETDATA, context);
    return curl_multi_setopt(multi, CURLMOPT_SOCKETFUNCTION, body);
}
static inline CURLMcode ccurl_on_timer(CURLM *multi, curl_multi_timer_callback body,
                                       void *context) {
    curl_multi_setopt(multi, CURLMOPT_TIMERDATA, context);
    return curl_multi_setopt(multi, CURLMOPT_TIMERFUNCTION, body);
}
static inline CURLcode ccurl_result(const CURLMsg *message) { return message->data.result; }
static inline CURLcode ccurl_on_progress(CURL *easy, curl_xferinfo_callback body, void *context) {
    curl_easy_setopt(easy, CURLOPT_XFERINFODATA, context);
    return curl_easy_setopt(easy, CURLOPT_XFERINFOFUNCTION, body);
}
// Constants whose types, or names, differ between libcurl 7.88 and 8.14.
static inline long ccurl_tls_1_2(void) { return CURL_SSLVERSION_TLSv1_2; }
static inline long ccurl_encryption(int is_demanded) {
    return is_demanded ? CURLUSESSL_ALL : CURLUSESSL_TRY;
}
static inline CURLoption ccurl_allow_refused_recipients(void) {
    return CURLOPT_MAIL_RCPT_ALLLOWFAILS;
}
