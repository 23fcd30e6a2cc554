#define _GNU_SOURCE
#include "CCapture.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

int ccapture_watch(int process) { return (int)syscall(SYS_pidfd_open, process, 0); }

static void close_from(unsigned int first) {
    if (syscall(SYS_close_range, first, ~0U, 0) == 0) return;
    for (int fd = (int)first; fd < 1024; fd++) close(fd);  // Before Linux 5.9.
}

// Signals as a program expects them; the threads of a daemon block all.
static void reset_signals(void) {
    sigset_t none;
    signal(SIGPIPE, SIG_DFL);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
}

int ccapture_kill(int watch) {
    return (int)syscall(SYS_pidfd_send_signal, watch, SIGKILL, NULL, 0);
}

_Noreturn static void run_program(char *const arguments[], char *const environment[],
                                  pid_t guard) {
    // Also when the guard alone is killed. The kernel forgets this when a program with other rights
    // is started, which `NoNewPrivileges` of the unit excludes.
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != guard) _exit(127);
    close_from(3);
    execvpe(arguments[0], arguments, environment);
    _exit(127);
}

// Only calls that are safe after a fork of a process with threads.
_Noreturn static void run_guard(char *const arguments[], char *const environment[],
                                int lifeline) {
    pid_t guard = getpid();
    setpgid(0, 0);
    reset_signals();
    pid_t program = fork();
    if (program < 0) _exit(127);
    if (program == 0) run_program(arguments, environment, guard);
    // So that the end of the output is the program's.
    close(1);
    if (dup2(lifeline, 3) < 0) kill(0, SIGKILL);
    close_from(4);
    int ending = ccapture_watch(program);
    struct pollfd sets[2] = {{3, POLLIN, 0}, {ending, POLLIN, 0}};
    while (poll(sets, ending < 0 ? 1 : 2, -1) < 0 && errno == EINTR) {
    }
    int status = 0;
    if (sets[0].revents || waitpid(program, &status, 0) < 0) kill(0, SIGKILL);
    _exit(WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
}

int ccapture_start(char *const arguments[], char *const environment[], int output,
                   int *lifeline) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) return -1;
    pid_t guard = fork();
    if (guard == 0) {
        int nothing = open("/dev/null", O_RDONLY);
        if (nothing < 0 || dup2(output, 1) < 0 || dup2(nothing, 0) < 0) _exit(127);
        close(ends[1]);
        run_guard(arguments, environment, ends[0]);
    }
    int code = errno;
    close(ends[0]);
    if (guard < 0) {
        close(ends[1]);
        errno = code;
        return -1;
    }
    // Both do it, so that the group is there before either goes on.
    setpgid(guard, guard);
    *lifeline = ends[1];
    return guard;
}

int ccapture_bell(void) { return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK); }

void ccapture_stream(int output, int byte_count) {
    fcntl(output, F_SETFL, O_NONBLOCK);
    fcntl(output, F_SETPIPE_SZ, byte_count);
}
