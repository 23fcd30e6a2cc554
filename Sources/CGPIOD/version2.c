/* libgpiod 2.x, as in Debian 13. */
#include "internal.h"

#ifndef ROOST_GPIO_V1

struct roost_gpio_chip {
    struct gpiod_chip *chip;
};

struct roost_gpio_lines {
    struct gpiod_line_request *request;
    struct gpiod_edge_event_buffer *buffer; /* NULL without edges. */
    uint32_t count;
    uint32_t offsets[ROOST_GPIO_MAX_LINES];
    int64_t suspended_ns;
};

const char *roost_gpio_version(void) { return gpiod_api_version(); }
bool roost_gpio_has_debounce(void) { return true; }

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
    struct gpiod_chip_info *info = gpiod_chip_get_info(self->chip);
    if (!info)
        return -errno;
    roost_gpio_copy_name(out->name, gpiod_chip_info_get_name(info));
    roost_gpio_copy_name(out->label, gpiod_chip_info_get_label(info));
    out->line_count = (uint32_t)gpiod_chip_info_get_num_lines(info);
    gpiod_chip_info_free(info);
    return 0;
}

int roost_gpio_chip_find_line(struct roost_gpio_chip *self, const char *name)
{
    int offset = gpiod_chip_get_line_offset_from_name(self->chip, name);
    return offset < 0 ? -errno : offset;
}

int roost_gpio_chip_get_line(
    struct roost_gpio_chip *self, uint32_t offset, struct roost_gpio_line_info *out)
{
    struct gpiod_line_info *info = gpiod_chip_get_line_info(self->chip, offset);
    if (!info)
        return -errno;
    roost_gpio_copy_name(out->name, gpiod_line_info_get_name(info));
    roost_gpio_copy_name(out->consumer, gpiod_line_info_get_consumer(info));
    out->is_used = gpiod_line_info_is_used(info);
    out->is_output = gpiod_line_info_get_direction(info) == GPIOD_LINE_DIRECTION_OUTPUT;
    out->is_active_low = gpiod_line_info_is_active_low(info);
    gpiod_line_info_free(info);
    return 0;
}

static enum gpiod_line_edge edge_of(enum roost_gpio_edges edges)
{
    switch (edges) {
    case ROOST_GPIO_EDGES_RISING: return GPIOD_LINE_EDGE_RISING;
    case ROOST_GPIO_EDGES_FALLING: return GPIOD_LINE_EDGE_FALLING;
    case ROOST_GPIO_EDGES_BOTH: return GPIOD_LINE_EDGE_BOTH;
    default: return GPIOD_LINE_EDGE_NONE;
    }
}

static enum gpiod_line_bias bias_of(enum roost_gpio_bias bias)
{
    switch (bias) {
    case ROOST_GPIO_BIAS_DISABLED: return GPIOD_LINE_BIAS_DISABLED;
    case ROOST_GPIO_BIAS_PULL_UP: return GPIOD_LINE_BIAS_PULL_UP;
    case ROOST_GPIO_BIAS_PULL_DOWN: return GPIOD_LINE_BIAS_PULL_DOWN;
    default: return GPIOD_LINE_BIAS_AS_IS;
    }
}

/* Settings that all lines of the request share; values are set apart. */
static int configure(
    struct gpiod_line_settings *settings, struct gpiod_line_config *config,
    const struct roost_gpio_request *request)
{
    int failed = 0;
    if (request->initial_values) {
        failed |= gpiod_line_settings_set_direction(settings, GPIOD_LINE_DIRECTION_OUTPUT);
    } else {
        failed |= gpiod_line_settings_set_direction(settings, GPIOD_LINE_DIRECTION_INPUT);
        failed |= gpiod_line_settings_set_edge_detection(settings, edge_of(request->edges));
        failed |= gpiod_line_settings_set_bias(settings, bias_of(request->bias));
        gpiod_line_settings_set_debounce_period_us(settings, request->debounce_us);
    }
    gpiod_line_settings_set_active_low(settings, request->is_active_low);
    failed |= gpiod_line_config_add_line_settings(
        config, request->offsets, request->line_count, settings);
    if (!failed && request->initial_values) {
        enum gpiod_line_value values[ROOST_GPIO_MAX_LINES];
        for (uint32_t index = 0; index < request->line_count; index++)
            values[index] = request->initial_values[index] ? GPIOD_LINE_VALUE_ACTIVE
                                                           : GPIOD_LINE_VALUE_INACTIVE;
        failed |= gpiod_line_config_set_output_values(config, values, request->line_count);
    }
    return failed;
}

