// A V4L2 camera that is none, for a program that is started with this library in LD_PRELOAD.
//
// cc -O2 -shared -fPIC -o camera.so camera.c -ldl
// CAMERA_FRAME is a file with a JPEG, CAMERA_RATE frames a second; the device is /dev/no-camera.
// Its descriptor is a timer, so that select and poll work as with a camera; a frame costs one copy.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/videodev2.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

enum { BUFFERS = 8, ROOM = 1 << 20 };
static const char *const device = "/dev/no-camera";
static int camera = -1;
static void *buffers[BUFFERS];
static int is_queued[BUFFERS], next_buffer;
static unsigned count = BUFFERS, sequence;
static unsigned char frame[ROOM];
static size_t frame_size;

static int open_camera(void) {
    FILE *file = fopen(getenv("CAMERA_FRAME"), "rb");
    if (!file) return -1;
    frame_size = fread(frame, 1, sizeof frame, file);
    fclose(file);
    return camera = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
}

static void *real(const char *name) { return dlsym(RTLD_NEXT, name); }

#define OPEN(name)                                                              \
    int name(const char *path, int flags, ...) {                                \
        if (!strcmp(path, device)) return open_camera();                        \
        va_list list;                                                           \
        va_start(list, flags);                                                  \
        mode_t mode = va_arg(list, mode_t);                                     \
        va_end(list);                                                           \
        return ((int (*)(const char *, int, mode_t))real(#name))(path, flags, mode); \
    }
OPEN(open)
OPEN(open64)
int __open_2(const char *path, int flags) { return open(path, flags); }
int __open64_2(const char *path, int flags) { return open64(path, flags); }

int access(const char *path, int mode) {
    if (!strcmp(path, device)) return 0;
    return ((int (*)(const char *, int))real("access"))(path, mode);
}

static void *map(const char *name, void *at, size_t size, int protection, int flags, int fd,
                 off_t offset) {
    void *(*call)(void *, size_t, int, int, int, off_t) = real(name);
    if (fd < 0 || fd != camera) return call(at, size, protection, flags, fd, offset);
    void *found = call(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return buffers[offset / ROOM] = found;
}
void *mmap(void *at, size_t size, int protection, int flags, int fd, off_t offset) {
    return map("mmap", at, size, protection, flags, fd, offset);
}
void *mmap64(void *at, size_t size, int protection, int flags, int fd, off64_t offset) {
    return map("mmap64", at, size, protection, flags, fd, offset);
}

static int take(struct v4l2_buffer *buffer) {
    uint64_t ticks;
    if (read(camera, &ticks, sizeof ticks) < 0) return -1;
    for (unsigned turn = 0; turn < count; turn++) {
        int index = (next_buffer + turn) % count;
        if (!is_queued[index]) continue;
        is_queued[index] = 0;
        next_buffer = (index + 1) % count;
        memcpy(buffers[index], frame, frame_size);
        struct timespec now;
        clock_gettime(CLOCK_MONOTONIC, &now);
        buffer->index = index;
        buffer->bytesused = frame_size;
        buffer->sequence = sequence++;
        buffer->flags = V4L2_BUF_FLAG_TIMESTAMP_MONOTONIC;
        buffer->timestamp = (struct timeval){now.tv_sec, now.tv_nsec / 1000};
        return 0;
    }
    errno = EAGAIN;
    return -1;
}

static int answer(unsigned long request, void *argument) {
    switch (request) {
    case VIDIOC_QUERYCAP: {
        struct v4l2_capability *found = argument;
        memset(found, 0, sizeof *found);
        found->capabilities = found->device_caps = V4L2_CAP_VIDEO_CAPTURE | V4L2_CAP_STREAMING;
        return 0;
    }
    case VIDIOC_S_FMT: {
        struct v4l2_format *format = argument;
        format->fmt.pix.sizeimage = ROOM;
        format->fmt.pix.bytesperline = 0;
        return 0;
    }
    case VIDIOC_G_PARM:
    case VIDIOC_S_PARM: {
        struct v4l2_streamparm *parameters = argument;
        parameters->parm.capture.capability = V4L2_CAP_TIMEPERFRAME;
        parameters->parm.capture.timeperframe = (struct v4l2_fract){1, atoi(getenv("CAMERA_RATE"))};
        return 0;
    }
    case VIDIOC_REQBUFS: {
        struct v4l2_requestbuffers *wanted = argument;
        if (wanted->count > BUFFERS) wanted->count = BUFFERS;
        if (wanted->count) count = wanted->count;
        return 0;
    }
    case VIDIOC_QUERYBUF: {
        struct v4l2_buffer *buffer = argument;
        buffer->length = ROOM;
        buffer->m.offset = buffer->index * ROOM;
        return 0;
    }
    case VIDIOC_QBUF: is_queued[((struct v4l2_buffer *)argument)->index] = 1; return 0;
    case VIDIOC_DQBUF: return take(argument);
    case VIDIOC_STREAMON: {
        long period = 1000000000 / atoi(getenv("CAMERA_RATE"));
        struct itimerspec rate = {{0, period}, {0, period}};
        return timerfd_settime(camera, 0, &rate, NULL);
    }
    case VIDIOC_S_INPUT:
    case VIDIOC_STREAMOFF: return 0;
    default: errno = EINVAL; return -1;
    }
}

int ioctl(int fd, unsigned long request, ...) {
    va_list list;
    va_start(list, request);
    void *argument = va_arg(list, void *);
    va_end(list);
    // Some pass the request as an int, whose sign fills the upper half.
    if (fd >= 0 && fd == camera) return answer(request & 0xFFFFFFFF, argument);
    return ((int (*)(int, unsigned long, void *))real("ioctl"))(fd, request, argument);
}
