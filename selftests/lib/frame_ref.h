/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Frames again, as plainly as can be: the whole capture at once, byte by byte
 *
 * The result that csf_frames_feed() must have however the capture is cut, and checks for it. Shared
 * by frame_test.c and fuzz_frame.c.
 */
#ifndef FRAME_REF_H
#define FRAME_REF_H

#include <stdlib.h>
#include <string.h>

#include "../../decoder/frames.h"

/* log_entry.what beside bytes */
#define LOG_BREAK	0x100
#define LOG_END		0x101

struct log_entry {
	uint64_t at;
	uint32_t what;
};

/* The bytes of one trace ID with their places in the capture, its breaks and its ends. */
struct log {
	struct log_entry *entry;
	size_t n, max;
};

static inline void log_add(struct log *log, uint32_t what, uint64_t at)
{
	if (log->n == log->max) {
		log->max = log->max ? 2 * log->max : 64;
		log->entry = realloc(log->entry, log->max * sizeof(*log->entry));
		if (!log->entry)
			abort();
	}
	log->entry[log->n++] = (struct log_entry) { .at = at, .what = what };
}

static inline bool log_same(const struct log *a, const struct log *b)
{
	size_t i;

	if (a->n != b->n)
		return false;
	for (i = 0; i < a->n; i++)
		if (a->entry[i].at != b->entry[i].at || a->entry[i].what != b->entry[i].what)
			return false;
	return true;
}

/**
 * struct ref - the capture and what comes of it
 * @log: by trace ID; the last: ID not known
 * @attached: the IDs that have a decoder
 * @stats: what csf_frames_stats() must say
 */
struct ref {
	struct log log[CSF_ID_MAX + 1];
	bool attached[CSF_ID_MAX];
	struct csf_frame_stats stats;
	/* the payload, without trailers */
	uint8_t *byte;
	uint64_t *at;
	size_t n;
	/* the frame now being put together */
	uint8_t frame[16];
	uint64_t frame_at[16];
	unsigned int have;
	unsigned int id;
	bool fed, told;
};

static inline void ref_tell(struct ref *ref, uint32_t what)
{
	unsigned int i;

	for (i = 0; i < CSF_ID_MAX; i++)
		if (ref->attached[i])
			log_add(&ref->log[i], what, 0);
	ref->told = true;
	ref->fed = false;
}

static inline void ref_break(struct ref *ref)
{
	ref->id = CSF_ID_MAX;
	if (!ref->told || ref->fed)
		ref_tell(ref, LOG_BREAK);
}

static inline void ref_byte(struct ref *ref, uint8_t byte, unsigned int i)
{
	log_add(&ref->log[ref->id], byte, ref->frame_at[i]);
	if (ref->id == CSF_ID_MAX) {
		ref->stats.unknown++;
		return;
	}
	ref->stats.id[ref->id]++;
	ref->stats.null += !ref->id && byte;
	ref->stats.dropped[ref->id] += !ref->attached[ref->id];
	if (ref->attached[ref->id])
		ref->fed = true;
}

static inline void ref_frame(struct ref *ref)
{
	const uint8_t *f = ref->frame;
	unsigned int k;

	for (k = 0; k < 8; k++) {
		const unsigned int bit = f[15] >> k & 1;

		if (!(f[2 * k] & 1)) {
			ref_byte(ref, f[2 * k] | bit, 2 * k);
			if (k < 7)
				ref_byte(ref, f[2 * k + 1], 2 * k + 1);
			continue;
		}
		ref->stats.overhead++;
		if (k < 7 && bit)
			ref_byte(ref, f[2 * k + 1], 2 * k + 1);
		ref->id = f[2 * k] >> 1;
		if (k < 7 && !bit)
			ref_byte(ref, f[2 * k + 1], 2 * k + 1);
	}
	ref->stats.frames++;
	ref->stats.overhead++;
	ref->have = 0;
}

static inline void ref_add(struct ref *ref, size_t i, size_t n)
{
	while (n--) {
		ref->frame[ref->have] = ref->byte[i];
		ref->frame_at[ref->have++] = ref->at[i++];
	}
	if (ref->have == 16)
		ref_frame(ref);
}

static inline bool ref_is(const struct ref *ref, size_t i, const char *bytes, size_t n)
{
	return i + n <= ref->n && !memcmp(ref->byte + i, bytes, n);
}

#define REF_FSYNC "\xff\xff\xff\x7f"

static inline void ref_memory(struct ref *ref, bool barriers)
{
	size_t i;

	for (i = 0; i + 16 <= ref->n; i += 16) {
		if (barriers && ref_is(ref, i, REF_FSYNC REF_FSYNC REF_FSYNC REF_FSYNC, 16)) {
			ref->stats.barriers++;
			ref_break(ref);
		} else if (barriers && ref_is(ref, i, REF_FSYNC, 4)) {
			ref->stats.bad++;
			ref->stats.skipped += 16;
			ref_break(ref);
		} else {
			ref_add(ref, i, 16);
		}
	}
	ref->stats.partial += ref->n - i;
}

