/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Frames again, as plainly as can be: the whole capture at once, byte by byte
 *
 * What csf_frames_feed() must come to however the capture is cut.  Shared by
 * frame_test.c and fuzz_frame.c, as is the decoder that only keeps a log.
 */
#ifndef FRAME_REF_H
#define FRAME_REF_H

#include <stdlib.h>
#include <string.h>

#include "../decoder/csflow.h"

/* log_entry.what beside bytes */
#define LOG_BREAK	0x100
#define LOG_END		0x101

struct log_entry {
	uint64_t at;
	uint32_t what;
};

/* What one trace ID got: bytes with their place in the capture, breaks, ends. */
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

/* @ref is zero but for @attached. */
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
 * @told: break or end to be logged behind them
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

int csf_feed(struct csf_decoder *dec, const void *trace, size_t n)
{
	if (dec->n || dec->told)
		return CSF_ERR_ARG;
	dec->trace = trace;
	dec->n = n;
	return 0;
}

static int decoder_told(struct csf_decoder *dec, uint32_t what)
{
	dec->wrong |= dec->told;
	dec->told = what;
	return 0;
}

int csf_end(struct csf_decoder *dec)
{
	return decoder_told(dec, LOG_END);
}

int csf_break(struct csf_decoder *dec)
{
	return decoder_told(dec, LOG_BREAK);
}

void csf_reset(struct csf_decoder *dec)
{
	free(dec->log.entry);
	free(dec->bytes.entry);
	*dec = (struct csf_decoder) { .frames = dec->frames, .id = dec->id };
}

/* Uses up what was fed; looks again where the bytes of the feed before were. */
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

#endif /* FRAME_REF_H */
