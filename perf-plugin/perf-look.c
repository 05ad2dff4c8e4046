// SPDX-License-Identifier: GPL-2.0-only
#include "perf-look.h"

#include <errno.h>
#include <string.h>

/* Bytes in which a fragment's first trace ID is looked for; and a number above all CPU numbers. */
#define LOOK_UNIT	256
#define UNIT_OF_ID	0x80000000u

/* Bytes in which the first timestamp is looked for, some at a time. */
#define LOOK_AHEAD	65536
#define LOOK		2048

/* Bytes to look at before their memory is given back. */
#define LOOK_PIECE	(1u << 20)

/**
 * struct look - a search for the first timestamp of a fragment
 * @frames: NULL: the trace is raw
 * @dec: @n decoders without code; @id: their IDs
 * @timestamp: the lowest that was found; 0: none
 * @n_time: number of timestamps by ID; NULL: they are not counted
 * @all: look at all of the trace
 * @guest: there was a context at EL1
 */
struct look {
	struct csf_frames *frames;
	struct csf_decoder *dec[CSF_ID_MAX];
	uint8_t id[CSF_ID_MAX];
	size_t n;
	uint64_t timestamp;
	uint32_t *n_time;
	bool all, guest;
};

/* Bit 0 of all bytes at even positions, of 8 bytes in memory order: set if the byte is an ID. */
static uint64_t id_bits(const uint8_t *p)
{
	static const uint8_t even[8] = { 1, 0, 1, 0, 1, 0, 1, 0 };
	uint64_t v, mask;

	memcpy(&v, p, sizeof(v));
	memcpy(&mask, even, sizeof(mask));
	return v & mask;
}

void perf_look_ids(const uint8_t *p, uint64_t n, bool *seen)
{
	for (; n >= PERF_FRAME; n -= PERF_FRAME, p += PERF_FRAME) {
		if (!(id_bits(p) | id_bits(p + 8)))
			continue;
		for (int i = 0; i < PERF_FRAME; i += 2)
			if (p[i] & 1)
				seen[p[i] >> 1] = true;
	}
}

/* After a barrier, no ID is known: its full-frame syncs look like 0x7f, which carries no trace. */
uint8_t perf_look_last_id(const uint8_t *p, uint64_t n)
{
	for (n &= ~(uint64_t)(PERF_FRAME - 1); n; n -= PERF_FRAME) {
		const uint8_t *frame = p + n - PERF_FRAME;

		if (!(id_bits(frame) | id_bits(frame + 8)))
			continue;
		for (int i = PERF_FRAME - 2; i >= 0; i -= 2)
			if (frame[i] & 1)
				return frame[i] >> 1 < 0x70 ? frame[i] >> 1 : 0;
	}
	return 0;
}

uint32_t perf_look_unit(const struct perf_fragment *f, const uint8_t *bytes)
{
	if (f->cpu != PERF_NO_CPU || f->flags & PERF_FRAGMENT_RAW)
		return f->cpu;
	for (uint64_t i = 0; i < f->size && i < LOOK_UNIT; i += 2)
		if (bytes[i] & 1 && bytes[i] >> 1 && bytes[i] >> 1 < 0x70)
			return UNIT_OF_ID | bytes[i] >> 1;
	return UNIT_OF_ID;
}

void perf_look_frame(uint8_t frame[PERF_FRAME], uint8_t id)
{
	memset(frame, 0, PERF_FRAME);
	frame[0] = 1;
	frame[PERF_FRAME - 2] = id << 1 | 1;
}

static int add_decoder(struct look *look, const struct perf_cs *cs, struct csf_image *nothing,
		       const struct perf_cs_id *id)
{
	struct csf_config config;
	int err;

	if (id->cpu == PERF_NO_CPU || perf_cs_config(cs, id->cpu, &config))
		return 0;
	config.marks = CSF_MARK_TIME;
	err = csf_new(&look->dec[look->n], &config, nothing);
	if (err)
		return err == CSF_ERR_MEMORY ? -ENOMEM : 0;
	look->id[look->n++] = look->frames ? id->id : 0;
	if (look->frames &&
	    csf_attach(look->frames, id->id, look->dec[look->n - 1]) == CSF_ERR_MEMORY)
		return -ENOMEM;
	return 0;
}

static int open_raw(struct look *look, const struct perf_cs *cs, struct csf_image *nothing,
		    const struct perf_fragment *f)
{
	const struct perf_cs_id id = { .cpu = perf_cs_cpu_of_raw(cs, f) };

	return add_decoder(look, cs, nothing, &id);
}