static inline void ref_port(struct ref *ref)
{
	bool locked = false;
	size_t i = 0;

	while (i < ref->n) {
		if (!ref->have && ref_is(ref, i, REF_FSYNC, 4)) {
			ref->stats.fsync++;
			locked = true;
			i += 4;
		} else if (!locked) {
			ref->stats.skipped++;
			i++;
		} else if (ref_is(ref, i, "\xff\x7f", 2)) {
			ref->stats.hsync++;
			i += 2;
		} else if (ref->n - i < 2 ||
			   (ref->n - i < 4 && !ref->have && ref_is(ref, i, "\xff\xff", 2))) {
			break;
		} else if (ref->byte[i] == 0xff) {
			ref->stats.bad++;
			ref->stats.partial += ref->have;
			ref->have = 0;
			locked = false;
			ref_break(ref);
		} else {
			ref_add(ref, i, 2);
			i += 2;
		}
	}
	ref->stats.partial += ref->have + ref->n - i;
}

/* @ref is zero except for @attached. */
static inline void ref_run(struct ref *ref, enum csf_framing framing, uint32_t flags,
			   const uint8_t *data, size_t n)
{
	size_t i;

	ref->byte = malloc(n + 1);
	ref->at = malloc((n + 1) * sizeof(*ref->at));
	if (!ref->byte || !ref->at)
		abort();
	for (i = 0; i < n; i++) {
		if (framing == CSF_FRAMES_DSTREAM && i % 512 >= 504) {
			ref->stats.trailer++;
			continue;
		}
		ref->byte[ref->n] = data[i];
		ref->at[ref->n++] = i;
	}
	ref->stats.bytes = n;
	ref->id = CSF_ID_MAX;
	if (framing == CSF_FRAMES_MEMORY)
		ref_memory(ref, !(flags & CSF_FRAMES_NO_BARRIER));
	else
		ref_port(ref);
	ref_tell(ref, LOG_END);
}

static inline void ref_free(struct ref *ref)
{
	unsigned int i;

	for (i = 0; i <= CSF_ID_MAX; i++)
		free(ref->log[i].entry);
	free(ref->byte);
	free(ref->at);
}

/* ---------------------------------------------------------------- decoders that keep a log */

/**
 * struct csf_decoder - in place of the real one
 * @trace: borrowed bytes, read only when asked for, as the real one does
 * @n: of them; 0: used up
 * @told: break or end to be logged after them
 * @pos: bytes used up
 * @last: bytes used up before the last feed, and before the last but one
 * @wrong: the rules of csf_feed() were broken, or an offset changed
 */
struct csf_decoder {
	struct csf_frames *frames;
	unsigned int id;
	const uint8_t *trace;
	size_t n;
	uint32_t told;
	uint64_t pos;
	uint64_t last[2];
	struct log log;
	struct log bytes;
	bool wrong;
};

static int decoder_feed(void *client, const void *trace, size_t n)
{
	struct csf_decoder *dec = client;

	if (dec->n || dec->told)
		return CSF_ERR_ARG;
	dec->trace = trace;
	dec->n = n;
	return 0;
}

static int decoder_end(void *client, bool last)
{
	struct csf_decoder *dec = client;

	dec->wrong |= dec->told;
	dec->told = last ? LOG_END : LOG_BREAK;
	return 0;
}

static void decoder_reset(void *client)
{
	struct csf_decoder *dec = client;

	free(dec->log.entry);
	free(dec->bytes.entry);
	*dec = (struct csf_decoder) { .frames = dec->frames, .id = dec->id };
}

static const struct frame_taker decoder_taker = {
	.feed = decoder_feed, .end = decoder_end, .reset = decoder_reset,
};

static inline int decoder_attach(struct csf_frames *frames, uint8_t id, struct csf_decoder *dec)
{
	return frames_attach(frames, id, dec, &decoder_taker);
}

/* Uses up the bytes fed; looks again at the place of the bytes fed before. */
static inline void decoder_use(struct csf_decoder *dec)
{
	uint64_t i;

	if (dec->n) {
		for (i = dec->last[0]; i < dec->pos; i++)
			dec->wrong |= csf_frames_offset(dec->frames, dec->id, i) !=
				      dec->bytes.entry[i].at;
		dec->last[0] = dec->last[1];
		dec->last[1] = dec->pos;
	}
	for (i = 0; i < dec->n; i++) {
		const uint64_t at = csf_frames_offset(dec->frames, dec->id, dec->pos++);

		log_add(&dec->log, dec->trace[i], at);
		log_add(&dec->bytes, dec->trace[i], at);
	}
	dec->wrong |= csf_frames_offset(dec->frames, dec->id, dec->pos) != UINT64_MAX;
	if (dec->told)
		log_add(&dec->log, dec->told, 0);
	dec->n = 0;
	dec->told = 0;
}

static uint64_t seed;

/* 0..@n - 1 */
static inline uint32_t rnd(uint32_t n)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return (seed >> 20) % n;
}

/* ---------------------------------------------------------------- one capture, all ways */

