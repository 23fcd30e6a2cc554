#include "CCamera.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

// TurboJPEG's transforms, in its API since version 1.4. They work on the coded blocks of a picture:
// all blocks that are not covered stay as they are, bit by bit.
typedef void *handle;
struct region {
    int x, y, w, h;
};
struct transform {
    struct region region;
    int operation, options;
    void *data;
    int (*filter)(short *blocks, struct region row, struct region plane, int part, int number,
                  struct transform *transform);
};
// No operation but the filter; none of the other markers, which may hold a small picture of it all.
enum { no_operation = 0, copy_none = 64, limit_scans = 32768, warning = 0 };

static struct {
    handle (*begin)(void);
    int (*transform)(handle, const unsigned char *, unsigned long, int, unsigned char **,
                     unsigned long *, struct transform *, int);
    int (*error)(handle);
    int (*end)(handle);
    void (*release)(unsigned char *);
} library;

static int load(void) {
    void *found = dlopen("libturbojpeg.so.0", RTLD_NOW | RTLD_LOCAL);
    if (!found) return 0;
    *(void **)&library.begin = dlsym(found, "tjInitTransform");
    *(void **)&library.transform = dlsym(found, "tjTransform");
    *(void **)&library.error = dlsym(found, "tjGetErrorCode");
    *(void **)&library.end = dlsym(found, "tjDestroy");
    *(void **)&library.release = dlsym(found, "tjFree");
    if (library.begin && library.transform && library.error && library.end && library.release)
        return 1;
    dlclose(found);
    return 0;
}

// Only what was found is kept: a library that is installed later is used without a restart.
int ccamera_can_cover(void) {
    static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    static int is_loaded;
    pthread_mutex_lock(&mutex);
    if (!is_loaded) is_loaded = load();
    int can = is_loaded;
    pthread_mutex_unlock(&mutex);
    return can;
}

// The parts of a picture as its frame header has them.
enum { parts_max = 4, block = 8, coefficients = 64 };
struct part {
    int across, down, table;
};
struct header {
    int width, height, count, across_max, down_max, is_rgb;
    struct part parts[parts_max];
    // The divisor of a block's mean, by table.
    int divisors[4];
};

static int word(const uint8_t *bytes) { return bytes[0] << 8 | bytes[1]; }

static int read_tables(const uint8_t *bytes, size_t length, struct header *header) {
    while (length > 0) {
        int wide = bytes[0] >> 4, table = bytes[0] & 15;
        size_t size = 1 + coefficients * (wide ? 2 : 1);
        if (table > 3 || length < size) return EINVAL;
        header->divisors[table] = wide ? word(bytes + 1) : bytes[1];
        bytes += size;
        length -= size;
    }
    return 0;
}

static int read_frame(const uint8_t *bytes, size_t length, struct header *header) {
    if (length < 6 || bytes[0] != 8) return EINVAL;
    header->height = word(bytes + 1);
    header->width = word(bytes + 3);
    header->count = bytes[5];
    if (header->count < 1 || header->count > parts_max) return EINVAL;
    if (length < 6 + 3 * (size_t)header->count) return EINVAL;
    for (int index = 0; index < header->count; index++) {
        const uint8_t *at = bytes + 6 + 3 * index;
        struct part part = {at[1] >> 4, at[1] & 15, at[2]};
        if (part.across < 1 || part.across > 4 || part.down < 1 || part.down > 4 || part.table > 3)
            return EINVAL;
        if (part.across > header->across_max) header->across_max = part.across;
        if (part.down > header->down_max) header->down_max = part.down;
        header->parts[index] = part;
    }
    // Components by these names are no brightness and colour.
    if (header->count == 3 && bytes[6] == 'R' && bytes[9] == 'G') header->is_rgb = 1;
    return header->width > 0 && header->height > 0 ? 0 : EINVAL;
}

