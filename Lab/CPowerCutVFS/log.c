#define _GNU_SOURCE
#include "internal.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

struct powercut_log {
    struct powercut_log *next;
    char folder[PATH_MAX];
    size_t references;
    bool is_closed;
    struct powercut_operation *operations;
    size_t count;
    size_t capacity;
    size_t byte_count;
    uint64_t tried;
    uint64_t fault_first;
    uint64_t fault_count;
    enum powercut_fault fault;
};

/* One lock for all logs: they are many only in tests, and held for a copy at most. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct powercut_log *logs;

struct powercut_log *powercut_log_open(const char *folder) {
    struct powercut_log *log = calloc(1, sizeof *log);
    if (!log || !realpath(folder, log->folder)) {
        free(log);
        return NULL;
    }
    log->references = 1;
    pthread_mutex_lock(&lock);
    log->next = logs;
    logs = log;
    pthread_mutex_unlock(&lock);
    return log;
}

/* With the lock held. */
static void clear(struct powercut_log *log) {
    for (size_t i = 0; i < log->count; i++) {
        free((void *)log->operations[i].name);
        free((void *)log->operations[i].bytes);
    }
    log->count = 0;
    log->byte_count = 0;
}

void powercut_log_clear(struct powercut_log *log) {
    pthread_mutex_lock(&lock);
    clear(log);
    pthread_mutex_unlock(&lock);
}

/* With the lock held. */
static void release(struct powercut_log *log) {
    if (--log->references > 0) return;
    clear(log);
    free(log->operations);
    free(log);
}

void powercut_release(struct powercut_log *log) {
    if (!log) return;
    pthread_mutex_lock(&lock);
    release(log);
    pthread_mutex_unlock(&lock);
}

void powercut_log_close(struct powercut_log *log) {
    pthread_mutex_lock(&lock);
    for (struct powercut_log **at = &logs; *at; at = &(*at)->next) {
        if (*at != log) continue;
        *at = log->next;
        break;
    }
    log->is_closed = true;
    release(log);
    pthread_mutex_unlock(&lock);
}

struct powercut_log *powercut_find(const char *path, const char **name) {
    const char *slash = path ? strrchr(path, '/') : NULL;
    if (!slash) return NULL;
    char folder[PATH_MAX];
    char resolved[PATH_MAX];
    size_t length = (size_t)(slash - path);
    if (length >= sizeof folder) return NULL;
    memcpy(folder, path, length);
    folder[length] = 0;
    if (!realpath(folder, resolved)) return NULL;
    pthread_mutex_lock(&lock);
    struct powercut_log *log = logs;
    while (log && strcmp(log->folder, resolved) != 0) log = log->next;
    if (log) log->references++;
    pthread_mutex_unlock(&lock);
    *name = slash + 1;
    return log;
}

enum powercut_fault powercut_try(struct powercut_log *log, enum powercut_kind kind) {
    if (!log) return POWERCUT_FAULT_NONE;
    pthread_mutex_lock(&lock);
    uint64_t number = log->tried++;
    bool is_hit = !log->is_closed && number >= log->fault_first
        && number - log->fault_first < log->fault_count;
    enum powercut_fault fault = is_hit ? log->fault : POWERCUT_FAULT_NONE;
    pthread_mutex_unlock(&lock);
    /* A full card still takes what needs no room. */
    bool needs_room = kind == POWERCUT_CREATE || kind == POWERCUT_WRITE;
    if (fault == POWERCUT_FAULT_FULL && !needs_room) return POWERCUT_FAULT_NONE;
    return fault;
}

static void *copy_of(const void *bytes, size_t count) {
    void *copy = malloc(count ? count : 1);
    if (copy && count) memcpy(copy, bytes, count);
    return copy;
}

/* With the lock held. */
static int make_room(struct powercut_log *log, size_t count) {
    if (log->byte_count + count > POWERCUT_LOG_MAX_BYTES) return -1;
    if (log->count < log->capacity) return 0;
    size_t capacity = log->capacity ? 2 * log->capacity : 64;
    void *grown = realloc(log->operations, capacity * sizeof *log->operations);
    if (!grown) return -1;
    log->operations = grown;
    log->capacity = capacity;
    return 0;
}

