// The measure of latency: an SDS011 and a lamp in plain C on epoll, nothing supervised.
//
// usage: lamp-c PORT OUTPUT

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <termios.h>
#include <unistd.h>

enum { FRAME_SIZE = 10, BUFFER_SIZE = 256 };

struct limits { int red, red_left, yellow, yellow_left; };  // Tenths of µg/m³.
static const struct limits pm25_limits = {50, 45, 30, 25};
static const struct limits pm10_limits = {150, 135, 100, 85};

static int level(int value, const struct limits *limits, int previous) {
    if (value >= (previous == 2 ? limits->red_left : limits->red)) return 2;
    if (value >= (previous >= 1 ? limits->yellow_left : limits->yellow)) return 1;
    return 0;
}

static int open_port(const char *path) {
    int port = open(path, O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
    struct termios settings;
    if (port < 0 || tcgetattr(port, &settings) != 0) return -1;
    cfmakeraw(&settings);
    cfsetspeed(&settings, B9600);
    settings.c_cflag |= CLOCAL | CREAD;
    settings.c_cflag &= ~HUPCL;
    return tcsetattr(port, TCSANOW, &settings) == 0 ? port : -1;
}

static void notify_ready(void) {
    const char *path = getenv("NOTIFY_SOCKET");
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (path == NULL || strlen(path) >= sizeof address.sun_path) return;
    strcpy(address.sun_path, path);
    int sender = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (sender < 0) return;
    socklen_t size = offsetof(struct sockaddr_un, sun_path) + strlen(path) + 1;
    (void)!sendto(sender, "READY=1", 7, 0, (struct sockaddr *)&address, size);
    close(sender);
}

static int is_frame(const unsigned char *bytes) {
    unsigned char sum = 0;
    for (int index = 2; index < 8; index++) sum += bytes[index];
    return bytes[1] == 0xC0 && bytes[9] == 0xAB && bytes[8] == sum;
}

// Takes whole frames from the front; returns how many bytes are left.
static size_t take(unsigned char *buffer, size_t count, int output) {
    static int shown = -1, level25 = 0, level10 = 0;
    size_t start = 0;
    while (count - start >= FRAME_SIZE) {
        const unsigned char *frame = buffer + start;
        if (frame[0] != 0xAA || !is_frame(frame)) {
            start += 1;
            continue;
        }
        level25 = level(frame[2] | frame[3] << 8, &pm25_limits, level25);
        level10 = level(frame[4] | frame[5] << 8, &pm10_limits, level10);
        int worst = level25 > level10 ? level25 : level10;
        if (worst != shown && write(output, &"GYR"[worst], 1) == 1) shown = worst;
        start += FRAME_SIZE;
    }
    memmove(buffer, buffer + start, count - start);
    return count - start;
}

int main(int argc, char **argv) {
    if (argc != 3) return 2;
    int port = open_port(argv[1]), output = open(argv[2], O_WRONLY | O_CLOEXEC);
    int loop = epoll_create1(EPOLL_CLOEXEC);
    struct epoll_event wanted = {.events = EPOLLIN};
    if (port < 0 || output < 0 || loop < 0) return 1;
    if (epoll_ctl(loop, EPOLL_CTL_ADD, port, &wanted) != 0) return 1;
    notify_ready();
    unsigned char buffer[BUFFER_SIZE];
    size_t count = 0;
    for (;;) {
        struct epoll_event event;
        if (epoll_wait(loop, &event, 1, -1) < 0 && errno != EINTR) return 1;
        ssize_t got = read(port, buffer + count, sizeof buffer - count);
        if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR)) return 1;
        if (got > 0) count = take(buffer, count + (size_t)got, output);
    }
}
