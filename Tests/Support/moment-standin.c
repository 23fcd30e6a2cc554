/* Another moment, for checks and tests whose result must not hang on the hour.
 *
 * Preloaded into a process (LD_PRELOAD), it moves the wall clock by ROOST_MOMENT seconds. The clocks
 * that count since the boot stay, as do the times of files.
 */
#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static time_t moved(void) {
    const char *seconds = getenv("ROOST_MOMENT");
    return seconds ? (time_t)atoll(seconds) : 0;
}

int clock_gettime(clockid_t clock, struct timespec *moment) {
    long state = syscall(SYS_clock_gettime, clock, moment);
    if (state == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) moment->tv_sec += moved();
    return (int)state;
}

int gettimeofday(struct timeval *restrict moment, void *restrict zone) {
    struct timespec now;
    (void)zone;
    if (clock_gettime(CLOCK_REALTIME, &now) != 0) return -1;
    moment->tv_sec = now.tv_sec;
    moment->tv_usec = now.tv_nsec / 1000;
    return 0;
}

time_t time(time_t *moment) {
    struct timespec now;
    if (clock_gettime(CLOCK_REALTIME, &now) != 0) return -1;
    if (moment) *moment = now.tv_sec;
    return now.tv_sec;
}

int timespec_get(struct timespec *moment, int base) {
    return base == TIME_UTC && clock_gettime(CLOCK_REALTIME, moment) == 0 ? base : 0;
}