int powercut_append(struct powercut_log *log, struct powercut_operation operation) {
    if (!log) return 0;
    const char *name = operation.name ? operation.name : "";
    pthread_mutex_lock(&lock);
    int result = 0;
    if (!log->is_closed) {
        result = make_room(log, operation.count);
        operation.name = result ? NULL : copy_of(name, strlen(name) + 1);
        operation.bytes = result ? NULL : copy_of(operation.bytes, operation.count);
        if (!result && operation.name && operation.bytes) {
            log->operations[log->count++] = operation;
            log->byte_count += operation.count;
        } else {
            free((void *)operation.name);
            free((void *)operation.bytes);
            result = -1;
        }
    }
    pthread_mutex_unlock(&lock);
    return result;
}

size_t powercut_log_count(struct powercut_log *log) {
    pthread_mutex_lock(&lock);
    size_t count = log->count;
    pthread_mutex_unlock(&lock);
    return count;
}

struct powercut_operation powercut_log_get(struct powercut_log *log, size_t index) {
    struct powercut_operation operation = {0};
    pthread_mutex_lock(&lock);
    if (index < log->count) operation = log->operations[index];
    pthread_mutex_unlock(&lock);
    return operation;
}

void powercut_log_mark(struct powercut_log *log, int64_t number) {
    powercut_append(log, (struct powercut_operation){.kind = POWERCUT_MARK, .offset = number});
}

void powercut_log_fail(
    struct powercut_log *log, uint64_t first, uint64_t count, enum powercut_fault fault) {
    pthread_mutex_lock(&lock);
    log->fault_first = first;
    log->fault_count = count;
    log->fault = fault;
    pthread_mutex_unlock(&lock);
}

uint64_t powercut_log_tried(struct powercut_log *log) {
    pthread_mutex_lock(&lock);
    uint64_t tried = log->tried;
    pthread_mutex_unlock(&lock);
    return tried;
}

static int note(const char *path, struct powercut_operation operation) {
    const char *name = NULL;
    struct powercut_log *log = powercut_find(path, &name);
    if (!log) return 0;
    operation.name = operation.kind == POWERCUT_SYNC_FOLDER ? NULL : name;
    int result = 0;
    switch (powercut_try(log, operation.kind)) {
    case POWERCUT_FAULT_NONE: result = powercut_append(log, operation) ? ENOMEM : 0; break;
    case POWERCUT_FAULT_IO: result = EIO; break;
    case POWERCUT_FAULT_FULL: result = ENOSPC; break;
    case POWERCUT_FAULT_READ_ONLY: result = EROFS; break;
    }
    powercut_release(log);
    return result;
}

int powercut_note_create(const char *path) {
    return note(path, (struct powercut_operation){.kind = POWERCUT_CREATE});
}

int powercut_note_write(const char *path, int64_t offset, const uint8_t *bytes, size_t count) {
    return note(
        path,
        (struct powercut_operation){
            .kind = POWERCUT_WRITE, .offset = offset, .bytes = bytes, .count = count});
}

int powercut_note_truncate(const char *path, int64_t size) {
    return note(path, (struct powercut_operation){.kind = POWERCUT_TRUNCATE, .offset = size});
}

int powercut_note_sync(const char *path) {
    return note(path, (struct powercut_operation){.kind = POWERCUT_SYNC});
}

int powercut_note_delete(const char *path) {
    return note(path, (struct powercut_operation){.kind = POWERCUT_DELETE});
}

int powercut_note_rename(const char *path, const char *new_name) {
    return note(
        path,
        (struct powercut_operation){
            .kind = POWERCUT_RENAME,
            .bytes = (const uint8_t *)new_name,
            .count = strlen(new_name)});
}

int powercut_note_sync_folder(const char *path) {
    return note(path, (struct powercut_operation){.kind = POWERCUT_SYNC_FOLDER});
}
