/* libgpiod 1.6, as in Debian 12. */
#include "internal.h"

#ifdef ROOST_GPIO_V1

#include <sys/epoll.h>

struct roost_gpio_chip {
    struct gpiod_chip *chip;
};

/* 1.6 has a descriptor for each line with edges; one epoll descriptor holds them all. */
struct roost_gpio_lines {
    struct gpiod_chip *chip; /* Owns the lines, so it stays open as long as they do. */
    struct gpiod_line_bulk bulk;
    int epoll; /* -1 without edges. */
    uint32_t sequences[ROOST_GPIO_MAX_LINES];
    int64_t suspended_ns;
};

const char *roost_gpio_version(void) { return gpiod_version_string(); }
bool roost_gpio_has_debounce(void) { return false; }

struct roost_gpio_chip *roost_gpio_chip_open(const char *path, int *error)
{
    struct roost_gpio_chip *self = calloc(1, sizeof(*self));
    if (self && (self->chip = gpiod_chip_open(path)))
        return self;
    *error = self ? errno : ENOMEM;
    free(self);
    return NULL;
}

void roost_gpio_chip_close(struct roost_gpio_chip *self)
{
    gpiod_chip_close(self->chip);
    free(self);
}

int roost_gpio_chip_get_info(struct roost_gpio_chip *self, struct roost_gpio_chip_info *out)
{
    roost_gpio_copy_name(out->name, gpiod_chip_name(self->chip));
    roost_gpio_copy_name(out->label, gpiod_chip_label(self->chip));
    out->line_count = gpiod_chip_num_lines(self->chip);
    return 0;
}

int roost_gpio_chip_find_line(struct roost_gpio_chip *self, const char *name)
{
    errno = ENOENT;
    struct gpiod_line *line = gpiod_chip_find_line(self->chip, name);
    return line ? (int)gpiod_line_offset(line) : errno ? -errno : -ENOENT;
}

int roost_gpio_chip_get_line(
    struct roost_gpio_chip *self, uint32_t offset, struct roost_gpio_line_info *out)
{
    struct gpiod_line *line = gpiod_chip_get_line(self->chip, offset);
    if (!line || gpiod_line_update(line) != 0)
        return -errno;
    roost_gpio_copy_name(out->name, gpiod_line_name(line));
    roost_gpio_copy_name(out->consumer, gpiod_line_consumer(line));
    out->is_used = gpiod_line_is_used(line);
    out->is_output = gpiod_line_direction(line) == GPIOD_LINE_DIRECTION_OUTPUT;
    out->is_active_low = gpiod_line_active_state(line) == GPIOD_LINE_ACTIVE_STATE_LOW;
    return 0;
}

static int type_of(const struct roost_gpio_request *request)
{
    if (request->initial_values)
        return GPIOD_LINE_REQUEST_DIRECTION_OUTPUT;
    switch (request->edges) {
    case ROOST_GPIO_EDGES_RISING: return GPIOD_LINE_REQUEST_EVENT_RISING_EDGE;
    case ROOST_GPIO_EDGES_FALLING: return GPIOD_LINE_REQUEST_EVENT_FALLING_EDGE;
    case ROOST_GPIO_EDGES_BOTH: return GPIOD_LINE_REQUEST_EVENT_BOTH_EDGES;
    default: return GPIOD_LINE_REQUEST_DIRECTION_INPUT;
    }
}

static int flags_of(const struct roost_gpio_request *request)
{
    int flags = request->is_active_low ? GPIOD_LINE_REQUEST_FLAG_ACTIVE_LOW : 0;
    if (request->initial_values)
        return flags;
    switch (request->bias) {
    case ROOST_GPIO_BIAS_DISABLED: return flags | GPIOD_LINE_REQUEST_FLAG_BIAS_DISABLE;
    case ROOST_GPIO_BIAS_PULL_UP: return flags | GPIOD_LINE_REQUEST_FLAG_BIAS_PULL_UP;
    case ROOST_GPIO_BIAS_PULL_DOWN: return flags | GPIOD_LINE_REQUEST_FLAG_BIAS_PULL_DOWN;
    default: return flags;
    }
}

static int ask(struct roost_gpio_lines *self, const struct roost_gpio_request *request)
{
    int values[ROOST_GPIO_MAX_LINES] = { 0 };
    gpiod_line_bulk_init(&self->bulk);
    for (uint32_t index = 0; index < request->line_count; index++) {
        struct gpiod_line *line = gpiod_chip_get_line(self->chip, request->offsets[index]);
        if (!line)
            return errno;
        gpiod_line_bulk_add(&self->bulk, line);
        values[index] = request->initial_values && request->initial_values[index];
    }
    struct gpiod_line_request_config config = {
        .consumer = request->consumer,
        .request_type = type_of(request),
        .flags = flags_of(request),
    };
    return gpiod_line_request_bulk(&self->bulk, &config, values) == 0 ? 0 : errno;
}

