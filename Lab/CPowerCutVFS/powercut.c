#include "internal.h"

#include <pthread.h>
#include <sqlite3.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Followed in memory by the file of the VFS below. */
struct file {
    sqlite3_file base;
    /* NULL: not recorded. */
    struct powercut_log *log;
    char *name;
    /* The first sync of a new journal also syncs the folder: os_unix.c, UNIXFILE_DIRSYNC. */
    bool syncs_folder;
};

static sqlite3_file *below(sqlite3_file *file) {
    return (sqlite3_file *)((struct file *)file + 1);
}

static sqlite3_vfs *vfs_below(sqlite3_vfs *vfs) { return vfs->pAppData; }

/* The code SQLite's unix VFS would return for the fault; `otherwise` for EIO and EROFS. */
static int code_of(enum powercut_fault fault, int otherwise) {
    if (fault == POWERCUT_FAULT_NONE) return SQLITE_OK;
    return fault == POWERCUT_FAULT_FULL ? SQLITE_FULL : otherwise;
}

static int append(struct powercut_log *log, struct powercut_operation operation) {
    return powercut_append(log, operation) ? SQLITE_NOMEM : SQLITE_OK;
}

static int file_close(sqlite3_file *base) {
    struct file *file = (struct file *)base;
    int code = below(base)->pMethods->xClose(below(base));
    powercut_release(file->log);
    free(file->name);
    file->log = NULL;
    file->name = NULL;
    return code;
}

static int file_read(sqlite3_file *base, void *bytes, int count, sqlite3_int64 offset) {
    return below(base)->pMethods->xRead(below(base), bytes, count, offset);
}

static int file_write(sqlite3_file *base, const void *bytes, int count, sqlite3_int64 offset) {
    struct file *file = (struct file *)base;
    int code = code_of(powercut_try(file->log, POWERCUT_WRITE), SQLITE_IOERR_WRITE);
    if (code) return code;
    code = below(base)->pMethods->xWrite(below(base), bytes, count, offset);
    if (code) return code;
    return append(
        file->log,
        (struct powercut_operation){
            .kind = POWERCUT_WRITE,
            .offset = offset,
            .name = file->name,
            .bytes = bytes,
            .count = (size_t)count});
}

static int file_truncate(sqlite3_file *base, sqlite3_int64 size) {
    struct file *file = (struct file *)base;
    int code = code_of(powercut_try(file->log, POWERCUT_TRUNCATE), SQLITE_IOERR_TRUNCATE);
    if (code) return code;
    code = below(base)->pMethods->xTruncate(below(base), size);
    if (code) return code;
    return append(
        file->log,
        (struct powercut_operation){
            .kind = POWERCUT_TRUNCATE, .offset = size, .name = file->name});
}

static int file_sync(sqlite3_file *base, int flags) {
    struct file *file = (struct file *)base;
    if (!file->log) return below(base)->pMethods->xSync(below(base), flags);
    int code = code_of(powercut_try(file->log, POWERCUT_SYNC), SQLITE_IOERR_FSYNC);
    if (code) return code;
    code = append(
        file->log, (struct powercut_operation){.kind = POWERCUT_SYNC, .name = file->name});
    if (code || !file->syncs_folder) return code;
    file->syncs_folder = false;
    code = code_of(powercut_try(file->log, POWERCUT_SYNC_FOLDER), SQLITE_IOERR_DIR_FSYNC);
    if (code) return code;
    return append(file->log, (struct powercut_operation){.kind = POWERCUT_SYNC_FOLDER});
}

static int file_size(sqlite3_file *base, sqlite3_int64 *size) {
    return below(base)->pMethods->xFileSize(below(base), size);
}

static int file_lock(sqlite3_file *base, int level) {
    return below(base)->pMethods->xLock(below(base), level);
}

static int file_unlock(sqlite3_file *base, int level) {
    return below(base)->pMethods->xUnlock(below(base), level);
}

static int file_check_lock(sqlite3_file *base, int *is_reserved) {
    return below(base)->pMethods->xCheckReservedLock(below(base), is_reserved);
}

static int file_control(sqlite3_file *base, int operation, void *argument) {
    /* Both would write below us, unseen. */
    if (operation == SQLITE_FCNTL_SIZE_HINT || operation == SQLITE_FCNTL_CHUNK_SIZE) {
        return SQLITE_NOTFOUND;
    }
    return below(base)->pMethods->xFileControl(below(base), operation, argument);
}

static int file_sector_size(sqlite3_file *base) {
    return below(base)->pMethods->xSectorSize(below(base));
}

static int file_characteristics(sqlite3_file *base) {
    /* F2FS's atomic batches would bypass the log. */
    return below(base)->pMethods->xDeviceCharacteristics(below(base))
        & ~SQLITE_IOCAP_BATCH_ATOMIC;
}

static int file_shm_map(
    sqlite3_file *base, int region, int size, int extend, void volatile **memory) {
    return below(base)->pMethods->xShmMap(below(base), region, size, extend, memory);
}

static int file_shm_lock(sqlite3_file *base, int offset, int count, int flags) {
    return below(base)->pMethods->xShmLock(below(base), offset, count, flags);
}

static void file_shm_barrier(sqlite3_file *base) {
    below(base)->pMethods->xShmBarrier(below(base));
}

static int file_shm_unmap(sqlite3_file *base, int is_deleted) {
    return below(base)->pMethods->xShmUnmap(below(base), is_deleted);
}

