/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A trace buffer of a snapshot with all its decoders: for benches and for tests
 * that feed damaged copies of it.
 */
#ifndef SELFTESTS_RIG_H
#define SELFTESTS_RIG_H

#include "../../tools/input/snapshot-image.h"

#define RIG_STREAMS	16
#define RIG_RANDOM	SIZE_MAX

struct rig_stream {
	struct csf_config config;
	uint8_t id;
	struct csf_decoder *dec;
};

/**
 * struct rig - zero it before rig_open()
 * @data: the buffer, @n bytes; owned
 * @framed: as CoreSight frames; else there is one stream, the only one
 * @without: csf_config.without; for rig_open()
 * @piece: feed it in pieces of so many bytes; 0: whole; RIG_RANDOM: 1..300
 * @tell: called once so many bytes are decoded, or soon after, in each pass: @tell_at; NULL: never
 */
struct rig {
	struct snapshot snapshot;
	struct snapshot_image image;
	struct rig_stream stream[RIG_STREAMS];
	unsigned int n_stream;
	uint8_t *data;
	size_t n;
	bool framed;
	enum csf_framing framing;
	uint32_t without;
	size_t piece;
	size_t tell_at;
	void (*tell)(void *context);
	void *tell_context;
	uint32_t random;
	uint32_t *path;			/* counts of paths, of a pass */
	uint32_t n_path;
};

/* How often each range came out of one run: what another run may keep of it. */
struct rig_set {
	uint64_t *hash;
	uint32_t *left;
	size_t mask;
};

/**
 * struct rig_sum - what came out
 * @sum: over (start, end, taken) of every range, in order, all streams added
 * @kept: of the ranges, those that were left in @set
 * @set: taken from; NULL: none
 * @fill: the ranges go into @set instead
 * @as_peer: leave out, and count as @left_out, the ranges that the peer loses after a return that
 *           waits for its address when Trace Info comes; only with rig_marks(CSF_MARK_INFO)
 */
struct rig_sum {
	uint64_t ranges, insns, packets, bytes, gaps, lost, left_out;
	uint64_t sum;
	uint64_t kept;
	struct rig_set *set;
	bool fill;
	bool as_peer;
};

int rig_set_new(struct rig_set *set, size_t n);
int rig_set_copy(struct rig_set *set, const struct rig_set *from);
void rig_set_free(struct rig_set *set);

/* One range of stream @id: into @sum's set, or out of it. */
void rig_keep(struct rig_sum *sum, uint8_t id, uint64_t start, uint64_t end, bool taken);

/* Mixes one range into a running checksum: both sides of a comparison use this. */
static inline uint64_t rig_mix(uint64_t sum, uint64_t start, uint64_t end, bool taken)
{
	sum = (sum ^ start) * 0x9e3779b97f4a7c15ull;
	sum = (sum ^ end ^ (uint64_t)taken << 63) * 0xc2b2ae3d27d4eb4full;
	return sum ^ sum >> 29;
}

/* @buffer NULL: the first.  Return: 0, or -1 and a reason on stderr. */
int rig_open(struct rig *rig, const char *dir, const char *buffer);
void rig_close(struct rig *rig);

/* A pass has got from byte @from to byte @to: is that far enough? */
static inline void rig_tell(const struct rig *rig, size_t from, size_t to)
{
	if (rig->tell && from < rig->tell_at && to >= rig->tell_at)
		rig->tell(rig->tell_context);
}

/* As new, but what was learned of the code is kept. */
void rig_reset(struct rig *rig);

/* Decodes @n bytes to the end and says every range: slow.  @sum: zero but for @set, @fill. */
int rig_sum(struct rig *rig, const uint8_t *data, size_t n, struct rig_sum *sum);

/* New decoders, that make @marks.  Return: 0 or CSF_ERR_x. */
int rig_marks(struct rig *rig, uint16_t marks);

/*
 * Decodes, counting in @count how often each step is made, by paths where there are some.
 * CSF_ERR_MEMORY: there are more than @n_count.
 */
int rig_count(struct rig *rig, const uint8_t *data, size_t n, uint32_t *count, size_t n_count);

/* Decodes, showing every run. */
typedef void (*rig_run_fn)(void *context, const struct rig_stream *stream,
			   const struct csf_run *run);
int rig_runs(struct rig *rig, const uint8_t *data, size_t n, rig_run_fn fn, void *context);

/* Only the packets; only the frames. */
int rig_packets(struct rig *rig, const uint8_t *data, size_t n, uint64_t *packets);
int rig_frames(struct rig *rig, const uint8_t *data, size_t n, uint64_t *bytes);

#endif /* SELFTESTS_RIG_H */
