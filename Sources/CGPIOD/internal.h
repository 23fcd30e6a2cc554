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

/* CLOCK_BOOTTIME minus CLOCK_MONOTONIC: how long the machine has been suspended. The clocks are read
 * one after the other, so the difference is never too small; the least of three is kept. */
static inline int64_t roost_gpio_suspended_ns(void)
{
    int64_t least = INT64_MAX;
    for (int attempt = 0; attempt < 3; attempt++) {
        struct timespec boot, mono;
        clock_gettime(CLOCK_MONOTONIC, &mono);
        clock_gettime(CLOCK_BOOTTIME, &boot);
        int64_t difference = (boot.tv_sec - mono.tv_sec) * INT64_C(1000000000)
            + (boot.tv_nsec - mono.tv_nsec);
        if (difference < least)
            least = difference;
    }
    return least;
}

static inline void roost_gpio_make_nonblocking(int fd)
{
    int flags = fcntl(fd, F_GETFL);
    if (flags >= 0)
        fcntl(fd, F_SETFL, flags | O_NONBLOCK);
}

#endif
