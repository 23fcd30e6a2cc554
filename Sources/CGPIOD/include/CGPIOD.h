/*
 * One face of libgpiod for Swift, over its 1.6 and its 2.x interface; chosen when compiled.
 *
 * No function blocks: a request's descriptor is non-blocking, and is waited for by the caller.
 * Functions that can fail return a negative errno, or NULL with *error set to a positive one.
 */
#ifndef CGPIOD_H
#define CGPIOD_H

#include <stdbool.h>
#include <stdint.h>

/* Lines in one request, from <linux/gpio.h>: GPIO_V2_LINES_MAX and GPIOHANDLES_MAX are both 64. */
#define ROOST_GPIO_MAX_LINES 64
/* Events one call reads; more wait in the kernel, which queues 16 for each line. */
#define ROOST_GPIO_MAX_EVENTS 16
/* Names of chips, lines and consumers, from <linux/gpio.h>: GPIO_MAX_NAME_SIZE, end included. */
#define ROOST_GPIO_NAME_SIZE 32

enum roost_gpio_edges {
    ROOST_GPIO_EDGES_NONE = 0,
    ROOST_GPIO_EDGES_RISING = 1,
    ROOST_GPIO_EDGES_FALLING = 2,
    ROOST_GPIO_EDGES_BOTH = 3,
};

enum roost_gpio_bias {
    ROOST_GPIO_BIAS_AS_IS = 0,
    ROOST_GPIO_BIAS_DISABLED = 1,
    ROOST_GPIO_BIAS_PULL_UP = 2,
    ROOST_GPIO_BIAS_PULL_DOWN = 3,
};

struct roost_gpio_chip;
struct roost_gpio_lines;

struct roost_gpio_chip_info {
    char name[ROOST_GPIO_NAME_SIZE];
    char label[ROOST_GPIO_NAME_SIZE];
    uint32_t line_count;
};

struct roost_gpio_line_info {
    char name[ROOST_GPIO_NAME_SIZE];     /* Empty when the line has none. */
    char consumer[ROOST_GPIO_NAME_SIZE]; /* Empty when unknown or free. */
    bool is_used;
    bool is_output;
    bool is_active_low;
};

struct roost_gpio_request {
    const uint32_t *offsets;
    /* 0 or 1 for each line, logical; NULL for inputs. */
    const uint8_t *initial_values;
    uint32_t line_count;
    enum roost_gpio_edges edges;
    enum roost_gpio_bias bias;
    bool is_active_low;
    /* Microseconds; 1.6 has no debounce, see roost_gpio_has_debounce. */
    uint32_t debounce_us;
    const char *consumer;
};

struct roost_gpio_event {
    /* Nanoseconds of CLOCK_BOOTTIME: the kernel's own CLOCK_MONOTONIC stamp, moved by the
     * difference of the two clocks when it was read. */
    int64_t instant_ns;
    /* Index into the request's lines. */
    uint32_t line;
    /* Counts the line's edges from 1. From the kernel in 2.x; 1.6 counts what it reads. */
    uint32_t sequence;
    bool is_rising;
};

/* "1.6.3", "2.2.1". */
const char *roost_gpio_version(void);
/* Whether debounce and sequence numbers come from the kernel: true for 2.x. */
bool roost_gpio_has_debounce(void);

/* The N of each /dev/gpiochipN, unordered, at most `capacity` of them; links are left out. */
int roost_gpio_chip_numbers(uint32_t *numbers, uint32_t capacity);

struct roost_gpio_chip *roost_gpio_chip_open(const char *path, int *error);
void roost_gpio_chip_close(struct roost_gpio_chip *chip);
int roost_gpio_chip_get_info(struct roost_gpio_chip *chip, struct roost_gpio_chip_info *info);
/* The offset of the first line of that name, or -ENOENT. */
int roost_gpio_chip_find_line(struct roost_gpio_chip *chip, const char *name);
int roost_gpio_chip_get_line(
    struct roost_gpio_chip *chip, uint32_t offset, struct roost_gpio_line_info *info);

/* Requests all lines or none. The chip may be closed afterwards. */
struct roost_gpio_lines *roost_gpio_request_lines(
    const char *path, const struct roost_gpio_request *request, int *error);
void roost_gpio_release(struct roost_gpio_lines *lines);
/* One byte, 0 or 1, for each line of the request, in its order. */
int roost_gpio_get(struct roost_gpio_lines *lines, uint8_t *values);
/* All lines in one system call. */
int roost_gpio_set(struct roost_gpio_lines *lines, const uint8_t *values);
/* Readable while edges wait, and when the chip is gone. -1 for a request without edges. */
int roost_gpio_fd(struct roost_gpio_lines *lines);
/* Reads at most ROOST_GPIO_MAX_EVENTS, oldest first; -EAGAIN when none waits. */
int roost_gpio_read(struct roost_gpio_lines *lines, struct roost_gpio_event *events);

#endif