/**
 * struct capture - what is to be tried
 * @cut: most bytes given at a time; 0: all at once
 * @random: fewer than @cut, at random
 */
struct capture {
	const uint8_t *data;
	size_t n;
	enum csf_framing framing;
	uint32_t flags;
	size_t cut;
	bool random;
	bool attached[CSF_ID_MAX];
};

static inline size_t capture_cut(const struct capture *cap, size_t left)
{
	size_t n = cap->cut ? cap->cut : left;

	if (cap->random)
		n = 1 + rnd(n);
	return n < left ? n : left;
}

static inline uint64_t accounted(const struct csf_frame_stats *s)
{
	uint64_t sum = s->unknown + s->overhead + 4 * s->fsync + 2 * s->hsync + 16 * s->barriers +
		       s->skipped + s->partial + s->trailer;
	unsigned int i;

	for (i = 0; i < CSF_ID_MAX; i++)
		sum += s->id[i];
	return sum;
}

static inline bool stats_right(struct csf_frames *frames, const struct csf_frame_stats *want)
{
	struct csf_frame_stats stats = { .size = sizeof(stats) };

	csf_frames_stats(frames, &stats);
	if (accounted(&stats) != stats.bytes)
		return false;
	stats.size = 0;
	return !memcmp(&stats, want, sizeof(stats));
}

/* Feeds all decoders.  Return: they got what @ref has. */
static inline bool feed_right(const struct capture *cap, const struct ref *ref)
{
	static struct csf_decoder dec[CSF_ID_MAX];
	struct csf_frames *frames;
	const uint8_t *p = cap->data;
	const uint8_t *end = p + cap->n;
	bool right = true;
	unsigned int i;

	if (csf_frames_new(&frames, cap->framing, cap->flags))
		return false;
	for (i = 0; i < CSF_ID_MAX; i++) {
		dec[i] = (struct csf_decoder) { .frames = frames, .id = i };
		if (cap->attached[i] && decoder_attach(frames, i, &dec[i]))
			return false;
	}
	while (p != end) {
		const size_t cut = capture_cut(cap, end - p);
		/*
		 * A copy that ends where the bytes end, so that a sanitizer sees reads beyond them.
		 */
		uint8_t *copy = malloc(cut);
		size_t done = 0;

		memcpy(copy, p, cut);
		while (done != cut) {
			const long took = csf_frames_feed(frames, copy + done, cut - done);

			if (took <= 0 || took > 1 << 20)
				return false;
			done += took;
			for (i = 0; i < CSF_ID_MAX; i++)
				if (cap->attached[i])
					decoder_use(&dec[i]);
		}
		free(copy);
		p += cut;
	}
	right = !csf_frames_end(frames) && stats_right(frames, &ref->stats);
	for (i = 0; i < CSF_ID_MAX; i++) {
		if (cap->attached[i]) {
			decoder_use(&dec[i]);
			right &= !dec[i].wrong && log_same(&dec[i].log, &ref->log[i]);
		}
		decoder_reset(&dec[i]);
	}
	csf_frames_free(frames);
	return right;
}

/* The monitor's pieces hold the bytes of @ref, each piece beginning where it should. */
static inline bool watch_right(const struct capture *cap, const struct ref *ref)
{
	size_t seen[CSF_ID_MAX + 1] = { 0 };
	struct csf_frame_stats want = ref->stats;
	const uint8_t *p = cap->data;
	const uint8_t *end = p + cap->n;
	struct csf_frames *frames;
	struct csf_frame piece;
	bool right = true;
	size_t i, cut;

	if (csf_frames_new(&frames, cap->framing, cap->flags))
		return false;
	do {
		uint8_t *copy;

		cut = p == end ? 0 : capture_cut(cap, end - p);
		copy = malloc(cut + 1);
		memcpy(copy, p, cut);
		p += cut;
		right &= !csf_frames_watch(frames, copy, cut, p == end);
		while (csf_frames_next(frames, &piece)) {
			const struct log *log = &ref->log[piece.id];

			if (piece.kind != CSF_FRAME_DATA) {
				/* In DSTREAM an item may lie around a trailer. */
				for (i = 0; i < piece.n && cap->framing != CSF_FRAMES_DSTREAM; i++)
					right &= piece.kind == CSF_FRAME_PARTIAL ||
						 piece.data[i] == cap->data[piece.offset + i];
				continue;
			}
			for (i = 0; i < piece.n; i++) {
				while (seen[piece.id] < log->n &&
				       log->entry[seen[piece.id]].what > 0xff)
					seen[piece.id]++;
				if (seen[piece.id] == log->n)
					return false;
				right &= log->entry[seen[piece.id]].what == piece.data[i];
				right &= log->entry[seen[piece.id]].at == piece.at[i];
				right &= i || piece.at[i] == piece.offset;
				seen[piece.id]++;
			}
		}
		free(copy);
	} while (p != end);
	memset(want.dropped, 0, sizeof(want.dropped));
	right &= stats_right(frames, &want);
	csf_frames_free(frames);
	return right;
}

#endif /* FRAME_REF_H */
