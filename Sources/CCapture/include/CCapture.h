// A program in a process group of its own that cannot outlive who started it.
#ifndef CCAPTURE_H
#define CCAPTURE_H

// Starts `arguments` (the path or name of a program, its arguments, a null pointer) with `output`
// as its standard output, nothing as its input, and `environment` (a null pointer behind it).
//
// A guard process is put between the two: it leads the group, and kills it as soon as the other end
// of `*lifeline` is closed, by whatever end of the process that has it. Returns the guard's id,
// which is also the group's; -1 and errno on failure. The guard ends as the program did: its exit
// code, or 128 and the number of its signal; 127 when it could not be started.
int ccapture_start(char *const arguments[], char *const environment[], int output, int *lifeline);

// A descriptor that is readable once the process has ended; -1 and errno on failure.
int ccapture_watch(int process);

// Kills the process of such a descriptor, and no other that got its id since; -1 and errno on
// failure.
int ccapture_kill(int watch);

// A descriptor that wakes a thread out of `poll`; it does not block. -1 and errno on failure.
int ccapture_bell(void);

// Makes the reading end of a pipe not block, with room for `byte_count` bytes if the kernel
// allows it.
void ccapture_stream(int output, int byte_count);

#endif
