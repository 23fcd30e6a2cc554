/*
 * GPIO chips without hardware: stands in for the kernel below libgpiod.
 *
 * Preloaded into a process (LD_PRELOAD), it answers for /dev/gpiochip* and what libgpiod asks of
 * /sys about them, in both kernel interfaces: GPIO v1 (libgpiod 1.6) and v2 (libgpiod 2.x), as
 * <linux/gpio.h> defines them. Event queues have the kernel's size and drop what the kernel drops:
 * v1 the newest event of a line, v2 the oldest of the request.
 *
 * Chips: gpiochip0 "pinctrl-bcm2711", 58 lines, ID_SDA, ID_SCL, GPIO2 ... GPIO27, the rest without
 * names; gpiochip1 "raspberrypi-exp-gpio", 8 lines; gpiochip4, a link to gpiochip0 as on a Pi 5.
 *
 * A test in the same process calls the gpio_standin_ functions (dlsym). A test from outside sets
 *   ROOST_GPIO_CONTROL  path of a datagram socket to make: "drive CHIP LINE LEVEL", "unplug CHIP",
 *                       "occupy CHIP LINE NAME"
 *   ROOST_GPIO_TRACE    file that gets a line for each change of outputs: monotonic ns, chip,
 *                       pid, and OFFSET=LEVEL of each line of the request; level, not value.
 *
 * Bounds: 2 chips, 64 lines each, 1 024 descriptors; beyond them a call fails as the kernel's.
 */
#define _GNU_SOURCE
#include "gpio-kernel.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/un.h>

/* --- What tests call ------------------------------------------------------------------------ */

/* As after boot: nothing requested, all low. Requests still open are forgotten. */
void gpio_standin_reset(void)
{
    pthread_mutex_lock(&lock);
    for (int fd = 0; fd < FDS; fd++)
        files[fd].count = 0;
    set_up();
    pthread_mutex_unlock(&lock);
}

static void queue_event(struct file *file, int fd, struct line *line, struct event event)
{
    line->seqno++;
    file->seqno++;
    event.seqno = file->seqno;
    event.line_seqno = line->seqno;
    if (file->queued == file->capacity) {
        dropped++;
        if (file->kind == EVENT_V1)
            return;
        memmove(file->queue, file->queue + 1, (file->queued - 1) * sizeof(event));
        file->queued--;
    }
    file->queue[file->queued++] = event;
    uint64_t one = 1;
    if (write(fd, &one, sizeof(one)) < 0)
        abort();
}

/* Puts a voltage on an input: 1 high, 0 low. `timestamp` is CLOCK_MONOTONIC, 0 for now. */
void gpio_standin_drive(int chip, int offset, int level, uint64_t timestamp)
{
    pthread_mutex_lock(&lock);
    struct line *line = &chips[chip].line[offset];
    bool changes = line->level != (level != 0);
    line->level = level != 0;
    if (changes && is_ours(line->fd) && files[line->fd].queue) {
        bool rising = line->level != ((line->flags & GPIO_V2_LINE_FLAG_ACTIVE_LOW) != 0);
        uint64_t wanted = rising ? GPIO_V2_LINE_FLAG_EDGE_RISING : GPIO_V2_LINE_FLAG_EDGE_FALLING;
        /* Both interfaces number the kinds alike: 1 rising, 2 falling. */
        struct event event = { .timestamp = timestamp ? timestamp : monotonic(),
            .id = rising ? GPIO_V2_LINE_EVENT_RISING_EDGE : GPIO_V2_LINE_EVENT_FALLING_EDGE,
            .offset = (uint32_t)offset };
        if (line->flags & wanted)
            queue_event(&files[line->fd], line->fd, line, event);
    }
    pthread_mutex_unlock(&lock);
}

int gpio_standin_level(int chip, int offset) { return chips[chip].line[offset].level; }
int gpio_standin_is_used(int chip, int offset) { return chips[chip].line[offset].used; }
uint64_t gpio_standin_flags(int chip, int offset) { return chips[chip].line[offset].flags; }
uint32_t gpio_standin_debounce(int chip, int offset)
{
    return chips[chip].line[offset].debounce_us;
}
/* Calls that set values, all calls, and events lost, since the reset. */
unsigned gpio_standin_set_calls(void) { return set_calls; }
unsigned gpio_standin_all_calls(void) { return all_calls; }
unsigned gpio_standin_dropped(void) { return dropped; }

/* Gives a line to another program, or to a kernel driver. */
void gpio_standin_occupy(int chip, int offset, const char *consumer)
{
    pthread_mutex_lock(&lock);
    chips[chip].line[offset].used = true;
    snprintf(chips[chip].line[offset].consumer, 32, "%s", consumer);
    pthread_mutex_unlock(&lock);
}

