/*
 * Parts on I2C without hardware: stands in for the kernel below /dev/i2c-N.
 *
 * Preloaded into a process (LD_PRELOAD), it answers for each /dev/i2c-N that its script names, in
 * whichever folder, as Linux does (Documentation/i2c/dev-interface): open, I2C_SLAVE, write, read,
 * and what SMBus has to look at a part: quick write, receive and send byte, a register of one byte
 * or two. What it does not name goes on to the real kernel.
 *
 *   ROOST_I2C_SCRIPT  file that is read anew for each call, so that a test changes it meanwhile: a
 *                     line "BUS ADDRESS COMMAND ANSWER", numbers as 1 and 44, bytes as hexadecimal
 *                     digits: after COMMAND was written, ANSWER is read, as often as asked. A
 *                     COMMAND without ANSWER is acknowledged and read as what was read before it;
 *                     what is written and not named is not acknowledged. The COMMAND "-" is none:
 *                     what is read before one. A longer read than ANSWER ends with FF, as of a bus
 *                     that only its resistor holds. An address with any COMMAND acknowledges a
 *                     quick write; a register is its number as a COMMAND.
 *   ROOST_I2C_TRACE   file that gets "BUS ADDRESS w BYTES" or "BUS ADDRESS r COUNT" for each that
 *                     succeeded.
 *
 * In place of COMMAND a fault of an address, or of all with the address "*":
 *   !busy      a driver of the kernel has the address (EBUSY)
 *   !denied    the bus may not be opened (EACCES)
 *   !nack      nothing acknowledges (EREMOTEIO)
 *   !timeout   a transfer ends with ETIMEDOUT, after 20 ms instead of a second
 *   !hang      a transfer does not come back before the line is gone
 *   !low       the data wire is at ground: all is acknowledged, all that is read is 00
 *
 * Bounds: 256 lines, 64 descriptors, 32 bytes of a command.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/i2c-dev.h>
#include <linux/i2c.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { LINES = 256, FILES = 64, COMMAND = 32, ANSWER = 128, DIGITS = 2 * ANSWER + 1 };

#define NONE "-" /* The command of a part that got none. */
#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

struct line {
    int bus, address; /* -1 for all addresses. */
    char command[2 * COMMAND + 1], answer[DIGITS];
};

