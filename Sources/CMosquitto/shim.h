#include <mosquitto.h>
#include <mqtt_protocol.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <netinet/in.h>

/// Bytes that a TCP connection has received in order; 0 where the kernel does not say.
///
/// `tcpi_bytes_received` of `struct tcp_info` (linux/tcp.h, since 4.1), which the header of an
/// older C library lacks.
static inline uint64_t cmosquitto_received_count(int descriptor) {
    unsigned char info[136];
    socklen_t size = sizeof info;
    uint64_t count = 0;
    if (getsockopt(descriptor, IPPROTO_TCP, 11 /* TCP_INFO */, info, &size) != 0) return 0;
    if (size < sizeof info) return 0;
    memcpy(&count, info + 128, sizeof count);
    return count;
}
