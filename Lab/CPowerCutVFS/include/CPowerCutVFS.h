/*
 * Records what is written to the files of a folder, so that a power cut can be played at any point.
 *
 * The VFS "powercut" lies over SQLite's default one. Files directly in a folder that has a log are
 * recorded, all others pass through untouched. Syncs of recorded files are noted and not done: the
 * test decides what the card kept. Locks and shared memory pass through; there is no memory map.
 * Safe to call from any thread.
 */
#ifndef CPOWERCUTVFS_H
#define CPOWERCUTVFS_H

#include <stddef.h>
#include <stdint.h>

/* Bytes that one log holds; at the bound operations fail as if memory had run out. */
#define POWERCUT_LOG_MAX_BYTES ((size_t)1 << 30)

enum powercut_kind {
    POWERCUT_CREATE = 1,      /* name */
    POWERCUT_WRITE = 2,       /* name, offset, bytes */
    POWERCUT_TRUNCATE = 3,    /* name, offset: the new size */
    POWERCUT_SYNC = 4,        /* name */
    POWERCUT_DELETE = 5,      /* name */
    POWERCUT_RENAME = 6,      /* name, bytes: the new name */
    POWERCUT_SYNC_FOLDER = 7, /* nothing */
    POWERCUT_MARK = 8,        /* offset: the caller's number; no operation, never fails */
};

enum powercut_fault {
    POWERCUT_FAULT_NONE = 0,
    POWERCUT_FAULT_IO = 1,        /* EIO */
    POWERCUT_FAULT_FULL = 2,      /* ENOSPC; syncs and deletes still work */
    POWERCUT_FAULT_READ_ONLY = 3, /* EROFS */
};

struct powercut_operation {
    enum powercut_kind kind;
    int64_t offset;
    const char *name;     /* within the folder; valid until the log is closed */
    const uint8_t *bytes; /* likewise */
    size_t count;
};

struct powercut_log;

/* Registers the VFS, once; 0 or a SQLite result code. */
int powercut_register(void);

/* Starts a log for a folder that exists and has none; NULL when memory is short. */
struct powercut_log *powercut_log_open(const char *folder);
/* Stops recording. Files still open pass through from here on. */
void powercut_log_close(struct powercut_log *log);

size_t powercut_log_count(struct powercut_log *log);
struct powercut_operation powercut_log_get(struct powercut_log *log, size_t index);
/* Forgets the operations so far: names and bytes that were got are no longer valid. */
void powercut_log_clear(struct powercut_log *log);
void powercut_log_mark(struct powercut_log *log, int64_t number);

/* Fails the operations first ..< first + count, numbered from 0 without marks. */
void powercut_log_fail(
    struct powercut_log *log, uint64_t first, uint64_t count, enum powercut_fault fault);
/* Operations tried so far, failed ones too. */
uint64_t powercut_log_tried(struct powercut_log *log);

/*
 * For files that are not SQLite's: note what is about to be done. 0: do it. Otherwise the errno to
 * fail with instead. A path outside every recorded folder is not noted, and is never failed.
 */
int powercut_note_create(const char *path);
int powercut_note_write(const char *path, int64_t offset, const uint8_t *bytes, size_t count);
int powercut_note_truncate(const char *path, int64_t size);
int powercut_note_sync(const char *path);
int powercut_note_delete(const char *path);
int powercut_note_rename(const char *path, const char *new_name);
int powercut_note_sync_folder(const char *path_of_any_file_in_it);

/* SQLite's nonces start anew from the seed, not 0, in the whole process. */
void powercut_fix_randomness(int seed);

#endif
