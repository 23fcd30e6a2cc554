#include "CCamera.h"

#include <errno.h>
#include <linux/videodev2.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>

static int ask(int fd, unsigned long request, void *argument) {
    while (ioctl(fd, request, argument) != 0) {
        if (errno != EINTR) return errno;
    }
    return 0;
}

int ccamera_query(int fd, struct ccamera_node *node) {
    struct v4l2_capability found = {0};
    int error = ask(fd, VIDIOC_QUERYCAP, &found);
    if (error) return error;
    memset(node, 0, sizeof *node);
    memcpy(node->driver, found.driver, sizeof found.driver);
    memcpy(node->card, found.card, sizeof found.card);
    memcpy(node->bus, found.bus_info, sizeof found.bus_info);
    // The capabilities of this node: a UVC camera has a second node, for its metadata.
    uint32_t able = found.capabilities;
    if (able & V4L2_CAP_DEVICE_CAPS) able = found.device_caps;
    node->is_camera = (able & V4L2_CAP_VIDEO_CAPTURE) && (able & V4L2_CAP_STREAMING) &&
                      !(able & (V4L2_CAP_VIDEO_M2M | V4L2_CAP_VIDEO_OUTPUT |
                                V4L2_CAP_IO_MC));
    return 0;
}

int ccamera_format(int fd, uint32_t index, uint32_t *pixel_format) {
    struct v4l2_fmtdesc found = {.index = index, .type = V4L2_BUF_TYPE_VIDEO_CAPTURE};
    int error = ask(fd, VIDIOC_ENUM_FMT, &found);
    *pixel_format = found.pixelformat;
    return error;
}

int ccamera_set(int fd, uint32_t pixel_format, uint32_t *width, uint32_t *height,
                uint32_t *stride) {
    struct v4l2_format wanted = {.type = V4L2_BUF_TYPE_VIDEO_CAPTURE};
    wanted.fmt.pix.width = *width;
    wanted.fmt.pix.height = *height;
    wanted.fmt.pix.pixelformat = pixel_format;
    wanted.fmt.pix.field = V4L2_FIELD_ANY;
    int error = ask(fd, VIDIOC_S_FMT, &wanted);
    if (error) return error;
    *width = wanted.fmt.pix.width;
    *height = wanted.fmt.pix.height;
    *stride = wanted.fmt.pix.bytesperline;
    if (*stride == 0 && pixel_format == V4L2_PIX_FMT_YUYV) *stride = *width * 2;
    if (*width > CCAMERA_SIDE_MAX || *height > CCAMERA_SIDE_MAX) return EINVAL;
    return wanted.fmt.pix.pixelformat == pixel_format ? 0 : EINVAL;
}

int ccamera_rate(int fd, uint32_t frames_per_second) {
    struct v4l2_streamparm wanted = {.type = V4L2_BUF_TYPE_VIDEO_CAPTURE};
    wanted.parm.capture.timeperframe = (struct v4l2_fract){1, frames_per_second};
    return ask(fd, VIDIOC_S_PARM, &wanted);
}

int ccamera_begin(int fd, struct ccamera_buffers *buffers) {
    struct v4l2_requestbuffers wanted = {
        .count = CCAMERA_BUFFERS, .type = V4L2_BUF_TYPE_VIDEO_CAPTURE, .memory = V4L2_MEMORY_MMAP};
    memset(buffers, 0, sizeof *buffers);
    int error = ask(fd, VIDIOC_REQBUFS, &wanted);
    if (error) return error;
    if (wanted.count == 0) return ENOMEM;
    if (wanted.count > CCAMERA_BUFFERS) wanted.count = CCAMERA_BUFFERS;
    for (uint32_t index = 0; index < wanted.count && !error; index++) {
        struct v4l2_buffer buffer = {
            .index = index, .type = V4L2_BUF_TYPE_VIDEO_CAPTURE, .memory = V4L2_MEMORY_MMAP};
        error = ask(fd, VIDIOC_QUERYBUF, &buffer);
        if (error) break;
        void *start =
            mmap(NULL, buffer.length, PROT_READ | PROT_WRITE, MAP_SHARED, fd, buffer.m.offset);
        if (start == MAP_FAILED) {
            error = errno;
            break;
        }
        buffers->starts[index] = start;
        buffers->lengths[index] = buffer.length;
        buffers->count = index + 1;
        error = ccamera_give(fd, index);
    }
    int type = V4L2_BUF_TYPE_VIDEO_CAPTURE;
    if (!error) error = ask(fd, VIDIOC_STREAMON, &type);
    if (error) ccamera_end(fd, buffers);
    return error;
}

int ccamera_take(int fd, uint32_t *index, uint32_t *used, int *is_whole) {
    struct v4l2_buffer buffer = {.type = V4L2_BUF_TYPE_VIDEO_CAPTURE, .memory = V4L2_MEMORY_MMAP};
    int error = ask(fd, VIDIOC_DQBUF, &buffer);
    *index = buffer.index;
    *used = buffer.bytesused;
    *is_whole = !(buffer.flags & V4L2_BUF_FLAG_ERROR);
    return error;
}

int ccamera_give(int fd, uint32_t index) {
    struct v4l2_buffer buffer = {
        .index = index, .type = V4L2_BUF_TYPE_VIDEO_CAPTURE, .memory = V4L2_MEMORY_MMAP};
    return ask(fd, VIDIOC_QBUF, &buffer);
}

void ccamera_end(int fd, struct ccamera_buffers *buffers) {
    int type = V4L2_BUF_TYPE_VIDEO_CAPTURE;
    ask(fd, VIDIOC_STREAMOFF, &type);
    for (uint32_t index = 0; index < buffers->count; index++) {
        munmap(buffers->starts[index], buffers->lengths[index]);
    }
    buffers->count = 0;
}
