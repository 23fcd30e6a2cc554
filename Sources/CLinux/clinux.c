#define _GNU_SOURCE
#include "CLinux.h"

#include <asm/termbits.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <linux/i2c-dev.h>
#include <linux/i2c.h>
#include <linux/magic.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <linux/watchdog.h>
#include <netdb.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/un.h>
#include <unistd.h>

// <asm/termbits.h> and <termios.h> define the same names differently, so termios2 stays in here.

static void make_raw(struct termios2 *line) {
    line->c_iflag &= ~(IGNBRK | BRKINT | PARMRK | ISTRIP | INLCR | IGNCR | ICRNL | IXON | IXOFF);
    line->c_oflag &= ~OPOST;
    line->c_lflag &= ~(ECHO | ECHONL | ICANON | ISIG | IEXTEN);
    line->c_cflag &= ~(CSIZE | PARENB);
    line->c_cflag |= CS8;
    line->c_cc[VMIN] = 1;
    line->c_cc[VTIME] = 0;
}

static tcflag_t speed_flag(unsigned int baud) {
    switch (baud) {
    case 9600: return B9600;
    case 19200: return B19200;
    case 38400: return B38400;
    case 57600: return B57600;
    case 115200: return B115200;
    default: return 0;
    }
}

int clinux_serial_configure(int fd, unsigned int baud) {
    struct termios2 line;
    tcflag_t flag = speed_flag(baud);
    if (flag == 0) {
        errno = EINVAL;
        return -1;
    }
    if (ioctl(fd, TCGETS2, &line) < 0) return -1;
    make_raw(&line);
    line.c_cflag &= ~(CSTOPB | HUPCL | CRTSCTS | CBAUD | (CBAUD << IBSHIFT));
    line.c_cflag |= CREAD | CLOCAL | flag;
    line.c_ispeed = baud;
    line.c_ospeed = baud;
    return ioctl(fd, TCSETS2, &line);
}

unsigned int clinux_serial_speed(int fd) {
    struct termios2 line;
    return ioctl(fd, TCGETS2, &line) < 0 ? 0 : line.c_ospeed;
}

int clinux_serial_minimum(int fd, unsigned char byte_count) {
    struct termios2 line;
    if (ioctl(fd, TCGETS2, &line) < 0) return -1;
    line.c_cc[VMIN] = byte_count;
    line.c_cc[VTIME] = 0;
    return ioctl(fd, TCSETS2, &line);
}

int clinux_is_terminal(int fd) {
    struct termios2 line;
    return ioctl(fd, TCGETS2, &line) == 0;
}

int clinux_terminal_raw(int fd) {
    struct termios2 line;
    if (ioctl(fd, TCGETS2, &line) < 0) return -1;
    make_raw(&line);
    return ioctl(fd, TCSETS2, &line);
}

int clinux_pty_number(int master) {
    int is_locked = 0;
    int number = -1;
    if (ioctl(master, TIOCSPTLCK, &is_locked) < 0) return -1;
    if (ioctl(master, TIOCGPTN, &number) < 0) return -1;
    return number;
}

int clinux_syncfs(int fd) { return syncfs(fd); }

const unsigned long clinux_I2C_FUNC_I2C = I2C_FUNC_I2C,
                    clinux_I2C_FUNC_QUICK = I2C_FUNC_SMBUS_QUICK,
                    clinux_I2C_FUNC_READ_BYTE = I2C_FUNC_SMBUS_READ_BYTE,
                    clinux_I2C_FUNC_WRITE_BYTE = I2C_FUNC_SMBUS_WRITE_BYTE,
                    clinux_I2C_FUNC_BYTE_DATA = I2C_FUNC_SMBUS_READ_BYTE_DATA,
                    clinux_I2C_FUNC_WORD_DATA = I2C_FUNC_SMBUS_READ_WORD_DATA;

unsigned long clinux_i2c_abilities(int fd) {
    unsigned long bits = 0;
    return ioctl(fd, I2C_FUNCS, &bits) < 0 ? 0 : bits;
}

int clinux_i2c_address(int fd, unsigned char address) {
    return ioctl(fd, I2C_SLAVE, (unsigned long)address);
}

