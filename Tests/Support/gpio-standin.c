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
 * Bounds: 2 chips, 64 lines each, 1 024 descriptors; beyond them a call fails as the kernel's would.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/gpio.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

enum { CHIPS = 2, LINES = 64, FDS = 1024, QUEUE_PER_LINE = 16, MAJOR = 254 };

struct line {
    char name[32], consumer[32];
    bool used, level;
    uint64_t flags; /* GPIO_V2_LINE_FLAG_*, whichever interface asked. */
    uint32_t debounce_us, seqno;
    int fd; /* Request that holds it, or -1. */
};

struct chip {
    char label[32];
    unsigned lines;
    int open_error; /* What opening fails with, or 0. */
    bool gone;
    struct line line[LINES];
};

struct event {
    uint64_t timestamp;
    uint32_t id, offset, seqno, line_seqno;
};

enum kind { NOTHING, CHIP, REQUEST_V1, EVENT_V1, REQUEST_V2 };

struct file {
    enum kind kind;
    int chip;
    unsigned count;
    uint32_t offsets[LINES];
    uint32_t seqno;
    struct event *queue;
    unsigned queued, capacity;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct chip chips[CHIPS];
static struct file files[FDS];
static unsigned set_calls, all_calls, dropped;

#define REAL(name) ((__typeof__(&name))real(#name))

static void *real(const char *name) { return dlsym(RTLD_NEXT, name); }

static bool is_ours(int fd) { return fd >= 0 && fd < FDS && files[fd].kind != NOTHING; }

static uint64_t monotonic(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static void set_up(void)
{
    static const char *const expander[8] = { "BT_ON", "WL_ON", "PWR_LED_OFF", "GLOBAL_RESET",
        "VDD_SD_IO_SEL", "CAM_GPIO", "SD_PWR_ON", "SD_OC_N" };
    memset(chips, 0, sizeof(chips));
    strcpy(chips[0].label, "pinctrl-bcm2711");
    strcpy(chips[1].label, "raspberrypi-exp-gpio");
    chips[0].lines = 58;
    chips[1].lines = 8;
    for (int chip = 0; chip < CHIPS; chip++)
        for (int line = 0; line < LINES; line++)
            chips[chip].line[line].fd = -1;
    strcpy(chips[0].line[0].name, "ID_SDA");
    strcpy(chips[0].line[1].name, "ID_SCL");
    for (int line = 2; line < 28; line++)
        snprintf(chips[0].line[line].name, 32, "GPIO%d", line);
    for (int line = 0; line < 8; line++)
        strcpy(chips[1].line[line].name, expander[line]);
    set_calls = all_calls = dropped = 0;
}

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
uint32_t gpio_standin_debounce(int chip, int offset) { return chips[chip].line[offset].debounce_us; }
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

/* --- The calls of both interfaces ----------------------------------------------------------- */

static int fail(int error)
{
    errno = error;
    return -1;
}

static void trace(const struct file *file)
{
    const char *path = getenv("ROOST_GPIO_TRACE");
    FILE *out = path ? fopen(path, "ae") : NULL;
    if (!out)
        return;
    fprintf(out, "%llu %d %d", (unsigned long long)monotonic(), file->chip, getpid());
    for (unsigned index = 0; index < file->count; index++)
        fprintf(out, " %u=%d", file->offsets[index],
            chips[file->chip].line[file->offsets[index]].level);
    fprintf(out, "\n");
    fclose(out);
}

static void set_level(struct chip *chip, uint32_t offset, bool value)
{
    struct line *line = &chip->line[offset];
    line->level = value != ((line->flags & GPIO_V2_LINE_FLAG_ACTIVE_LOW) != 0);
}

static bool get_value(const struct chip *chip, uint32_t offset)
{
    const struct line *line = &chip->line[offset];
    return line->level != ((line->flags & GPIO_V2_LINE_FLAG_ACTIVE_LOW) != 0);
}

/* Takes all lines or none, and makes the request's descriptor. */
static int request(
    int chip_index, enum kind kind, const uint32_t *offsets, unsigned count, const char *consumer)
{
    struct chip *chip = &chips[chip_index];
    if (count == 0 || count > LINES)
        return fail(EINVAL);
    for (unsigned index = 0; index < count; index++) {
        if (offsets[index] >= chip->lines)
            return fail(EINVAL);
        if (chip->line[offsets[index]].used)
            return fail(EBUSY);
    }
    int fd = eventfd(0, EFD_CLOEXEC);
    if (fd < 0 || fd >= FDS) {
        if (fd >= 0)
            REAL(close)(fd);
        return fail(EMFILE);
    }
    files[fd] = (struct file) { .kind = kind, .chip = chip_index, .count = count };
    memcpy(files[fd].offsets, offsets, count * sizeof(*offsets));
    for (unsigned index = 0; index < count; index++) {
        struct line *line = &chip->line[offsets[index]];
        line->used = true;
        line->fd = fd;
        line->seqno = 0;
        snprintf(line->consumer, sizeof(line->consumer), "%.31s", consumer[0] ? consumer : "?");
    }
    return fd;
}

static void make_queue(struct file *file)
{
    file->capacity = QUEUE_PER_LINE * file->count;
    file->queue = calloc(file->capacity, sizeof(struct event));
}

static uint64_t flags_of_v1(uint32_t flags)
{
    static const struct { uint32_t v1; uint64_t v2; } pairs[] = {
        { GPIOHANDLE_REQUEST_INPUT, GPIO_V2_LINE_FLAG_INPUT },
        { GPIOHANDLE_REQUEST_OUTPUT, GPIO_V2_LINE_FLAG_OUTPUT },
        { GPIOHANDLE_REQUEST_ACTIVE_LOW, GPIO_V2_LINE_FLAG_ACTIVE_LOW },
        { GPIOHANDLE_REQUEST_BIAS_PULL_UP, GPIO_V2_LINE_FLAG_BIAS_PULL_UP },
        { GPIOHANDLE_REQUEST_BIAS_PULL_DOWN, GPIO_V2_LINE_FLAG_BIAS_PULL_DOWN },
        { GPIOHANDLE_REQUEST_BIAS_DISABLE, GPIO_V2_LINE_FLAG_BIAS_DISABLED },
    };
    uint64_t result = 0;
    for (unsigned index = 0; index < sizeof(pairs) / sizeof(pairs[0]); index++)
        if (flags & pairs[index].v1)
            result |= pairs[index].v2;
    return result;
}

static int get_line_info_v1(struct chip *chip, struct gpioline_info *info)
{
    if (info->line_offset >= chip->lines)
        return fail(EINVAL);
    const struct line *line = &chip->line[info->line_offset];
    strcpy(info->name, line->name);
    strcpy(info->consumer, line->consumer);
    info->flags = (line->used ? GPIOLINE_FLAG_KERNEL : 0)
        | (line->flags & GPIO_V2_LINE_FLAG_OUTPUT ? GPIOLINE_FLAG_IS_OUT : 0)
        | (line->flags & GPIO_V2_LINE_FLAG_ACTIVE_LOW ? GPIOLINE_FLAG_ACTIVE_LOW : 0);
    return 0;
}

static int get_line_info_v2(struct chip *chip, struct gpio_v2_line_info *info)
{
    if (info->offset >= chip->lines)
        return fail(EINVAL);
    const struct line *line = &chip->line[info->offset];
    strcpy(info->name, line->name);
    strcpy(info->consumer, line->consumer);
    info->num_attrs = 0;
    info->flags = line->flags | (line->used ? GPIO_V2_LINE_FLAG_USED : 0);
    if (!(line->flags & GPIO_V2_LINE_FLAG_OUTPUT))
        info->flags |= GPIO_V2_LINE_FLAG_INPUT;
    return 0;
}

static int get_handle_v1(int chip_index, struct gpiohandle_request *asked)
{
    int fd = request(
        chip_index, REQUEST_V1, asked->lineoffsets, asked->lines, asked->consumer_label);
    if (fd < 0)
        return -1;
    for (unsigned index = 0; index < asked->lines; index++) {
        uint32_t offset = asked->lineoffsets[index];
        chips[chip_index].line[offset].flags = flags_of_v1(asked->flags);
        if (asked->flags & GPIOHANDLE_REQUEST_OUTPUT)
            set_level(&chips[chip_index], offset, asked->default_values[index]);
    }
    if (asked->flags & GPIOHANDLE_REQUEST_OUTPUT)
        trace(&files[fd]);
    asked->fd = fd;
    return 0;
}

static int get_event_v1(int chip_index, struct gpioevent_request *asked)
{
    int fd = request(chip_index, EVENT_V1, &asked->lineoffset, 1, asked->consumer_label);
    if (fd < 0)
        return -1;
    uint64_t flags = flags_of_v1(asked->handleflags);
    if (asked->eventflags & GPIOEVENT_REQUEST_RISING_EDGE)
        flags |= GPIO_V2_LINE_FLAG_EDGE_RISING;
    if (asked->eventflags & GPIOEVENT_REQUEST_FALLING_EDGE)
        flags |= GPIO_V2_LINE_FLAG_EDGE_FALLING;
    chips[chip_index].line[asked->lineoffset].flags = flags;
    make_queue(&files[fd]);
    asked->fd = fd;
    return 0;
}

static int get_line_v2(int chip_index, struct gpio_v2_line_request *asked)
{
    int fd = request(chip_index, REQUEST_V2, asked->offsets, asked->num_lines, asked->consumer);
    if (fd < 0)
        return -1;
    bool has_edges = false, is_output = false;
    for (unsigned index = 0; index < asked->num_lines; index++) {
        struct line *line = &chips[chip_index].line[asked->offsets[index]];
        uint64_t flags = asked->config.flags, values = 0;
        line->debounce_us = 0;
        for (unsigned number = 0; number < asked->config.num_attrs; number++) {
            const struct gpio_v2_line_config_attribute *each = &asked->config.attrs[number];
            if (!(each->mask >> index & 1))
                continue;
            if (each->attr.id == GPIO_V2_LINE_ATTR_ID_FLAGS)
                flags = each->attr.flags;
            else if (each->attr.id == GPIO_V2_LINE_ATTR_ID_OUTPUT_VALUES)
                values = each->attr.values;
            else if (each->attr.id == GPIO_V2_LINE_ATTR_ID_DEBOUNCE)
                line->debounce_us = each->attr.debounce_period_us;
        }
        line->flags = flags;
        has_edges |= (flags & (GPIO_V2_LINE_FLAG_EDGE_RISING | GPIO_V2_LINE_FLAG_EDGE_FALLING)) != 0;
        if (flags & GPIO_V2_LINE_FLAG_OUTPUT) {
            set_level(&chips[chip_index], asked->offsets[index], values >> index & 1);
            is_output = true;
        }
    }
    if (has_edges)
        make_queue(&files[fd]);
    if (is_output)
        trace(&files[fd]);
    asked->fd = fd;
    return 0;
}

static int call_chip(int chip_index, unsigned long number, void *argument)
{
    struct chip *chip = &chips[chip_index];
    switch (number) {
    case GPIO_GET_CHIPINFO_IOCTL: {
        struct gpiochip_info *info = argument;
        snprintf(info->name, sizeof(info->name), "gpiochip%d", chip_index);
        strcpy(info->label, chip->label);
        info->lines = chip->lines;
        return 0;
    }
    case GPIO_GET_LINEINFO_IOCTL: return get_line_info_v1(chip, argument);
    case GPIO_GET_LINEHANDLE_IOCTL: return get_handle_v1(chip_index, argument);
    case GPIO_GET_LINEEVENT_IOCTL: return get_event_v1(chip_index, argument);
    case GPIO_V2_GET_LINEINFO_IOCTL: return get_line_info_v2(chip, argument);
    case GPIO_V2_GET_LINE_IOCTL: return get_line_v2(chip_index, argument);
    default: return fail(ENOTTY);
    }
}

static int call_request(struct file *file, unsigned long number, void *argument)
{
    struct chip *chip = &chips[file->chip];
    bool sets =
        number == GPIOHANDLE_SET_LINE_VALUES_IOCTL || number == GPIO_V2_LINE_SET_VALUES_IOCTL;
    if (number == GPIOHANDLE_GET_LINE_VALUES_IOCTL || number == GPIOHANDLE_SET_LINE_VALUES_IOCTL) {
        struct gpiohandle_data *data = argument;
        for (unsigned index = 0; index < file->count; index++)
            if (sets)
                set_level(chip, file->offsets[index], data->values[index]);
            else
                data->values[index] = get_value(chip, file->offsets[index]);
    } else if (number == GPIO_V2_LINE_GET_VALUES_IOCTL || number == GPIO_V2_LINE_SET_VALUES_IOCTL) {
        struct gpio_v2_line_values *data = argument;
        for (unsigned index = 0; index < file->count; index++) {
            uint64_t bit = UINT64_C(1) << index;
            if (!(data->mask & bit))
                continue;
            if (sets)
                set_level(chip, file->offsets[index], data->bits & bit);
            else
                data->bits = get_value(chip, file->offsets[index]) ? data->bits | bit
                                                                   : data->bits & ~bit;
        }
    } else
        return fail(ENOTTY);
    if (sets) {
        set_calls++;
        trace(file);
    }
    return 0;
}

static ssize_t read_events(int fd, void *to, size_t size)
{
    struct file *file = &files[fd];
    if (chips[file->chip].gone)
        return fail(ENODEV);
    size_t one = file->kind == EVENT_V1 ? sizeof(struct gpioevent_data)
                                        : sizeof(struct gpio_v2_line_event);
    if (size < one)
        return fail(EINVAL);
    unsigned count = 0;
    for (; count < file->queued && (count + 1) * one <= size; count++) {
        const struct event *event = &file->queue[count];
        if (file->kind == EVENT_V1)
            ((struct gpioevent_data *)to)[count]
                = (struct gpioevent_data) { .timestamp = event->timestamp, .id = event->id };
        else
            ((struct gpio_v2_line_event *)to)[count] = (struct gpio_v2_line_event) {
                .timestamp_ns = event->timestamp, .id = event->id, .offset = event->offset,
                .seqno = event->seqno, .line_seqno = event->line_seqno };
    }
    memmove(file->queue, file->queue + count, (file->queued - count) * sizeof(struct event));
    file->queued -= count;
    uint64_t ticks;
    if (file->queued == 0 && count > 0 && REAL(read)(fd, &ticks, sizeof(ticks)) < 0)
        return -1;
    return (ssize_t)(count * one);
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
    if (fd < 0 || bind(fd, (struct sockaddr *)&address, sizeof(address)) != 0
        || pthread_create(&thread, NULL, serve, (void *)(intptr_t)fd) != 0)
        fprintf(stderr, "gpio-standin: no control socket at %s\n", path);
    else
        pthread_detach(thread);
}
