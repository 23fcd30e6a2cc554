// Runs a program and writes which of its functions it enters, each once, in the order of entry.
//
// usage: calls SECONDS FUNCTIONS PROGRAM…
// FUNCTIONS: a file of hexadecimal addresses in the program, one a line. On standard output: those
// entered from the start on, then after SECONDS a line `again` and those entered from then on,
// until SIGTERM, which is passed on to the program, and a line `end`.
//
// A breakpoint at the beginning of each function, removed when it is met, costs one stop each.

#define _GNU_SOURCE
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#ifdef __x86_64__
static const unsigned char trap[] = {0xCC};
enum { BEHIND_TRAP = 1 };
#define PROGRAM_COUNTER rip
#else
static const unsigned char trap[] = {0x00, 0x00, 0x20, 0xD4};  // brk #0
enum { BEHIND_TRAP = 0 };
#define PROGRAM_COUNTER pc
#endif

struct function {
    uint64_t offset;
    unsigned char code[sizeof trap];
    int is_set;
};

static struct function *functions;
static size_t function_count;
static uint64_t base;
static int memory = -1;
static pid_t program;
static volatile sig_atomic_t is_again, is_ending;

static void forward(int number) {
    if (number == SIGALRM) is_again = 1; else is_ending = 1;
    kill(program, number == SIGALRM ? SIGSTOP : number);
}

static void read_functions(const char *path) {
    FILE *file = fopen(path, "r");
    unsigned long long offset;
    if (file == NULL) exit(2);
    while (fscanf(file, "%llx", &offset) == 1) {
        if ((function_count & (function_count - 1)) == 0)
            functions = realloc(functions, (function_count * 2 + 1) * sizeof *functions);
        if (functions == NULL) exit(1);
        functions[function_count++] = (struct function){.offset = offset};
    }
    fclose(file);
}

static int compare(const void *left, const void *right) {
    uint64_t a = ((const struct function *)left)->offset;
    uint64_t b = ((const struct function *)right)->offset;
    return a < b ? -1 : a > b;
}

// The start of the program's first mapping.
static void find_base(void) {
    char path[64], line[512];
    snprintf(path, sizeof path, "/proc/%d/maps", program);
    FILE *file = fopen(path, "r");
    if (file == NULL || fgets(line, sizeof line, file) == NULL) exit(1);
    base = strtoull(line, NULL, 16);
    fclose(file);
    snprintf(path, sizeof path, "/proc/%d/mem", program);
    memory = open(path, O_RDWR | O_CLOEXEC);
    if (memory < 0) exit(1);
}

static void set_traps(void) {
    for (size_t index = 0; index < function_count; index++) {
        struct function *each = &functions[index];
        off_t place = (off_t)(base + each->offset);
        if (each->is_set || pread(memory, each->code, sizeof trap, place) != sizeof trap) continue;
        each->is_set = pwrite(memory, trap, sizeof trap, place) == sizeof trap;
    }
}

// Whether a thread stopped at a breakpoint; then it goes on as if there were none.
static int pass_trap(pid_t thread) {
    struct user_regs_struct registers;
    struct iovec room = {&registers, sizeof registers};
    if (ptrace(PTRACE_GETREGSET, thread, NT_PRSTATUS, &room) != 0) return 0;
    struct function key = {.offset = registers.PROGRAM_COUNTER - BEHIND_TRAP - base};
    struct function *found =
        bsearch(&key, functions, function_count, sizeof *functions, compare);
    if (found == NULL) return 0;
    if (found->is_set) {
        printf("%llx\n", (unsigned long long)found->offset);
        (void)!pwrite(memory, found->code, sizeof trap, (off_t)(base + found->offset));
        found->is_set = 0;
    }
    registers.PROGRAM_COUNTER -= BEHIND_TRAP;
    ptrace(PTRACE_SETREGSET, thread, NT_PRSTATUS, &room);
    return 1;
}

static void follow(void) {
    int status;
    for (;;) {
        pid_t thread = waitpid(-1, &status, __WALL);
        if (thread < 0 && errno == EINTR) continue;
        if (thread < 0) return;
        if (!WIFSTOPPED(status)) continue;
        int number = WSTOPSIG(status);
        if (is_ending == 1) {
            is_ending = 2;
            puts("end");
        }
        if (number == SIGTRAP && (status >> 16 != 0 || pass_trap(thread))) number = 0;
        if (number == SIGSTOP) number = 0;
        if (is_again == 1) {
            is_again = 2;
            puts("again");
            set_traps();
        }
        ptrace(PTRACE_CONT, thread, 0, number);
    }
}

int main(int argc, char **argv) {
    if (argc < 4) return 2;
    read_functions(argv[2]);
    qsort(functions, function_count, sizeof *functions, compare);
    program = fork();
    if (program < 0) return 1;
    if (program == 0) {
        ptrace(PTRACE_TRACEME, 0, 0, 0);
        execv(argv[3], argv + 3);
        _exit(127);
    }
    int status;
    if (waitpid(program, &status, 0) < 0 || !WIFSTOPPED(status)) {
        fprintf(stderr, "calls: %s cannot be traced\n", argv[3]);
        return 1;
    }
    ptrace(PTRACE_SETOPTIONS, program, 0, PTRACE_O_EXITKILL | PTRACE_O_TRACECLONE);
    find_base();
    set_traps();
    signal(SIGTERM, forward);
    signal(SIGALRM, forward);
    alarm((unsigned)atoi(argv[1]));
    ptrace(PTRACE_CONT, program, 0, 0);
    follow();
    return 0;
}