static int smbus(int fd, char direction, unsigned char command, int size,
                 union i2c_smbus_data *data) {
    struct i2c_smbus_ioctl_data transfer = {
        .read_write = direction, .command = command, .size = size, .data = data};
    return ioctl(fd, I2C_SMBUS, &transfer);
}

int clinux_i2c_read(int fd, int byte_count, unsigned char reg, unsigned char *bytes) {
    union i2c_smbus_data data = {0};
    int done;
    switch (byte_count) {
    case 0: return smbus(fd, I2C_SMBUS_WRITE, 0, I2C_SMBUS_QUICK, NULL);
    case -1: done = smbus(fd, I2C_SMBUS_READ, 0, I2C_SMBUS_BYTE, &data); break;
    case 1: done = smbus(fd, I2C_SMBUS_READ, reg, I2C_SMBUS_BYTE_DATA, &data); break;
    case 2: done = smbus(fd, I2C_SMBUS_READ, reg, I2C_SMBUS_WORD_DATA, &data); break;
    default: errno = EINVAL; return -1;
    }
    if (done < 0) return done;
    // SMBus sends the low byte of a word first.
    bytes[0] = byte_count == 2 ? data.word & 0xFF : data.byte;
    if (byte_count == 2) bytes[1] = data.word >> 8;
    return 0;
}

int clinux_i2c_send(int fd, unsigned char byte) {
    return smbus(fd, I2C_SMBUS_WRITE, byte, I2C_SMBUS_BYTE, NULL);
}

int clinux_ioctl(int fd, unsigned long request, void *argument) {
    return ioctl(fd, request, argument);
}

int clinux_set_timer_slack(unsigned long nanoseconds) {
    return prctl(PR_SET_TIMERSLACK, nanoseconds, 0, 0, 0);
}

unsigned long clinux_timer_slack(void) {
    return (unsigned long)prctl(PR_GET_TIMERSLACK, 0, 0, 0, 0);
}

int clinux_name_thread(pthread_t thread, const char *name) {
    return pthread_setname_np(thread, name);
}

const char *clinux_error_words(int code) {
    const char *words = strerrordesc_np(code);
    return words ? words : "unknown error";
}

const int clinux_unix_path_max = sizeof(((struct sockaddr_un *)0)->sun_path) - 1;

static int address_of(const char *path, struct sockaddr_un *address, socklen_t *byte_count) {
    size_t length = strlen(path);
    if (length == 0 || length > (size_t)clinux_unix_path_max) {
        errno = ENAMETOOLONG;
        return -1;
    }
    memset(address, 0, sizeof *address);
    address->sun_family = AF_UNIX;
    memcpy(address->sun_path, path, length);
    int is_abstract = path[0] == '@';
    if (is_abstract) address->sun_path[0] = 0;
    // An abstract name has no final zero; a path has one.
    *byte_count = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + length + !is_abstract);
    return 0;
}

int clinux_unix_bind(int fd, const char *path) {
    struct sockaddr_un address;
    socklen_t byte_count;
    if (address_of(path, &address, &byte_count) < 0) return -1;
    return bind(fd, (struct sockaddr *)&address, byte_count);
}

int clinux_unix_connect(int fd, const char *path) {
    struct sockaddr_un address;
    socklen_t byte_count;
    if (address_of(path, &address, &byte_count) < 0) return -1;
    return connect(fd, (struct sockaddr *)&address, byte_count);
}

long clinux_unix_send(int fd, const char *path, const void *bytes, size_t byte_count) {
    struct sockaddr_un address;
    socklen_t address_size;
    if (address_of(path, &address, &address_size) < 0) return -1;
    return sendto(fd, bytes, byte_count, MSG_NOSIGNAL, (struct sockaddr *)&address, address_size);
}

int clinux_accept(int fd) {
    return accept4(fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
}

int clinux_unix_peer(int fd, int32_t *pid, uint32_t *uid, uint32_t *gid) {
    struct ucred peer;
    socklen_t byte_count = sizeof peer;
    if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &byte_count) < 0) return -1;
    *pid = peer.pid;
    *uid = peer.uid;
    *gid = peer.gid;
    return 0;
}