/* Version 2: shared memory for the write-ahead log, no memory map. */
static const sqlite3_io_methods methods = {
    .iVersion = 2,
    .xClose = file_close,
    .xRead = file_read,
    .xWrite = file_write,
    .xTruncate = file_truncate,
    .xSync = file_sync,
    .xFileSize = file_size,
    .xLock = file_lock,
    .xUnlock = file_unlock,
    .xCheckReservedLock = file_check_lock,
    .xFileControl = file_control,
    .xSectorSize = file_sector_size,
    .xDeviceCharacteristics = file_characteristics,
    .xShmMap = file_shm_map,
    .xShmLock = file_shm_lock,
    .xShmBarrier = file_shm_barrier,
    .xShmUnmap = file_shm_unmap,
};

/* Opens below, noting the file's creation; the fault a creation meets comes first. */
static int open_below(
    sqlite3_vfs *vfs, const char *path, struct file *file, int flags, int *out_flags) {
    sqlite3_vfs *real = vfs_below(vfs);
    int exists = 1;
    if (file->log && flags & SQLITE_OPEN_CREATE) {
        real->xAccess(real, path, SQLITE_ACCESS_EXISTS, &exists);
    }
    if (!exists) {
        int code = code_of(powercut_try(file->log, POWERCUT_CREATE), SQLITE_CANTOPEN);
        if (code) return code;
    }
    int code = real->xOpen(real, path, below(&file->base), flags, out_flags);
    if (code || exists) return code;
    return append(
        file->log, (struct powercut_operation){.kind = POWERCUT_CREATE, .name = file->name});
}

static int vfs_open(
    sqlite3_vfs *vfs, const char *path, sqlite3_file *base, int flags, int *out_flags) {
    struct file *file = (struct file *)base;
    const char *name = NULL;
    memset(file, 0, sizeof *file);
    memset(below(base), 0, sizeof *below(base));
    /* Temporary files are gone after a power cut in any case. */
    bool is_temporary = !path || flags & SQLITE_OPEN_DELETEONCLOSE;
    file->log = is_temporary ? NULL : powercut_find(path, &name);
    file->name = file->log ? strdup(name) : NULL;
    int journals = SQLITE_OPEN_MAIN_JOURNAL | SQLITE_OPEN_SUPER_JOURNAL | SQLITE_OPEN_WAL;
    file->syncs_folder = flags & SQLITE_OPEN_CREATE && flags & journals;
    int code = open_below(vfs, path, file, flags, out_flags);
    if (below(base)->pMethods) {
        /* SQLite closes what has methods, whether or not the opening failed. */
        base->pMethods = &methods;
    } else {
        powercut_release(file->log);
        free(file->name);
    }
    return code;
}

static int vfs_delete(sqlite3_vfs *vfs, const char *path, int syncs_folder) {
    sqlite3_vfs *real = vfs_below(vfs);
    const char *name = NULL;
    struct powercut_log *log = powercut_find(path, &name);
    if (!log) return real->xDelete(real, path, syncs_folder);
    int exists = 0;
    int code = real->xAccess(real, path, SQLITE_ACCESS_EXISTS, &exists);
    if (!code && !exists) code = SQLITE_IOERR_DELETE_NOENT;
    if (!code) code = code_of(powercut_try(log, POWERCUT_DELETE), SQLITE_IOERR_DELETE);
    if (!code) code = real->xDelete(real, path, 0);
    if (!code) {
        code = append(log, (struct powercut_operation){.kind = POWERCUT_DELETE, .name = name});
    }
    if (!code && syncs_folder) {
        code = code_of(powercut_try(log, POWERCUT_SYNC_FOLDER), SQLITE_IOERR_DIR_FSYNC);
        if (!code) code = append(log, (struct powercut_operation){.kind = POWERCUT_SYNC_FOLDER});
    }
    powercut_release(log);
    return code;
}

static int vfs_access(sqlite3_vfs *vfs, const char *path, int flags, int *result) {
    return vfs_below(vfs)->xAccess(vfs_below(vfs), path, flags, result);
}

static int vfs_full_path(sqlite3_vfs *vfs, const char *path, int size, char *full) {
    return vfs_below(vfs)->xFullPathname(vfs_below(vfs), path, size, full);
}

static int vfs_randomness(sqlite3_vfs *vfs, int count, char *bytes) {
    return vfs_below(vfs)->xRandomness(vfs_below(vfs), count, bytes);
}

static int vfs_sleep(sqlite3_vfs *vfs, int microseconds) {
    return vfs_below(vfs)->xSleep(vfs_below(vfs), microseconds);
}

static int vfs_current_time(sqlite3_vfs *vfs, double *time) {
    return vfs_below(vfs)->xCurrentTime(vfs_below(vfs), time);
}

static int vfs_last_error(sqlite3_vfs *vfs, int size, char *words) {
    return vfs_below(vfs)->xGetLastError(vfs_below(vfs), size, words);
}

static sqlite3_vfs powercut = {
    .iVersion = 1,
    .zName = "powercut",
    .xOpen = vfs_open,
    .xDelete = vfs_delete,
    .xAccess = vfs_access,
    .xFullPathname = vfs_full_path,
    .xRandomness = vfs_randomness,
    .xSleep = vfs_sleep,
    .xCurrentTime = vfs_current_time,
    .xGetLastError = vfs_last_error,
};

static int registered;

static void register_once(void) {
    sqlite3_vfs *real = sqlite3_vfs_find(NULL);
    if (!real) {
        registered = SQLITE_ERROR;
        return;
    }
    powercut.pAppData = real;
    powercut.mxPathname = real->mxPathname;
    powercut.szOsFile = (int)sizeof(struct file) + real->szOsFile;
    registered = sqlite3_vfs_register(&powercut, 0);
}

int powercut_register(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, register_once);
    return registered;
}

void powercut_fix_randomness(int seed) {
    sqlite3_test_control(SQLITE_TESTCTRL_PRNG_SEED, seed, NULL);
}
