// What Swift cannot call itself: variadic calls, ioctl numbers, termios2, socket addresses.
#ifndef CLINUX_H
#define CLINUX_H

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>
#include <sys/timex.h>

// Each call returns what the kernel returns: -1 and errno on failure.

// 8N1, raw, CLOCAL, no HUPCL, no flow control, at a speed that is one of the Bxxx rates.
int clinux_serial_configure(int fd, unsigned int baud);
// Bits per second of a terminal; 0 when they are not known.
unsigned int clinux_serial_speed(int fd);
// How many bytes make the line readable to poll and epoll, 1…255.
int clinux_serial_minimum(int fd, unsigned char byte_count);
// Whether the descriptor is a terminal that answers TCGETS2.
int clinux_is_terminal(int fd);
// Raw without touching speed or modem lines; for pseudo-terminals.
int clinux_terminal_raw(int fd);

// Unlocks the slave of a pseudo-terminal's master; returns its number below /dev/pts.
int clinux_pty_number(int master);

// Brings the whole file system of an open file to its device.
int clinux_syncfs(int fd);

int clinux_ioctl(int fd, unsigned long request, void *argument);
// What an I2C bus can do, as I2C_FUNC_… bits; 0 with errno when it does not say.
unsigned long clinux_i2c_abilities(int fd);
extern const unsigned long clinux_I2C_FUNC_I2C, clinux_I2C_FUNC_QUICK, clinux_I2C_FUNC_BYTE_DATA;
extern const unsigned long clinux_I2C_FUNC_READ_BYTE, clinux_I2C_FUNC_WRITE_BYTE;
extern const unsigned long clinux_I2C_FUNC_WORD_DATA;
// Sets the address of what follows; EBUSY where a driver of the kernel has it.
int clinux_i2c_address(int fd, unsigned char address);
// One SMBus transfer to that address: byte_count 0 is quick, 1 and 2 read a register, -1 receives a
// byte without one. Bytes in the order of the bus.
int clinux_i2c_read(int fd, int byte_count, unsigned char reg, unsigned char *bytes);
int clinux_i2c_send(int fd, unsigned char byte);
int clinux_set_timer_slack(unsigned long nanoseconds);
unsigned long clinux_timer_slack(void);
int clinux_name_thread(pthread_t thread, const char *name);
// The text of an errno; never null.
const char *clinux_error_words(int code);

// Paths that begin with '@' name the abstract space, as systemd writes them.
int clinux_unix_bind(int fd, const char *path);
int clinux_unix_connect(int fd, const char *path);
long clinux_unix_send(int fd, const char *path, const void *bytes, size_t byte_count);
// Non-blocking and close-on-exec from the start.
int clinux_accept(int fd);
// A socket that becomes readable when a route of this machine changes; -1 with errno.
int clinux_route_socket(void);
int clinux_unix_peer(int fd, int32_t *pid, uint32_t *uid, uint32_t *gid);

// Addresses of a name or a number, in network order; blocks. -1 when it is not known.
int clinux_resolve(const char *host, uint8_t addresses[][16], int32_t *lengths, int limit);
// 4 or 16 bytes of address; on a non-blocking socket errno is EINPROGRESS.
int clinux_tcp_connect(int fd, const uint8_t *address, int length, uint16_t port);
// What became of it, as an errno.
int clinux_socket_error(int fd);

// Longest path of a socket in the file system, without the final zero.
extern const int clinux_unix_path_max;

extern const unsigned long clinux_TIOCEXCL, clinux_TIOCNXCL, clinux_TIOCGEXCL;
extern const unsigned long clinux_WDIOC_KEEPALIVE, clinux_WDIOC_SETTIMEOUT;
extern const unsigned long clinux_WDIOC_GETTIMEOUT, clinux_WDIOC_GETBOOTSTATUS;
extern const int clinux_WDIOF_CARDRESET;

// Whether the file lies on a tmpfs or ramfs.
int clinux_is_in_memory(int fd);
// Identifies a file or folder, also against one made later under the same path: the device number
// of the file system, the inode, seconds and nanoseconds of its creation (0 where the file system
// stores none).
extern const int clinux_identity_count;
int clinux_identity(int fd, uint64_t *numbers);
// Size of a block device in bytes, into a uint64_t.
extern const unsigned long clinux_BLKGETSIZE64;
extern const int clinux_O_DIRECT;
// Calls of fsync and fdatasync in this process so far.
long clinux_sync_count(void);

#endif