// Reads the segments up to the first scan.
static int read_header(const uint8_t *bytes, size_t size, struct header *header) {
    size_t index = 2;
    while (index + 4 <= size && bytes[index] == 0xFF) {
        int marker = bytes[index + 1];
        if (marker == 0xFF) {
            index++;
            continue;
        }
        size_t length = word(bytes + index + 2);
        if (marker == 0xDA) return header->count ? 0 : EINVAL;
        if (length < 2 || index + 2 + length > size) return EINVAL;
        const uint8_t *content = bytes + index + 4;
        int error = 0;
        switch (marker) {
        case 0xDB: error = read_tables(content, length - 2, header); break;
        // Baseline, extended and progressive, also arithmetic.
        case 0xC0: case 0xC1: case 0xC2: case 0xC9: case 0xCA:
            if (header->count) return EINVAL;
            error = read_frame(content, length - 2, header);
            break;
        // Adobe's marker: its last byte is 0 where the components are red, green and blue.
        case 0xEE:
            if (length >= 14 && memcmp(content, "Adobe", 5) == 0 && content[11] == 0)
                header->is_rgb = 1;
            break;
        default: break;
        }
        if (error) return error;
        index += 2 + length;
    }
    return EINVAL;
}

struct task {
    struct header header;
    const struct ccamera_area *areas;
    size_t count;
};

// Whether blocks of a part touch a side of an area, in 1/1000 of the picture; outwards.
static int touches(long first, int factor, int factor_max, long side, long from, long length) {
    // From the part's pixels to the picture's: times factor_max / factor.
    long begin = first * factor_max * 1000, end = (first + block) * factor_max * 1000;
    return begin < (from + length) * side * factor && end > from * side * factor;
}

static int blacken(short *blocks, struct region row, struct region plane, int number, int unused,
                   struct transform *transform) {
    (void)plane, (void)unused;
    struct task *task = transform->data;
    struct header *header = &task->header;
    if (number >= header->count) return -1;
    struct part part = header->parts[number];
    // The first component is the brightness, and a colour is none at 0.
    int is_light = number == 0 || header->is_rgb, divisor = header->divisors[part.table];
    short mean = is_light && divisor > 0 ? (short)(-1024 / divisor) : 0;
    for (size_t index = 0; index < task->count; index++) {
        struct ccamera_area area = task->areas[index];
        if (!touches(row.y, part.down, header->down_max, header->height, area.top, area.height))
            continue;
        for (int x = 0; x < row.w; x += block) {
            if (!touches(row.x + x, part.across, header->across_max, header->width, area.left,
                         area.width))
                continue;
            short *one = blocks + (size_t)x / block * coefficients;
            memset(one, 0, coefficients * sizeof *one);
            one[0] = mean;
        }
    }
    return 0;
}

int ccamera_cover(const uint8_t *picture, size_t size, const struct ccamera_area *areas,
                  size_t count, uint8_t **covered, size_t *covered_size) {
    *covered = NULL;
    if (!ccamera_can_cover()) return ENOSYS;
    struct task task = {.areas = areas, .count = count};
    int error = size < 4 ? EINVAL : read_header(picture, size, &task.header);
    if (error) return error;
    // All blocks are in memory at once, with up to 6 bytes for each pixel.
    if ((long)task.header.width * task.header.height > CCAMERA_COVERED_PIXELS_MAX) return EFBIG;
    handle one = library.begin();
    if (!one) return ENOMEM;
    struct transform transform = {.operation = no_operation, .options = copy_none,
                                  .data = &task, .filter = blacken};
    unsigned long length = 0;
    int status =
        library.transform(one, picture, size, 1, covered, &length, &transform, limit_scans);
    // A warning is of a picture that is cut or has bytes too many: its blocks are covered, too.
    if (status != 0 && library.error(one) != warning) error = EINVAL;
    library.end(one);
    if (!error && (!*covered || length == 0)) error = EINVAL;
    if (error) {
        ccamera_cover_free(*covered);
        *covered = NULL;
    }
    *covered_size = length;
    return error;
}

void ccamera_cover_free(uint8_t *covered) {
    if (covered && library.release) library.release(covered);
}
