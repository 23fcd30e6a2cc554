#ifndef CPOWERCUTVFS_INTERNAL_H
#define CPOWERCUTVFS_INTERNAL_H

#include "CPowerCutVFS.h"

/* The log of the folder that holds the file, held for the caller, or NULL; *name: the rest. */
struct powercut_log *powercut_find(const char *path, const char **name);
void powercut_release(struct powercut_log *log);

/* Counts the operation as tried: the fault it shall meet. */
enum powercut_fault powercut_try(struct powercut_log *log, enum powercut_kind kind);
/* Appends a copy; -1 when memory or the log is out. */
int powercut_append(struct powercut_log *log, struct powercut_operation operation);

#endif