static int open_frames(struct look *look, const struct perf_cs *cs, struct csf_image *nothing,
		       const struct perf_look_at *at)
{
	const struct perf_fragment *f = at->fragment;
	const uint64_t max = look->all ? f->size : LOOK_AHEAD;
	struct perf_cs_id id[CSF_ID_MAX];
	bool seen[CSF_ID_MAX] = { false };
	size_t n = perf_cs_ids(cs, f, id);
	uint8_t frame[PERF_FRAME];
	int err = 0;

	if (csf_frames_new(&look->frames, CSF_FRAMES_MEMORY, 0))
		return -ENOMEM;
	perf_look_ids(at->bytes, f->size < max ? f->size : max, seen);
	seen[at->id] = true;
	for (size_t i = 0; i < n && !err; i++)
		if (id[i].id && seen[id[i].id])
			err = add_decoder(look, cs, nothing, &id[i]);
	perf_look_frame(frame, at->id);
	if (!err && at->id && csf_frames_feed(look->frames, frame, sizeof(frame)) < 0)
		err = -ENOMEM;
	return err;
}

static void close_all(struct look *look)
{
	csf_frames_free(look->frames);
	for (size_t i = 0; i < look->n; i++)
		csf_free(look->dec[i]);
}

/* Takes the first timestamp of a run, or all. */
static void see(struct look *look, size_t dec, const struct csf_run *run)
{
	look->guest |= run->end == CSF_END_CONTEXT && run->to.el == 1;
	for (size_t i = 0; i < run->n_mark; i++) {
		const struct csf_mark *mark = &run->mark[i];

		if (mark->kind != CSF_MARK_TIME || mark->flags & CSF_MARK_UNKNOWN || !mark->value)
			continue;
		if (look->n_time) {
			look->n_time[look->id[dec]]++;
			continue;
		}
		if (!look->timestamp || mark->value < look->timestamp)
			look->timestamp = mark->value;
		return;
	}
}

static int drain(struct look *look)
{
	struct csf_run run;
	int ret = 0;

	for (size_t i = 0; i < look->n && !ret; i++)
		while ((ret = csf_next(look->dec[i], &run)) > 0)
			see(look, i, &run);
	return ret ? -ENOMEM : 0;
}

/* With @last, the bytes that are held back are decoded, too. */
static int feed(struct look *look, const uint8_t *p, uint64_t n, bool last)
{
	long fed = n;
	int err;

	for (; n; n -= fed, p += fed) {
		if (!look->frames)
			err = csf_feed(look->dec[0], p, n);
		else
			err = (fed = csf_frames_feed(look->frames, p, n)) <= 0;
		if (err || drain(look))
			return -ENOMEM;
	}
	if (!last)
		return 0;
	if (look->frames)
		csf_frames_end(look->frames);
	else
		csf_end(look->dec[0]);
	return drain(look);
}

static int open_look(struct look *look, const struct perf_cs *cs, struct csf_image *nothing,
		     const struct perf_look_at *at)
{
	if (at->fragment->flags & PERF_FRAGMENT_RAW)
		return open_raw(look, cs, nothing, at->fragment);
	return open_frames(look, cs, nothing, at);
}

int perf_look(const struct perf_cs *cs, struct csf_image *nothing, const struct perf_look_at *at,
	      uint64_t *timestamp)
{
	struct look look = { 0 };
	int err = open_look(&look, cs, nothing, at);
	const uint64_t size = at->fragment->size;
	uint64_t n = size < LOOK ? size : LOOK;

	for (uint64_t pos = 0; !err && look.n && n && !look.timestamp && pos < LOOK_AHEAD;
	     pos += n) {
		n = size - pos < LOOK ? size - pos : LOOK;
		err = feed(&look, at->bytes + pos, n, pos + n == size);
		if (pos + n == size)
			break;
	}
	close_all(&look);
	*timestamp = look.timestamp;
	return err;
}

int perf_look_count(const struct perf_cs *cs, struct csf_image *nothing,
		    const struct perf_look_at *at, uint32_t *n_time)
{
	struct look look = { .n_time = n_time, .all = true };
	int err;

	memset(n_time, 0, CSF_ID_MAX * sizeof(*n_time));
	err = open_look(&look, cs, nothing, at);
	if (!err && look.n)
		err = feed(&look, at->bytes, at->fragment->size, true);
	close_all(&look);
	return err;
}

int perf_look_guest(const struct perf_cs *cs, struct csf_image *nothing,
		    const struct perf_look_at *at, const struct perf_file *file)
{
	const uint64_t size = at->fragment->size, offset = at->fragment->offset;
	struct look look = { .all = true };
	int err = open_look(&look, cs, nothing, at);
	uint64_t n;

	for (uint64_t pos = 0; !err && look.n && !look.guest && pos < size; pos += n) {
		n = size - pos < LOOK_PIECE ? size - pos : LOOK_PIECE;
		err = feed(&look, at->bytes + pos, n, pos + n == size);
		perf_file_drop_part(file, offset + pos, offset + pos + n);
	}
	close_all(&look);
	return err ? err : look.guest;
}
