/* What the 1.6 and the 2.x half share. */
#ifndef ROOST_GPIO_INTERNAL_H
#define ROOST_GPIO_INTERNAL_H

#include <errno.h>
#include <fcntl.h>
#include <gpiod.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "CGPIOD.h"

/* Only the 1.x header has bulks. */
#ifdef GPIOD_LINE_BULK_MAX_LINES
#define ROOST_GPIO_V1 1
#endif

static inline void roost_gpio_copy_name(char *to, const char *from)
{
    memset(to, 0, ROOST_GPIO_NAME_SIZE);
    if (from)
        strncpy(to, from, ROOST_GPIO_NAME_SIZE - 1);
}

/* CLOCK_BOOTTIME minus CLOCK_MONOTONIC: how long the machine has been suspended. The two cannot be
 * read at once, so what was `known` is kept until it is 1 ms off: events keep their distances. */
static inline int64_t roost_gpio_suspended_ns(int64_t *known)
{
    struct timespec boot, mono;
    clock_gettime(CLOCK_MONOTONIC, &mono);
    clock_gettime(CLOCK_BOOTTIME, &boot);
    int64_t found = (boot.tv_sec - mono.tv_sec) * INT64_C(1000000000)
        + (boot.tv_nsec - mono.tv_nsec);
    if (llabs(found - *known) > 1000000)
        *known = found;
    return *known;
}

static inline void roost_gpio_make_nonblocking(int fd)
{
    int flags = fcntl(fd, F_GETFL);
    if (flags >= 0)
        fcntl(fd, F_SETFL, flags | O_NONBLOCK);
}

#endif
