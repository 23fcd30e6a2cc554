// A camera of the kernel (V4L2), read by mapped buffers, and pictures of it as JPEG.
//
// Each function returns 0, or an error number of errno.
#ifndef CCAMERA_H
#define CCAMERA_H

#include <stddef.h>
#include <stdint.h>

#define CCAMERA_BUFFERS 4
#define CCAMERA_SIDE_MAX 16384

// What one device node is: its driver's words, and whether it gives pictures as a stream.
struct ccamera_node {
    char driver[17];
    char card[33];
    char bus[33];
    int is_camera;
};

int ccamera_query(int fd, struct ccamera_node *node);

// The pixel format with this index (a fourcc, first letter lowest); EINVAL behind the last one.
int ccamera_format(int fd, uint32_t index, uint32_t *pixel_format);

// Asks for a format and a size; what the camera gives instead is in the arguments. `stride` is the
// bytes of a row, 0 for a compressed one.
int ccamera_set(int fd, uint32_t pixel_format, uint32_t *width, uint32_t *height, uint32_t *stride);

// Asks for pictures per second; ENOTTY where the camera has no such setting.
int ccamera_rate(int fd, uint32_t frames_per_second);

struct ccamera_buffers {
    void *starts[CCAMERA_BUFFERS];
    size_t lengths[CCAMERA_BUFFERS];
    uint32_t count;
};

// Maps the buffers and starts the stream.
int ccamera_begin(int fd, struct ccamera_buffers *buffers);

// The next filled buffer; EAGAIN when there is none. `is_whole` is 0 where the driver lost data.
int ccamera_take(int fd, uint32_t *index, uint32_t *used, int *is_whole);

// Gives a buffer back to be filled.
int ccamera_give(int fd, uint32_t index);

// Stops the stream and unmaps.
void ccamera_end(int fd, struct ccamera_buffers *buffers);

// Encodes YUYV (4:2:2) as JPEG, by the system's libturbojpeg, which is loaded at the first call.
//
// `quality` is 1...100. ENOSYS when there is no such library, EINVAL when it refuses. The caller
// frees `*picture` by `ccamera_free`.
int ccamera_jpeg(const uint8_t *pixels, uint32_t width, uint32_t height, uint32_t stride,
                 int quality, uint8_t **picture, size_t *size);
void ccamera_free(uint8_t *picture);

#define CCAMERA_COVERED_PIXELS_MAX (16 << 20)

// A part of a picture, in thousandths of its width and height.
struct ccamera_area {
    int left, top, width, height;
};

// Whether the system has the libturbojpeg that `ccamera_cover` needs.
int ccamera_can_cover(void);

// Makes parts of a JPEG black; all blocks that touch none of them stay as they are, bit by bit.
//
// Nothing but the picture itself is left: no markers, no small picture within it. ENOSYS without
// libturbojpeg, EINVAL for what it cannot change, EFBIG for more pixels than the bound. The caller
// frees `*covered` by `ccamera_cover_free`.
int ccamera_cover(const uint8_t *picture, size_t size, const struct ccamera_area *areas,
                  size_t count, uint8_t **covered, size_t *covered_size);
void ccamera_cover_free(uint8_t *covered);

#endif
