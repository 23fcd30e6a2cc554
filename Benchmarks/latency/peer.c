// The other end of the latency benchmark: plays one SDS011 per candidate on a pseudo-terminal
// of its own, and takes the time from a frame to the letter of the lamp.
//
// usage: peer OUTPUT…     one FIFO per candidate
// Says `port PATH` per candidate, then obeys lines on standard input:
//   run COUNT MIN MAX     until each had COUNT frames, MIN…MAX ms apart; `sample INDEX ns`
//                         for each letter, `lost INDEX` for a frame without one, `done` at the end
// The parts are awake and stream from the start, as real ones do; levels change with each frame.

#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

enum { CANDIDATE_MAX = 8, COMMAND_SIZE = 19, FRAME_SIZE = 10 };
static const int64_t millisecond = 1000000;
// A frame without its letter for so long counts as lost; candidates take turns this far apart.
static const int64_t letter_timeout = 500 * 1000000LL, turn = 10 * 1000000LL;

struct part {
    int master, output;
    int is_awake, is_query, is_red;
    unsigned char command[COMMAND_SIZE];
    size_t command_size;
    int64_t next_frame;  // When the stream goes on.
    int64_t sent;        // When the frame left whose letter is awaited, 0 for none.
    int left;            // Frames still to be timed.
};

static struct part parts[CANDIDATE_MAX];
static int part_count;
static int64_t gap_min = 950, gap_max = 1050, last_sent;
static int is_running;
static uint64_t random_state = 0x9E3779B97F4A7C15u;

static int64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000000000LL + time.tv_nsec;
}

static int64_t random_gap(void) {
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    int64_t span = (gap_max - gap_min) * millisecond + 1;
    return gap_min * millisecond + (int64_t)(random_state % (uint64_t)span);
}

static void send_frame(struct part *part, unsigned char mark, const unsigned char *four) {
    unsigned char frame[FRAME_SIZE] = {0xAA, mark, four[0], four[1], four[2], four[3], 0xA1, 0x60};
    for (int index = 2; index < 8; index++) frame[8] += frame[index];
    frame[9] = 0xAB;
    (void)!write(part->master, frame, FRAME_SIZE);
}

// Green and red in turn, far from every limit.
static void measure(struct part *part) {
    static const unsigned char clean[4] = {10, 0, 20, 0}, dusty[4] = {0xF4, 1, 0x20, 3};
    part->is_red = !part->is_red;
    if (is_running && part->left > 0) part->sent = now();
    last_sent = now();
    send_frame(part, 0xC0, part->is_red ? dusty : clean);
}

static void obey(struct part *part, const unsigned char *bytes) {
    unsigned char code = bytes[2], is_set = bytes[3], value = bytes[4];
    if (!part->is_awake && code != 6) return;
    if (code == 4) return measure(part);
    if (code == 2 && is_set) part->is_query = value;
    if (code == 6 && is_set) part->is_awake = value;
    unsigned char answer[4] = {code, is_set, value, 0};
    if (!is_set) answer[2] = code == 2 ? part->is_query : code == 6 ? part->is_awake : 0;
    if (code == 7) memcpy(answer + 1, (unsigned char[]){18, 11, 16}, 3);
    send_frame(part, 0xC5, answer);
}

static void hear(struct part *part) {
    unsigned char bytes[256];
    ssize_t count = read(part->master, bytes, sizeof bytes);
    for (ssize_t index = 0; index < count; index++) {
        part->command[part->command_size++] = bytes[index];
        if (part->command[0] != 0xAA) part->command_size = 0;
        if (part->command_size < COMMAND_SIZE) continue;
        part->command_size = 0;
        obey(part, part->command);
    }
}

static void finish_frame(struct part *part) {
    part->sent = 0;
    part->left -= 1;
}

