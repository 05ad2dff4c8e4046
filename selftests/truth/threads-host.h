/* SPDX-License-Identifier: GPL-2.0-only */
/* For threads_test: a caller of the decoder that does all that a caller may do between two runs. */
#ifndef THREADS_HOST_H
#define THREADS_HOST_H

#include "../../decoder/read-ahead.h"
#include "../lib/encoder-trial.h"
#include "../lib/spread.h"

#define SPACES		3
#define PERIODS		32
#define TRACE_ID	0x10
#define BOTH		2	/* sections for each area: of even and of odd spaces or periods */

/* Actions of the caller. */
#define BY_CONTEXT	0x01	/* address spaces, one for each context ID */
#define BY_COUNT	0x02	/* one after the other: what was guessed is wrong */
#define BY_TIME		0x04	/* maps change, and runs end, at times */
#define ASKS		0x08	/* code is mapped when it is asked for */
#define LOOKS_AHEAD	0x10
#define CHANGES		0x20	/* forgets code now and then, and maps other code */
#define BREAKS		0x40
#define COMMITS		0x80
#define HOLES		0x100	/* some code is not there */
#define PATHS		0x200	/* with threads; alone there are none */
#define CALM		0x400	/* nothing ends runs but that they are full, soon */
#define CONDITIONS	0x800	/* asks for conditional instructions */

/* Sums over all contents of runs; for a full run, where that was. */
struct sum {
	uint64_t sum, steps, marks, ends;
	struct csf_stats stats;
	struct csf_frame_stats frames;
};

/**
 * struct host - a caller that decodes
 * @what: of the above
 * @chunk: bytes that are fed at a time; 0: all
 * @threads: NULL: it does so by itself
 * @framed: what is fed is a capture, of @frames; else it is the stream
 * @without: csf_config.without
 * @read_ahead: they are told what comes next; wrong now and then
 * @shares: there is @other, too, at another time and in another space, of the same trace and with
 *          the same threads, which goes on by a run now and then; it has @fed_other bytes
 * @contexts, @runs, @n_fed, @n_drained: so far
 */
struct host {
	const struct trial *t;
	const uint8_t *bytes;
	size_t n, fed;
	unsigned int what;
	uint64_t without;
	size_t chunk;
	struct csf_threads *threads;
	struct csf_frames *frames;
	bool framed, read_ahead, shares;
	struct csf_decoder *other;
	size_t fed_other;
	pthread_t self;
	struct csf_image *image;
	int section[4][BOTH];
	struct csf_decoder *dec;
	uint64_t contexts, runs, period, n_fed, n_drained;
	uint64_t taken, refused, again;
	struct spread spread;
	struct sum sum;
};

/* Decodes all of it, to @h->sum, @h->taken and what follows. */
void host_decode(struct host *h);

#endif /* THREADS_HOST_H */