static struct gpiod_line_request *ask(
    struct gpiod_chip *chip, const struct roost_gpio_request *request)
{
    struct gpiod_line_settings *settings = gpiod_line_settings_new();
    struct gpiod_line_config *config = gpiod_line_config_new();
    struct gpiod_request_config *about = gpiod_request_config_new();
    struct gpiod_line_request *result = NULL;
    if (settings && config && about && configure(settings, config, request) == 0) {
        gpiod_request_config_set_consumer(about, request->consumer);
        result = gpiod_chip_request_lines(chip, about, config);
    }
    int error = errno;
    gpiod_request_config_free(about);
    gpiod_line_config_free(config);
    gpiod_line_settings_free(settings);
    errno = error;
    return result;
}

struct roost_gpio_lines *roost_gpio_request_lines(
    const char *path, const struct roost_gpio_request *request, int *error)
{
    struct gpiod_chip *chip = gpiod_chip_open(path);
    if (!chip) {
        *error = errno;
        return NULL;
    }
    struct roost_gpio_lines *self = calloc(1, sizeof(*self));
    if (self && !(self->request = ask(chip, request)))
        *error = errno;
    else if (self && request->edges
             && !(self->buffer = gpiod_edge_event_buffer_new(ROOST_GPIO_MAX_EVENTS)))
        *error = ENOMEM;
    else if (self) {
        self->count = request->line_count;
        memcpy(self->offsets, request->offsets, request->line_count * sizeof(uint32_t));
        roost_gpio_make_nonblocking(gpiod_line_request_get_fd(self->request));
        gpiod_chip_close(chip);
        return self;
    } else
        *error = ENOMEM;
    if (self && self->request)
        gpiod_line_request_release(self->request);
    free(self);
    gpiod_chip_close(chip);
    return NULL;
}

void roost_gpio_release(struct roost_gpio_lines *self)
{
    if (self->buffer)
        gpiod_edge_event_buffer_free(self->buffer);
    gpiod_line_request_release(self->request);
    free(self);
}

int roost_gpio_get(struct roost_gpio_lines *self, uint8_t *values)
{
    enum gpiod_line_value found[ROOST_GPIO_MAX_LINES];
    if (gpiod_line_request_get_values(self->request, found) != 0)
        return -errno;
    for (uint32_t index = 0; index < self->count; index++)
        values[index] = found[index] == GPIOD_LINE_VALUE_ACTIVE;
    return 0;
}

int roost_gpio_set(struct roost_gpio_lines *self, const uint8_t *values)
{
    enum gpiod_line_value wanted[ROOST_GPIO_MAX_LINES];
    for (uint32_t index = 0; index < self->count; index++)
        wanted[index] = values[index] ? GPIOD_LINE_VALUE_ACTIVE : GPIOD_LINE_VALUE_INACTIVE;
    return gpiod_line_request_set_values(self->request, wanted) == 0 ? 0 : -errno;
}

int roost_gpio_fd(struct roost_gpio_lines *self)
{
    return self->buffer ? gpiod_line_request_get_fd(self->request) : -1;
}

static uint32_t index_of(const struct roost_gpio_lines *self, uint32_t offset)
{
    uint32_t index = 0;
    while (index + 1 < self->count && self->offsets[index] != offset)
        index++;
    return index;
}

int roost_gpio_read(struct roost_gpio_lines *self, struct roost_gpio_event *events)
{
    int count = gpiod_line_request_read_edge_events(
        self->request, self->buffer, ROOST_GPIO_MAX_EVENTS);
    if (count < 0)
        return -errno;
    int64_t suspended = roost_gpio_suspended_ns(&self->suspended_ns);
    for (int index = 0; index < count; index++) {
        struct gpiod_edge_event *event =
            gpiod_edge_event_buffer_get_event(self->buffer, (unsigned long)index);
        events[index] = (struct roost_gpio_event) {
            .instant_ns = (int64_t)gpiod_edge_event_get_timestamp_ns(event) + suspended,
            .line = index_of(self, gpiod_edge_event_get_line_offset(event)),
            .sequence = (uint32_t)gpiod_edge_event_get_line_seqno(event),
            .is_rising = gpiod_edge_event_get_event_type(event) == GPIOD_EDGE_EVENT_RISING_EDGE,
        };
    }
    return count;
}

#else
typedef int roost_gpio_version2_is_empty; /* ISO C wants a declaration in each file. */
#endif