static int watch(struct roost_gpio_lines *self)
{
    self->epoll = epoll_create1(EPOLL_CLOEXEC);
    if (self->epoll < 0)
        return errno;
    for (uint32_t index = 0; index < self->bulk.num_lines; index++) {
        struct epoll_event interest = { .events = EPOLLIN, .data.u32 = index };
        int fd = gpiod_line_event_get_fd(self->bulk.lines[index]);
        roost_gpio_make_nonblocking(fd);
        if (epoll_ctl(self->epoll, EPOLL_CTL_ADD, fd, &interest) != 0)
            return errno;
    }
    return 0;
}

struct roost_gpio_lines *roost_gpio_request_lines(
    const char *path, const struct roost_gpio_request *request, int *error)
{
    struct roost_gpio_lines *self = calloc(1, sizeof(*self));
    if (!self) {
        *error = ENOMEM;
        return NULL;
    }
    self->epoll = -1;
    self->chip = gpiod_chip_open(path);
    *error = self->chip ? ask(self, request) : errno;
    if (*error == 0 && request->edges)
        *error = watch(self);
    if (*error == 0)
        return self;
    roost_gpio_release(self);
    return NULL;
}

void roost_gpio_release(struct roost_gpio_lines *self)
{
    if (self->epoll >= 0)
        close(self->epoll);
    if (self->chip)
        gpiod_chip_close(self->chip); /* Releases the lines. */
    free(self);
}

int roost_gpio_get(struct roost_gpio_lines *self, uint8_t *values)
{
    int found[ROOST_GPIO_MAX_LINES];
    if (gpiod_line_get_value_bulk(&self->bulk, found) != 0)
        return -errno;
    for (uint32_t index = 0; index < self->bulk.num_lines; index++)
        values[index] = (uint8_t)(found[index] != 0);
    return 0;
}

int roost_gpio_set(struct roost_gpio_lines *self, const uint8_t *values)
{
    int wanted[ROOST_GPIO_MAX_LINES];
    for (uint32_t index = 0; index < self->bulk.num_lines; index++)
        wanted[index] = values[index];
    return gpiod_line_set_value_bulk(&self->bulk, wanted) == 0 ? 0 : -errno;
}

int roost_gpio_fd(struct roost_gpio_lines *self) { return self->epoll; }

/* Reads one line's events into `events`; returns how many, or a negative errno. */
static int read_line(
    struct roost_gpio_lines *self, uint32_t line, struct roost_gpio_event *events, int capacity)
{
    struct gpiod_line_event found[ROOST_GPIO_MAX_EVENTS];
    int fd = gpiod_line_event_get_fd(self->bulk.lines[line]);
    int count = gpiod_line_event_read_fd_multiple(fd, found, (unsigned int)capacity);
    if (count < 0)
        return -errno;
    int64_t suspended = roost_gpio_suspended_ns(&self->suspended_ns);
    for (int index = 0; index < count; index++)
        events[index] = (struct roost_gpio_event) {
            .instant_ns = found[index].ts.tv_sec * INT64_C(1000000000)
                + found[index].ts.tv_nsec + suspended,
            .line = line,
            .sequence = ++self->sequences[line],
            .is_rising = found[index].event_type == GPIOD_LINE_EVENT_RISING_EDGE,
        };
    return count;
}

/* Insertion sort by time: few events, nearly sorted, and equal stamps keep their order. */
static void sort(struct roost_gpio_event *events, int count)
{
    for (int index = 1; index < count; index++) {
        struct roost_gpio_event moving = events[index];
        int place = index;
        for (; place > 0 && events[place - 1].instant_ns > moving.instant_ns; place--)
            events[place] = events[place - 1];
        events[place] = moving;
    }
}

int roost_gpio_read(struct roost_gpio_lines *self, struct roost_gpio_event *events)
{
    struct epoll_event ready[ROOST_GPIO_MAX_EVENTS];
    int ready_count = epoll_wait(self->epoll, ready, ROOST_GPIO_MAX_EVENTS, 0);
    if (ready_count <= 0)
        return ready_count < 0 ? -errno : -EAGAIN;
    int total = 0, error = -EAGAIN;
    for (int index = 0; index < ready_count && total < ROOST_GPIO_MAX_EVENTS; index++) {
        int count = read_line(
            self, ready[index].data.u32, events + total, ROOST_GPIO_MAX_EVENTS - total);
        if (count > 0)
            total += count;
        else if (count < 0 && count != -EAGAIN)
            error = count;
    }
    sort(events, total);
    return total > 0 ? total : error;
}

#else
typedef int roost_gpio_version1_is_empty; /* ISO C wants a declaration in each file. */
#endif
