/* Another moment, for checks and tests whose result must not hang on the hour.
 *
 * Preloaded into a process (LD_PRELOAD), it moves the wall clock and the times of files by
 * ROOST_MOMENT seconds. The clocks that count since the boot stay.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
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
    if (state == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE))
        moment->tv_sec += moved();
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

static int shifted(int state, struct stat *found) {
    if (state == 0) {
        found->st_atim.tv_sec += moved();
        found->st_mtim.tv_sec += moved();
        found->st_ctim.tv_sec += moved();
    }
    return state;
}

static int look(int folder, const char *path, struct stat *found, int flags) {
    static int (*next)(int, const char *, struct stat *, int);
    if (!next) next = (int (*)(int, const char *, struct stat *, int))dlsym(RTLD_NEXT, "fstatat");
    return shifted(next(folder, path, found, flags), found);
}

/* Both names: programs with large files have the second; on 64 bits the structure is the same. */
#define LOOKS(suffix)                                                                         \
    int fstatat##suffix(int folder, const char *restrict path,                               \
                        struct stat##suffix *restrict found, int flags) {                    \
        return look(folder, path, (struct stat *)found, flags);                              \
    }                                                                                        \
    int stat##suffix(const char *restrict path, struct stat##suffix *restrict found) {       \
        return look(AT_FDCWD, path, (struct stat *)found, 0);                                \
    }                                                                                        \
    int lstat##suffix(const char *restrict path, struct stat##suffix *restrict found) {      \
        return look(AT_FDCWD, path, (struct stat *)found, AT_SYMLINK_NOFOLLOW);              \
    }                                                                                        \
    int fstat##suffix(int file, struct stat##suffix *found) {                                \
        return look(file, "", (struct stat *)found, AT_EMPTY_PATH);                          \
    }
LOOKS()
LOOKS(64)

static int set(int folder, const char *path, const struct timespec *times, int flags) {
    struct timespec plain[2];
    for (int i = 0; times && i < 2; i++) {
        plain[i] = times[i];
        if (plain[i].tv_nsec != UTIME_NOW && plain[i].tv_nsec != UTIME_OMIT)
            plain[i].tv_sec -= moved();
    }
    return (int)syscall(SYS_utimensat, folder, path, times ? plain : NULL, flags);
}

int utimensat(int folder, const char *path, const struct timespec times[2], int flags) {
    return set(folder, path, times, flags);
}

int futimens(int file, const struct timespec times[2]) { return set(file, NULL, times, 0); }
