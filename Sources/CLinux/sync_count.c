#define _GNU_SOURCE
#include "CLinux.h"

#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>

// The kernel counts the bytes of a process, not its syncs. Two names of the C library are taken
// over so that every sync is counted, SQLite's library as well as our own code: a
// program's symbols come before those of its libraries. Both do what they always do.

static atomic_long sync_count;

long clinux_sync_count(void) { return atomic_load_explicit(&sync_count, memory_order_relaxed); }

int fsync(int fd) {
    atomic_fetch_add_explicit(&sync_count, 1, memory_order_relaxed);
    return (int)syscall(SYS_fsync, fd);
}

int fdatasync(int fd) {
    atomic_fetch_add_explicit(&sync_count, 1, memory_order_relaxed);
    return (int)syscall(SYS_fdatasync, fd);
}
