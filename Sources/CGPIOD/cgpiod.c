/* What is the same for both versions of libgpiod. */
#include "internal.h"

#include <dirent.h>
#include <stdio.h>
#include <sys/stat.h>

static int is_chip_name(const struct dirent *entry)
{
    return strncmp(entry->d_name, "gpiochip", 8) == 0;
}

int roost_gpio_chip_numbers(uint32_t *numbers, uint32_t capacity)
{
    struct dirent **entries;
    int count = scandir("/dev", &entries, is_chip_name, NULL);
    if (count < 0)
        return errno == ENOENT ? 0 : -errno;
    uint32_t found = 0;
    for (int index = 0; index < count; index++) {
        char path[64], *end;
        unsigned long number = strtoul(entries[index]->d_name + 8, &end, 10);
        snprintf(path, sizeof(path), "/dev/gpiochip%lu", number);
        /* A link such as the Pi's gpiochip4 names a chip that has its own number. */
        struct stat status;
        bool is_link = lstat(path, &status) == 0 && S_ISLNK(status.st_mode);
        bool is_number = *end == '\0' && end != entries[index]->d_name + 8;
        if (is_number && !is_link && found < capacity)
            numbers[found++] = (uint32_t)number;
        free(entries[index]);
    }
    free(entries);
    return (int)found;
}
