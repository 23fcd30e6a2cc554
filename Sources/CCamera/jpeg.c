#include "CCamera.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>

// The names, the arguments and the two constants of TurboJPEG's API, which have been the same since
// its version 1.4. Loaded and not linked: only cameras that give no JPEG need it.
typedef void *encoder;
enum { samples_422 = 1 };
static struct {
    encoder (*begin)(void);
    int (*compress)(encoder, const unsigned char **planes, int width, const int *strides,
                    int height, int samples, unsigned char **picture, unsigned long *size,
                    int quality, int flags);
    int (*end)(encoder);
    void (*release)(unsigned char *);
} library;

static int load(void) {
    if (library.begin) return 0;
    void *found = dlopen("libturbojpeg.so.0", RTLD_NOW | RTLD_LOCAL);
    if (!found) return ENOSYS;
    *(void **)&library.compress = dlsym(found, "tjCompressFromYUVPlanes");
    *(void **)&library.end = dlsym(found, "tjDestroy");
    *(void **)&library.release = dlsym(found, "tjFree");
    void *begin = dlsym(found, "tjInitCompress");
    if (!library.compress || !library.end || !library.release || !begin) return ENOSYS;
    *(void **)&library.begin = begin;
    return 0;
}

int ccamera_jpeg(const uint8_t *pixels, uint32_t width, uint32_t height, uint32_t stride,
                 int quality, uint8_t **picture, size_t *size) {
    int error = load();
    if (error) return error;
    width &= ~1u;  // Two pixels share their colour.
    size_t half = width / 2, count = (size_t)width * height;
    if (count == 0 || width > CCAMERA_SIDE_MAX || height > CCAMERA_SIDE_MAX) return EINVAL;
    if (stride < width * 2) return EINVAL;
    uint8_t *planes = malloc(count * 2);
    if (!planes) return ENOMEM;
    uint8_t *light = planes, *blue = planes + count, *red = blue + count / 2;
    for (uint32_t row = 0; row < height; row++) {
        const uint8_t *pair = pixels + (size_t)row * stride;
        for (size_t column = 0; column < half; column++, pair += 4) {
            *light++ = pair[0];
            *blue++ = pair[1];
            *light++ = pair[2];
            *red++ = pair[3];
        }
    }
    const unsigned char *places[3] = {planes, planes + count, planes + count + count / 2};
    const int strides[3] = {(int)width, (int)half, (int)half};
    unsigned long length = 0;
    *picture = NULL;
    encoder one = library.begin();
    if (!one) {
        error = ENOMEM;
    } else if (library.compress(one, places, (int)width, strides, (int)height, samples_422, picture,
                                &length, quality, 0)) {
        error = EINVAL;
    }
    if (one) library.end(one);
    free(planes);
    if (error) ccamera_free(*picture);
    *size = length;
    return error;
}

void ccamera_free(uint8_t *picture) {
    if (picture && library.release) library.release(picture);
}