const unsigned long clinux_TIOCEXCL = TIOCEXCL, clinux_TIOCNXCL = TIOCNXCL;
const unsigned long clinux_TIOCGEXCL = TIOCGEXCL;
const unsigned long clinux_WDIOC_KEEPALIVE = WDIOC_KEEPALIVE;
const unsigned long clinux_WDIOC_SETTIMEOUT = WDIOC_SETTIMEOUT;
const unsigned long clinux_WDIOC_GETTIMEOUT = WDIOC_GETTIMEOUT;
const unsigned long clinux_WDIOC_GETBOOTSTATUS = WDIOC_GETBOOTSTATUS;
const int clinux_WDIOF_CARDRESET = WDIOF_CARDRESET;

int clinux_is_in_memory(int fd) {
    struct statfs system;
    if (fstatfs(fd, &system) != 0) return -1;
    return system.f_type == TMPFS_MAGIC || system.f_type == RAMFS_MAGIC;
}

const int clinux_identity_count = 4;

int clinux_identity(int fd, uint64_t *numbers) {
    struct statfs system;
    struct statx file;
    if (fstatfs(fd, &system) != 0) return -1;
    if (statx(fd, "", AT_EMPTY_PATH, STATX_INO | STATX_BTIME, &file) != 0) return -1;
    // Not the device's number: a stick that is plugged in again gets another.
    memcpy(&numbers[0], &system.f_fsid, sizeof numbers[0]);
    numbers[1] = file.stx_ino;
    int has_birth = (file.stx_mask & STATX_BTIME) != 0;
    numbers[2] = has_birth ? (uint64_t)file.stx_btime.tv_sec : 0;
    numbers[3] = has_birth ? file.stx_btime.tv_nsec : 0;
    return 0;
}

const unsigned long clinux_BLKGETSIZE64 = BLKGETSIZE64;

const int clinux_O_DIRECT = O_DIRECT;

int clinux_resolve(const char *host, uint8_t addresses[][16], int32_t *lengths, int limit) {
    struct addrinfo wanted = {0}, *found = NULL;
    wanted.ai_family = AF_UNSPEC;
    wanted.ai_socktype = SOCK_STREAM;
    int code = getaddrinfo(host, NULL, &wanted, &found);
    if (code != 0) return -1;
    int count = 0;
    for (struct addrinfo *entry = found; entry != NULL && count < limit; entry = entry->ai_next) {
        if (entry->ai_family == AF_INET) {
            const struct sockaddr_in *address = (const struct sockaddr_in *)entry->ai_addr;
            memcpy(addresses[count], &address->sin_addr, 4);
            lengths[count++] = 4;
        } else if (entry->ai_family == AF_INET6) {
            const struct sockaddr_in6 *address = (const struct sockaddr_in6 *)entry->ai_addr;
            memcpy(addresses[count], &address->sin6_addr, 16);
            lengths[count++] = 16;
        }
    }
    freeaddrinfo(found);
    return count;
}

int clinux_tcp_connect(int fd, const uint8_t *address, int length, uint16_t port) {
    if (length == 4) {
        struct sockaddr_in target = {.sin_family = AF_INET, .sin_port = htons(port)};
        memcpy(&target.sin_addr, address, 4);
        return connect(fd, (struct sockaddr *)&target, sizeof target);
    }
    struct sockaddr_in6 target = {.sin6_family = AF_INET6, .sin6_port = htons(port)};
    memcpy(&target.sin6_addr, address, 16);
    return connect(fd, (struct sockaddr *)&target, sizeof target);
}

int clinux_socket_error(int fd) {
    int code = 0;
    socklen_t length = sizeof code;
    if (getsockopt(fd, SOL_SOCKET, SO_ERROR, &code, &length) != 0) return errno;
    return code;
}

int clinux_route_socket(void) {
    int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_ROUTE);
    if (fd < 0) {
        return -1;
    }
    struct sockaddr_nl address = {
        .nl_family = AF_NETLINK,
        .nl_groups = RTMGRP_IPV4_ROUTE | RTMGRP_IPV6_ROUTE,
    };
    if (bind(fd, (struct sockaddr *)&address, sizeof address) != 0) {
        int code = errno;
        close(fd);
        errno = code;
        return -1;
    }
    return fd;
}