static void see(struct part *part) {
    int64_t at = now();
    char letters[64];
    ssize_t count = read(part->output, letters, sizeof letters);
    for (ssize_t index = 0; index < count; index++) {
        if (part->sent == 0 || letters[index] != (part->is_red ? 'R' : 'G')) continue;
        printf("sample %d %lld\n", (int)(part - parts), (long long)(at - part->sent));
        finish_frame(part);
    }
}

static void advance(struct part *part) {
    int64_t at = now();
    if (part->sent != 0 && at - part->sent > letter_timeout) {
        printf("lost %d\n", (int)(part - parts));
        finish_frame(part);
    }
    if (part->next_frame > at) return;
    if (at - last_sent < turn) {
        part->next_frame = last_sent + turn;
        return;
    }
    part->next_frame = at + random_gap();
    if (part->is_awake && !part->is_query) measure(part);
}

static void take_order(void) {
    char line[128];
    int count;
    long long min, max;
    if (fgets(line, sizeof line, stdin) == NULL) exit(0);
    if (sscanf(line, "run %d %lld %lld", &count, &min, &max) != 3 || min < 1 || max < min) exit(2);
    gap_min = min, gap_max = max, is_running = 1;
    for (int index = 0; index < part_count; index++) parts[index].left = count;
}

static int open_part(struct part *part, const char *output) {
    struct termios settings;
    part->master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK);
    if (part->master < 0 || grantpt(part->master) != 0 || unlockpt(part->master) != 0) return -1;
    // Kept open, so that the master never hears that nobody is there.
    int slave = open(ptsname(part->master), O_RDWR | O_NOCTTY | O_CLOEXEC);
    if (slave < 0 || tcgetattr(slave, &settings) != 0) return -1;
    cfmakeraw(&settings);
    if (tcsetattr(slave, TCSANOW, &settings) != 0) return -1;
    part->output = open(output, O_RDWR | O_NONBLOCK | O_CLOEXEC);
    if (part->output < 0) return -1;
    part->is_awake = 1;
    part->next_frame = now() + random_gap();
    printf("port %s\n", ptsname(part->master));
    return 0;
}

static int is_done(void) {
    for (int index = 0; index < part_count; index++)
        if (parts[index].left > 0) return 0;
    return 1;
}

// Waits for the next event or the next thing to do.
static void wait_for_events(struct pollfd *polled, int count) {
    int64_t next = now() + 1000 * millisecond;
    for (int index = 0; index < part_count; index++)
        if (parts[index].next_frame < next) next = parts[index].next_frame;
    int64_t rest = next > now() ? next - now() : 0;
    struct timespec time = {rest / 1000000000, rest % 1000000000};
    if (ppoll(polled, (nfds_t)count, &time, NULL) < 0 && errno != EINTR) exit(1);
}

int main(int argc, char **argv) {
    setvbuf(stdout, NULL, _IOFBF, 1 << 16);  // No system call between a letter and the next.
    part_count = argc - 1;
    if (part_count < 1 || part_count > CANDIDATE_MAX) return 2;
    struct pollfd polled[2 * CANDIDATE_MAX + 1] = {{.fd = 0, .events = POLLIN}};
    for (int index = 0; index < part_count; index++) {
        if (open_part(&parts[index], argv[index + 1]) != 0) return 1;
        polled[1 + 2 * index] = (struct pollfd){parts[index].master, POLLIN, 0};
        polled[2 + 2 * index] = (struct pollfd){parts[index].output, POLLIN, 0};
    }
    fflush(stdout);
    for (;;) {
        wait_for_events(polled, 2 * part_count + 1);
        for (int index = 0; index < part_count; index++) {
            if (polled[2 + 2 * index].revents) see(&parts[index]);
            if (polled[1 + 2 * index].revents) hear(&parts[index]);
            advance(&parts[index]);
        }
        if (is_running && is_done()) {
            is_running = 0;
            puts("done");
            fflush(stdout);
        }
        if (polled[0].revents) take_order();
    }
}