void gpio_standin_deny(int chip, int error) { chips[chip].open_error = error; }

/* The chip goes away: descriptors become readable, every call fails with ENODEV. */
void gpio_standin_unplug(int chip)
{
    pthread_mutex_lock(&lock);
    chips[chip].gone = true;
    for (int fd = 0; fd < FDS; fd++) {
        uint64_t one = 1;
        if (files[fd].queue && files[fd].chip == chip && write(fd, &one, sizeof(one)) < 0)
            abort();
    }
    pthread_mutex_unlock(&lock);
}

/* --- What libgpiod calls -------------------------------------------------------------------- */

/* The N of /dev/gpiochipN when it is one of ours (4 is the link), or -1. */
static int chip_of(const char *path)
{
    static const char prefix[] = "/dev/gpiochip";
    if (!path || strncmp(path, prefix, sizeof(prefix) - 1) != 0)
        return -1;
    char *end;
    long number = strtol(path + sizeof(prefix) - 1, &end, 10);
    return *end == '\0' && (number == 4 || (number >= 0 && number < CHIPS)) ? (int)number : -1;
}

static bool is_gone(int chip) { return chips[chip == 4 ? 0 : chip].gone; }

static int open_chip(int chip)
{
    if (chips[chip].gone)
        return fail(ENOENT);
    if (chips[chip].open_error)
        return fail(chips[chip].open_error);
    int fd = eventfd(0, EFD_CLOEXEC);
    if (fd < 0 || fd >= FDS)
        return fail(EMFILE);
    files[fd] = (struct file) { .kind = CHIP, .chip = chip };
    return fd;
}

static int open_sysfs(int chip)
{
    char text[16];
    int length = snprintf(text, sizeof(text), "%d:%d\n", MAJOR, chip);
    int fd = memfd_create("dev", MFD_CLOEXEC);
    if (fd < 0 || write(fd, text, (size_t)length) < 0 || lseek(fd, 0, SEEK_SET) < 0)
        return -1;
    return fd;
}

static int sysfs_chip_of(const char *path)
{
    int chip;
    char rest[8];
    return path && sscanf(path, "/sys/bus/gpio/devices/gpiochip%d/%7s", &chip, rest) == 2
            && strcmp(rest, "dev") == 0 && chip >= 0 && chip < CHIPS
        ? chip
        : -1;
}

int open(const char *path, int flags, ...)
{
    va_list arguments;
    va_start(arguments, flags);
    mode_t mode = flags & (O_CREAT | __O_TMPFILE) ? va_arg(arguments, mode_t) : 0;
    va_end(arguments);
    int chip = chip_of(path);
    if (chip >= 0) {
        pthread_mutex_lock(&lock);
        int fd = open_chip(chip == 4 ? 0 : chip);
        pthread_mutex_unlock(&lock);
        return fd;
    }
    chip = sysfs_chip_of(path);
    return chip >= 0 ? open_sysfs(chip) : REAL(open)(path, flags, mode);
}

int access(const char *path, int mode)
{
    if (chip_of(path) >= 0)
        return is_gone(chip_of(path)) ? fail(ENOENT) : 0;
    return sysfs_chip_of(path) >= 0 ? 0 : REAL(access)(path, mode);
}

static int describe(int chip, struct stat *status, bool follows)
{
    if (is_gone(chip))
        return fail(ENOENT);
    memset(status, 0, sizeof(*status));
    status->st_mode = chip == 4 && !follows ? S_IFLNK | 0777 : S_IFCHR | 0660;
    status->st_rdev = makedev(MAJOR, chip == 4 ? 0 : chip);
    status->st_uid = 0;
    status->st_gid = 20; /* dialout on Debian; present in every /etc/group there. */
    return 0;
}

int stat(const char *path, struct stat *status)
{
    int chip = chip_of(path);
    return chip >= 0 ? describe(chip, status, true) : REAL(stat)(path, status);
}

int lstat(const char *path, struct stat *status)
{
    int chip = chip_of(path);
    return chip >= 0 ? describe(chip, status, false) : REAL(lstat)(path, status);
}

char *realpath(const char *path, char *resolved)
{
    unsigned chip;
    char rest[16];
    const char *answer = NULL;
    if (path && sscanf(path, "/sys/dev/char/254:%u/%15s", &chip, rest) == 2 && chip < CHIPS)
        answer = "/sys/bus/gpio";
    else if (chip_of(path) >= 0)
        answer = chip_of(path) == 4 ? "/dev/gpiochip0" : path;
    if (!answer)
        return REAL(realpath)(path, resolved);
    return resolved ? strcpy(resolved, answer) : strdup(answer);
}

