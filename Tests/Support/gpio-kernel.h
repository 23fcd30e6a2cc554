/*
 * The kernel's side of the stand-in: chips, requests, event queues, and the calls on them.
 *
 * For gpio-standin.c alone, which says what this is for.
 */
#ifndef ROOST_GPIO_KERNEL_H
#define ROOST_GPIO_KERNEL_H

#include <dlfcn.h>
#include <errno.h>
#include <linux/gpio.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
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
        has_edges |= (flags
            & (GPIO_V2_LINE_FLAG_EDGE_RISING | GPIO_V2_LINE_FLAG_EDGE_FALLING)) != 0;
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

#endif
