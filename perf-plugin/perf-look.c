// SPDX-License-Identifier: GPL-2.0-only
#include "perf-look.h"

#include <errno.h>

#define FRAME		16

/* The first timestamp is looked for in so many bytes, some at a time. */
#define LOOK_AHEAD	65536
#define LOOK		2048

/**
 * struct look - a search for the first timestamp of a fragment
 * @frames: NULL: it is raw
 * @dec: decoders that have no code, @n of them
 * @timestamp: the least that was found; 0: none
 */
struct look {
	struct csf_frames *frames;
	struct csf_decoder *dec[CSF_ID_MAX];
	size_t n;
	uint64_t timestamp;
};

/* A byte at an even place with bit 0 set is an ID. */
void perf_look_ids(const uint8_t *p, uint64_t n, bool *seen)
{
	for (; n >= FRAME; n -= FRAME, p += FRAME)
		for (int i = 0; i < FRAME; i += 2)
			if (p[i] & 1)
				seen[p[i] >> 1] = true;
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
	look->n++;
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
		       const struct perf_fragment *f, const uint8_t *bytes)
{
	struct perf_cs_id id[CSF_ID_MAX];
	bool seen[CSF_ID_MAX] = { false };
	size_t n = perf_cs_ids(cs, f, id);
	int err = 0;

	if (csf_frames_new(&look->frames, CSF_FRAMES_MEMORY, 0))
		return -ENOMEM;
	perf_look_ids(bytes, f->size < LOOK_AHEAD ? f->size : LOOK_AHEAD, seen);
	for (size_t i = 0; i < n && !err; i++)
		if (id[i].id && seen[id[i].id])
			err = add_decoder(look, cs, nothing, &id[i]);
	return err;
}

static void close_all(struct look *look)
{
	csf_frames_free(look->frames);
	for (size_t i = 0; i < look->n; i++)
		csf_free(look->dec[i]);
}

/* The first one in a run. */
static void see(struct look *look, const struct csf_run *run)
{
	for (size_t i = 0; i < run->n_mark; i++) {
		const struct csf_mark *mark = &run->mark[i];

		if (mark->kind != CSF_MARK_TIME || mark->flags & CSF_MARK_UNKNOWN || !mark->value)
			continue;
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
			see(look, &run);
	return ret ? -ENOMEM : 0;
}

/* What is held back of @last bytes comes out, too. */
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

int perf_look(const struct perf_cs *cs, struct csf_image *nothing,
	      const struct perf_fragment *f, const uint8_t *bytes, uint64_t *timestamp)
{
	struct look look = { 0 };
	int err = f->flags & PERF_FRAGMENT_RAW ? open_raw(&look, cs, nothing, f) :
		  open_frames(&look, cs, nothing, f, bytes);
	uint64_t n = f->size < LOOK ? f->size : LOOK;

	for (uint64_t at = 0; !err && look.n && n && !look.timestamp && at < LOOK_AHEAD; at += n) {
		n = f->size - at < LOOK ? f->size - at : LOOK;
		err = feed(&look, bytes + at, n, at + n == f->size);
		if (at + n == f->size)
			break;
	}
	close_all(&look);
	*timestamp = look.timestamp;
	return err;
}