int scandir(
    const char *path, struct dirent ***entries, int (*filter)(const struct dirent *),
    int (*compare)(const struct dirent **, const struct dirent **))
{
    if (strcmp(path, "/dev") != 0)
        return REAL(scandir)(path, entries, filter, compare);
    static const int numbers[] = { 1, 4, 0 };
    int count = 0;
    *entries = calloc(3, sizeof(**entries));
    for (int index = 0; index < 3; index++) {
        struct dirent *entry = calloc(1, sizeof(*entry));
        snprintf(entry->d_name, sizeof(entry->d_name), "gpiochip%d", numbers[index]);
        if (is_gone(numbers[index]) || (filter && !filter(entry)))
            free(entry);
        else
            (*entries)[count++] = entry;
    }
    return count;
}

int ioctl(int fd, unsigned long number, ...)
{
    va_list arguments;
    va_start(arguments, number);
    void *argument = va_arg(arguments, void *);
    va_end(arguments);
    pthread_mutex_lock(&lock);
    if (!is_ours(fd)) {
        pthread_mutex_unlock(&lock);
        return REAL(ioctl)(fd, number, argument);
    }
    struct file *file = &files[fd];
    number = (uint32_t)number; /* As the kernel: libgpiod 2 hands on a sign-extended int. */
    all_calls++;
    int result = chips[file->chip].gone ? fail(ENODEV)
        : file->kind == CHIP            ? call_chip(file->chip, number, argument)
                                        : call_request(file, number, argument);
    pthread_mutex_unlock(&lock);
    return result;
}

ssize_t read(int fd, void *to, size_t size)
{
    if (!is_ours(fd) || !files[fd].queue)
        return REAL(read)(fd, to, size);
    pthread_mutex_lock(&lock);
    bool waits = files[fd].queued == 0 && !chips[files[fd].chip].gone;
    ssize_t result = waits ? 0 : read_events(fd, to, size);
    pthread_mutex_unlock(&lock);
    /* An empty queue blocks, or fails with EAGAIN, as the descriptor is set. */
    uint64_t ticks;
    return waits ? REAL(read)(fd, &ticks, sizeof(ticks)) : result;
}

int close(int fd)
{
    pthread_mutex_lock(&lock);
    if (is_ours(fd)) {
        struct file *file = &files[fd];
        for (unsigned index = 0; index < file->count; index++) {
            struct line *line = &chips[file->chip].line[file->offsets[index]];
            if (line->fd != fd)
                continue;
            line->used = false;
            line->consumer[0] = '\0';
            line->fd = -1;
        }
        free(file->queue);
        *file = (struct file) { .kind = NOTHING };
    }
    pthread_mutex_unlock(&lock);
    return REAL(close)(fd);
}

/* --- Control from outside ------------------------------------------------------------------- */

static void *serve(void *argument)
{
    int fd = (int)(intptr_t)argument;
    char text[128], name[32];
    ssize_t length;
    while ((length = recv(fd, text, sizeof(text) - 1, 0)) >= 0) {
        int chip = -1, line = -1, level = 0;
        text[length] = '\0';
        bool is_line = sscanf(text, "%*s %d %d", &chip, &line) == 2 && line >= 0 && line < LINES;
        if (chip < 0 || chip >= CHIPS)
            continue;
        if (is_line && sscanf(text, "drive %*d %*d %d", &level) == 1)
            gpio_standin_drive(chip, line, level, 0);
        else if (is_line && sscanf(text, "occupy %*d %*d %31s", name) == 1)
            gpio_standin_occupy(chip, line, name);
        else if (strncmp(text, "unplug", 6) == 0)
            gpio_standin_unplug(chip);
    }
    return NULL;
}

__attribute__((constructor)) static void start(void)
{
    set_up();
    const char *path = getenv("ROOST_GPIO_CONTROL");
    struct sockaddr_un address = { .sun_family = AF_UNIX };
    if (!path || strlen(path) >= sizeof(address.sun_path))
        return;
    strcpy(address.sun_path, path);
    unlink(path);
    int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    pthread_t thread;
    /* The thread takes no signal: the process handles its own. */
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    if (fd < 0 || bind(fd, (struct sockaddr *)&address, sizeof(address)) != 0
        || pthread_create(&thread, NULL, serve, (void *)(intptr_t)fd) != 0)
        fprintf(stderr, "gpio-standin: no control socket at %s\n", path);
    else
        pthread_detach(thread);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}