struct file {
    bool used;
    int fd, bus, address;
    char command[2 * COMMAND + 1]; /* The last that has an answer since the address was set. */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct file files[FILES];

static int fail(int error)
{
    errno = error;
    return -1;
}

static void pause_for(long milliseconds)
{
    struct timespec time = { .tv_nsec = milliseconds * 1000000 };
    nanosleep(&time, NULL);
}

/* The script's lines of a bus; returns how many. */
static int read_script(int bus, struct line *lines)
{
    const char *path = getenv("ROOST_I2C_SCRIPT");
    FILE *script = path ? fopen(path, "re") : NULL;
    if (!script)
        return 0;
    char text[512], address[8];
    int count = 0;
    while (count < LINES && fgets(text, sizeof(text), script)) {
        struct line *line = &lines[count];
        line->answer[0] = '\0';
        if (sscanf(text, "%d %7s %64s %256s", &line->bus, address, line->command, line->answer) < 3
            || line->bus != bus)
            continue;
        line->address = strcmp(address, "*") == 0 ? -1 : (int)strtol(address, NULL, 16);
        count++;
    }
    fclose(script);
    return count;
}

/* The script's line of an address and a command, NULL for any; false without one. */
static bool find(const struct file *file, const char *command, struct line *found)
{
    struct line lines[LINES];
    int count = read_script(file->bus, lines);
    for (int index = 0; index < count; index++) {
        if (lines[index].address != -1 && lines[index].address != file->address)
            continue;
        if (command ? strcmp(lines[index].command, command) == 0 : lines[index].command[0] != '!') {
            *found = lines[index];
            return true;
        }
    }
    return false;
}

static bool has(const struct file *file, const char *fault)
{
    struct line ignored;
    return find(file, fault, &ignored);
}

/* The error of a transfer that a fault makes, 0 for none; waits while it hangs. */
static int fault_of(const struct file *file)
{
    while (has(file, "!hang"))
        pause_for(20);
    if (has(file, "!timeout")) {
        pause_for(20);
        return ETIMEDOUT;
    }
    return has(file, "!nack") ? EREMOTEIO : 0;
}

static void trace(const struct file *file, char way, const char *text)
{
    const char *path = getenv("ROOST_I2C_TRACE");
    FILE *output = path ? fopen(path, "ae") : NULL;
    if (!output)
        return;
    fprintf(output, "%d %02x %c %s\n", file->bus, (unsigned)file->address, way, text);
    fclose(output);
}

/* The N of /dev/i2c-N when the script has it, or -1. */
static int bus_of(const char *path)
{
    int bus, end = 0;
    const char *device = path ? strstr(path, "/dev/i2c-") : NULL;
    if (!device || sscanf(device, "/dev/i2c-%d%n", &bus, &end) != 1 || device[end] != '\0')
        return -1;
    struct line lines[LINES];
    return read_script(bus, lines) > 0 ? bus : -1;
}

/* A copy of ours, as the call may hang while others open; false for a descriptor of another. */
static bool ours(int fd, struct file *copy)
{
    bool found = false;
    pthread_mutex_lock(&lock);
    for (int index = 0; index < FILES && !found; index++)
        if (files[index].used && files[index].fd == fd) {
            *copy = files[index];
            found = true;
        }
    pthread_mutex_unlock(&lock);
    return found;
}

static void put(const struct file *changed)
{
    pthread_mutex_lock(&lock);
    for (int index = 0; index < FILES; index++)
        if (files[index].used && files[index].fd == changed->fd)
            files[index] = *changed;
    pthread_mutex_unlock(&lock);
}

static int open_bus(int bus)
{
    struct file file = { .used = true, .bus = bus, .address = -1 };
    if (has(&file, "!denied"))
        return fail(EACCES);
    file.fd = REAL(open)("/dev/null", O_RDWR | O_CLOEXEC);
    pthread_mutex_lock(&lock);
    for (int index = 0; index < FILES && file.fd >= 0; index++)
        if (!files[index].used) {
            files[index] = file;
            pthread_mutex_unlock(&lock);
            return file.fd;
        }
    pthread_mutex_unlock(&lock);
    return fail(EMFILE);
}

/* Bytes to a part; without one, its address alone. */
static ssize_t send_bytes(struct file *file, const uint8_t *from, size_t size)
{
    int fault = fault_of(file);
    if (fault || size > COMMAND)
        return fail(fault ? fault : EINVAL);
    char command[2 * COMMAND + 1] = "";
    for (size_t index = 0; index < size; index++)
        snprintf(command + 2 * index, 3, "%02x", from[index]);
    struct line line;
    if (!has(file, "!low")) {
        if (!find(file, size ? command : NULL, &line))
            return fail(EREMOTEIO);
        if (size && line.answer[0])
            strcpy(file->command, command);
        put(file);
    }
    trace(file, 'w', command);
    return (ssize_t)size;
}

static ssize_t receive_bytes(const struct file *file, uint8_t *to, size_t size)
{
    int fault = fault_of(file);
    if (fault)
        return fail(fault);
    struct line line;
    bool is_low = has(file, "!low");
    if (!is_low && !find(file, file->command, &line))
        return fail(EREMOTEIO);
    memset(to, is_low ? 0x00 : 0xFF, size);
    for (size_t index = 0; !is_low && index < size && line.answer[2 * index]; index++) {
        const char digits[3] = { line.answer[2 * index], line.answer[2 * index + 1], '\0' };
        to[index] = (uint8_t)strtoul(digits, NULL, 16);
    }
    char count[16];
    snprintf(count, sizeof(count), "%zu", size);
    trace(file, 'r', count);
    return (ssize_t)size;
}

/* What SMBus makes of writes and reads; nothing that writes to a register. */
static int smbus(struct file *file, const struct i2c_smbus_ioctl_data *call)
{
    bool is_read = call->read_write == I2C_SMBUS_READ, is_word = call->size == I2C_SMBUS_WORD_DATA;
    bool is_register = is_word || call->size == I2C_SMBUS_BYTE_DATA;
    if (call->size == I2C_SMBUS_QUICK && !is_read)
        return (int)send_bytes(file, NULL, 0);
    if (call->size == I2C_SMBUS_BYTE && !is_read)
        return send_bytes(file, &call->command, 1) < 0 ? -1 : 0;
    if (!is_read || (call->size != I2C_SMBUS_BYTE && !is_register))
        return fail(EOPNOTSUPP);
    uint8_t bytes[2];
    if ((is_register && send_bytes(file, &call->command, 1) < 0)
        || receive_bytes(file, bytes, is_word ? 2 : 1) < 0)
        return -1;
    if (is_word) /* The low byte comes first. */
        call->data->word = (uint16_t)(bytes[0] | bytes[1] << 8);
    else
        call->data->byte = bytes[0];
    return 0;
}

/* --- What a program calls ------------------------------------------------------------------- */

int open(const char *path, int flags, ...)
{
    va_list arguments;
    va_start(arguments, flags);
    mode_t mode = flags & (O_CREAT | __O_TMPFILE) ? va_arg(arguments, mode_t) : 0;
    va_end(arguments);
    int bus = bus_of(path);
    return bus >= 0 ? open_bus(bus) : REAL(open)(path, flags, mode);
}

int ioctl(int fd, unsigned long number, ...)
{
    va_list arguments;
    va_start(arguments, number);
    void *argument = va_arg(arguments, void *);
    va_end(arguments);
    struct file file;
    if (!ours(fd, &file))
        return REAL(ioctl)(fd, number, argument);
    if (number == I2C_FUNCS) {
        *(unsigned long *)argument = I2C_FUNC_I2C | I2C_FUNC_SMBUS_QUICK | I2C_FUNC_SMBUS_BYTE
            | I2C_FUNC_SMBUS_READ_BYTE_DATA | I2C_FUNC_SMBUS_READ_WORD_DATA;
        return 0;
    }
    if (number == I2C_SMBUS)
        return smbus(&file, argument);
    if (number != I2C_SLAVE)
        return fail(ENOTTY);
    file.address = (int)(intptr_t)argument;
    strcpy(file.command, NONE);
    if (has(&file, "!busy"))
        return fail(EBUSY);
    put(&file);
    return 0;
}

ssize_t write(int fd, const void *from, size_t size)
{
    struct file file;
    return ours(fd, &file) ? send_bytes(&file, from, size) : REAL(write)(fd, from, size);
}

ssize_t read(int fd, void *to, size_t size)
{
    struct file file;
    return ours(fd, &file) ? receive_bytes(&file, to, size) : REAL(read)(fd, to, size);
}

int close(int fd)
{
    pthread_mutex_lock(&lock);
    for (int index = 0; index < FILES; index++)
        if (files[index].used && files[index].fd == fd)
            files[index].used = false;
    pthread_mutex_unlock(&lock);
    return REAL(close)(fd);
}
