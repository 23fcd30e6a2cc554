/* The clock of a machine that a time server has set, for checks on one that has no time server.
 *
 * Preloaded into a process (LD_PRELOAD), it says so in the kernel's place; the time itself is the
 * machine's.
 */
#define _GNU_SOURCE
#include <sys/syscall.h>
#include <sys/timex.h>
#include <unistd.h>

int adjtimex(struct timex *reply) {
    long state = syscall(SYS_clock_adjtime, 0 /* CLOCK_REALTIME */, reply);
    if (state < 0) return -1;
    reply->status &= ~STA_UNSYNC;
    return state == TIME_ERROR ? TIME_OK : (int)state;
}
