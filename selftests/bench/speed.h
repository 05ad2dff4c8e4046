/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The jobs that are timed, and counted by callgrind, when speed is compared: over the trace of a
 * rig, by us and by the peer.
 */
#ifndef SELFTESTS_SPEED_H
#define SELFTESTS_SPEED_H

#include "../lib/peer.h"

/**
 * enum speed_job - taking frames apart is part of each
 * @SPEED_FRAMES: nothing else
 * @SPEED_PACKETS: every packet, delivered
 * @SPEED_RUNS: runs of block numbers, delivered; the peer: ranges
 * @SPEED_COUNTS: how often each block was executed, taken and not; instructions from that
 */
enum speed_job { SPEED_FRAMES, SPEED_PACKETS, SPEED_RUNS, SPEED_COUNTS, SPEED_JOBS };

extern const char *const speed_job_name[SPEED_JOBS];

/* The results of a pass; 0: it does not count that. */
struct speed_found {
	uint64_t ranges, insns;
};

/**
 * struct speed - zero it before speed_open()
 * @rig: the trace
 * @peer: by job, made when first asked for
 * @count: room for the counts of as many blocks as there may be
 */
struct speed {
	struct rig rig;
	struct peer *peer[SPEED_JOBS];
	uint32_t *count;
};

/*
 * @kib: only so much of the trace, and if it has less, it again and again; 0: all, once
 *
 * Return: 0, or -1 and a reason on stderr.
 */
int speed_open(struct speed *s, const char *dir, uint64_t kib);
void speed_close(struct speed *s);

/* One pass from reset to the end, by us or by the @peer.  Return: 0; not 0: impossible. */
int speed_pass(struct speed *s, enum speed_job job, bool peer, struct speed_found *found);

/* Seconds of CPU time of this process. */
double speed_clock(void);

/* Most memory that this process ever had, in bytes. */
uint64_t speed_peak(void);

#endif /* SELFTESTS_SPEED_H */
