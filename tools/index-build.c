// SPDX-License-Identifier: GPL-2.0-only
/* Makes an index: packets of each stream, one by one, without the code that ran. */
#include <stdlib.h>
#include <string.h>

#include "index.h"

#define CHUNK		(64u << 10)

/* A packet is read when 44 bytes from its header on are there: so many pieces of a byte. */
#define PLACES		256

/* Bytes of a stream that lay side by side in the source. */
struct place {
	uint64_t pos, capture;
};

/**
 * struct track - a stream being indexed
 * @stream: its number in the index
 * @time: the last timestamp, for those that leave out what did not change
 * @place: ring of the last pieces, @n_place ever
 * @fed: bytes of the stream before this fragment; @base: those before @mon began
 * @wait: the next A-sync is the first of a fragment
 */
struct track {
	struct csf_config config;
	struct csf_monitor *mon;
	size_t stream;
	uint8_t id;
	uint64_t time;
	uint64_t latest;
	struct place place[PLACES];
	uint64_t n_place;
	uint64_t fed, base;
	bool wait;
};

/**
 * struct index_builder - an index being made
 * @track: of each of its streams
 * @by_id: those of the capture at hand; [CSF_ID_MAX]: the raw one
 * @frames: NULL: it is @raw
 * @begin: place in the source of byte 0 of the capture, as if it were in one piece
 * @start: of the first byte of this piece; @at: of the next byte
 */
struct index_builder {
	struct index index;
	struct track *track;
	size_t n_track;
	struct track *by_id[CSF_ID_MAX + 1];
	struct csf_frames *frames;
	bool raw;
	uint64_t begin, start, at;
};

int index_builder_new(struct index_builder **out, uint32_t every)
{
	struct index_builder *b = calloc(1, sizeof(*b));

	*out = b;
	if (!b)
		return CSF_ERR_MEMORY;
	b->index.every = every;
	return 0;
}

static void drop_tracks(struct index_builder *b)
{
	for (size_t i = 0; i < b->n_track; i++)
		csf_monitor_free(b->track[i].mon);
	free(b->track);
	csf_frames_free(b->frames);
	b->frames = NULL;
	b->track = NULL;
	b->n_track = 0;
}

void index_builder_free(struct index_builder *b)
{
	struct index *index;

	if (!b)
		return;
	drop_tracks(b);
	index = index_builder_take(b);
	index_free(index);
	free(b);
}

/* Room for one more behind @n, where @n is the next power of two. */
static bool grow(void **array, size_t n, size_t size)
{
	void *p;

	if (n & (n - 1))
		return true;
	p = realloc(*array, (n ? 2 * n : 1) * size);
	if (p)
		*array = p;
	return p;
}

static bool goes_on(const struct track *t, const struct csf_config *config)
{
	return !memcmp(&t->config, config, sizeof(*config));
}

/* ---------------------------------------------------------------- streams */

static int add_track(struct index_builder *b, const struct input_source *source, uint8_t id)
{
	struct index *index = &b->index;
	struct track *t;

	if (!grow((void **)&b->track, b->n_track, sizeof(*b->track)) ||
	    !grow((void **)&index->stream, index->n_stream, sizeof(*index->stream)))
		return CSF_ERR_MEMORY;
	t = &b->track[b->n_track++];
	*t = (struct track){ .config = source->config, .stream = index->n_stream++, .id = id };
	index->stream[t->stream] = (struct index_stream){
		.id = id, .ete = input_is_ete(source), .cpu = source->number, .ordered = true,
	};
	return 0;
}

/* The stream of a trace unit; a new one if it was not seen before.  Its number, or an error. */
static int track_of(struct index_builder *b, const struct input_source *source, uint8_t id)
{
	struct track *t;
	size_t i = 0;
	int err;

	while (i < b->n_track && (b->index.stream[i].cpu != source->number ||
				  b->track[i].id != id || !goes_on(&b->track[i], &source->config)))
		i++;
	if (i == b->n_track) {
		err = add_track(b, source, id);
		if (err)
			return err;
	}
	t = &b->track[i];
	csf_monitor_free(t->mon);
	t->mon = NULL;
	err = csf_monitor_new(&t->mon, &t->config);
	t->base = t->fed;
	t->wait = true;
	return err < 0 ? err : (int)i;
}

int index_builder_begin(struct index_builder *b, const struct input *in, uint64_t at)
{
	int number[CSF_ID_MAX + 1];
	int err = 0;

	b->raw = in->framing == INPUT_RAW;
	b->begin = at;
	b->start = at;
	b->at = at;
	memset(b->by_id, 0, sizeof(b->by_id));
	csf_frames_free(b->frames);
	b->frames = NULL;
	for (size_t i = 0; i < in->n_source && i <= CSF_ID_MAX; i++) {
		number[i] = track_of(b, &in->source[i], b->raw ? 0 : in->source[i].id);
		if (number[i] < 0)
			return number[i];
	}
	for (size_t i = 0; i < in->n_source && i <= CSF_ID_MAX; i++)
		b->by_id[b->raw ? CSF_ID_MAX : in->source[i].id] = &b->track[number[i]];
	if (!b->raw)
		err = csf_frames_new(&b->frames, in->framing, 0);
	return err;
}

/* ---------------------------------------------------------------- packets */

static uint64_t capture_of(const struct track *t, uint64_t pos)
{
	uint64_t i = t->n_place;

	while (i && t->n_place - i < PLACES && t->place[(i - 1) % PLACES].pos > pos)
		i--;
	if (!i || t->n_place - i == PLACES)
		return 0;
	return t->place[(i - 1) % PLACES].capture + (pos - t->place[(i - 1) % PLACES].pos);
}

static bool open_entry(struct index_builder *b, struct track *t, uint64_t pos)
{
	struct index_stream *s = &b->index.stream[t->stream];

	/* fragments shorter than a stretch share one */
	if (s->n && pos - s->entry[s->n - 1].pos < b->index.every)
		return true;
	if (!grow((void **)&s->entry, s->n, sizeof(*s->entry)))
		return false;
	s->entry[s->n++] = (struct index_entry){
		.capture = capture_of(t, pos), .pos = pos,
		.flags = t->wait ? INDEX_BEGINS : 0,
	};
	t->wait = false;
	return true;
}

/* Time 0 means that the trace unit did not know it. */
static void see_time(struct index_stream *s, struct index_entry *e, struct track *t,
		     const struct csf_packet *pkt)
{
	const uint64_t keep = pkt->n < 64 ? ~0ull << pkt->n : 0;

	t->time = (t->time & keep) | pkt->val;
	if (!t->time)
		return;
	if (t->time < t->latest)
		s->ordered = false;
	t->latest = t->time;
	if (!e->n_time || t->time < e->first)
		e->first = t->time;
	if (!e->n_time || t->time > e->last)
		e->last = t->time;
	e->n_time += e->n_time < UINT32_MAX;
}

static void see_context(struct index_entry *e, const struct csf_packet *pkt)
{
	if (!(pkt->flags & CSF_PKT_CTXT) || e->flags & INDEX_HAS_CONTEXT)
		return;
	e->flags |= INDEX_HAS_CONTEXT;
	e->info = pkt->info;
	if (pkt->info & 0x80) {
		e->flags |= INDEX_HAS_CONTEXTID;
		e->contextid = pkt->contextid;
	}
	if (pkt->info & 0x40) {
		e->flags |= INDEX_HAS_VMID;
		e->vmid = pkt->vmid;
	}
}

static void see_address(struct index_entry *e, const struct csf_packet *pkt)
{
	if (e->flags & INDEX_HAS_ADDR || pkt->n < 32)
		return;
	e->flags |= INDEX_HAS_ADDR;
	e->addr = pkt->val | !!(pkt->flags & CSF_PKT_IS1);
}

static void see_packet(struct index_stream *s, struct track *t, const struct csf_packet *pkt)
{
	struct index_entry *e = &s->entry[s->n - 1];

	switch ((enum csf_packet_type)pkt->type) {
	case CSF_PKT_ASYNC:
		e->n_sync += e->n_sync < UINT16_MAX;
		break;
	case CSF_PKT_INFO:
		t->time = 0;
		break;
	case CSF_PKT_TIME:
		see_time(s, e, t, pkt);
		break;
	case CSF_PKT_EVENT:
		e->events |= pkt->val;
		break;
	case CSF_PKT_BAD:
	case CSF_PKT_DISCARD:
	case CSF_PKT_OVERFLOW:
		e->n_lost += e->n_lost < UINT16_MAX;
		break;
	case CSF_PKT_ADDR_CTXT32:
	case CSF_PKT_ADDR_CTXT64:
	case CSF_PKT_CONTEXT:
		see_context(e, pkt);
		if (pkt->type != CSF_PKT_CONTEXT)
			see_address(e, pkt);
		break;
	case CSF_PKT_ADDR32:
	case CSF_PKT_ADDR64:
		see_address(e, pkt);
		break;
	default:
		break;
	}
}

/* Nothing can be said of what comes before the first A-sync. */
static int see_packets(struct index_builder *b, struct track *t)
{
	struct csf_packet pkt;
	uint64_t pos;

	while (csf_monitor_next(t->mon, &pkt, &pos, NULL) > 0) {
		if (pkt.type == CSF_PKT_ATOM)
			continue;
		if (pkt.type == CSF_PKT_ASYNC && !open_entry(b, t, t->base + pos))
			return CSF_ERR_MEMORY;
		if (b->index.stream[t->stream].n)
			see_packet(&b->index.stream[t->stream], t, &pkt);
	}
	return 0;
}

/* ---------------------------------------------------------------- bytes */

static void add_place(struct track *t, uint64_t pos, uint64_t capture)
{
	t->place[t->n_place++ % PLACES] = (struct place){ .pos = pos, .capture = capture };
}

static int feed_track(struct index_builder *b, struct track *t, const struct csf_frame *piece)
{
	add_place(t, t->fed, b->begin + piece->offset);
	for (size_t i = 1; piece->at && i < piece->n; i++)
		if (piece->at[i] != piece->at[i - 1] + 1)
			add_place(t, t->fed + i, b->begin + piece->at[i]);
	t->fed += piece->n;
	b->index.stream[t->stream].bytes = t->fed;
	if (csf_monitor_feed(t->mon, piece->data, piece->n) < 0)
		return CSF_ERR_ARG;
	return see_packets(b, t);
}

static int map_id(struct index_builder *b, uint64_t capture, uint8_t id)
{
	struct index *index = &b->index;
	const size_t block = capture / INDEX_BLOCK;

	while (index->n_map <= block) {
		if (!grow((void **)&index->map, index->n_map, sizeof(*index->map)))
			return CSF_ERR_MEMORY;
		memset(index->map[index->n_map++], 0, sizeof(*index->map));
	}
	index->map[block][id / 8] |= 1u << id % 8;
	return 0;
}

static int feed_frames(struct index_builder *b, const uint8_t *bytes, size_t n, bool last)
{
	struct csf_frame piece;
	int err = csf_frames_watch(b->frames, bytes, n, last);

	while (!err && csf_frames_next(b->frames, &piece) > 0) {
		if (piece.kind != CSF_FRAME_DATA || piece.id >= CSF_ID_MAX)
			continue;
		err = map_id(b, b->begin + piece.offset, piece.id);
		if (!err && b->by_id[piece.id])
			err = feed_track(b, b->by_id[piece.id], &piece);
	}
	return err;
}

static int feed_raw(struct index_builder *b, const uint8_t *bytes, size_t n)
{
	const struct csf_frame all = { .offset = b->at - b->begin, .data = bytes, .n = n };

	return b->by_id[CSF_ID_MAX] && n ? feed_track(b, b->by_id[CSF_ID_MAX], &all) : 0;
}

/* From @b->start up to here it is all in the index. */
static int add_range(struct index_builder *b)
{
	struct index *index = &b->index;
	struct index_range *before = index->n_range ? &index->range[index->n_range - 1] : NULL;

	if (before && before->end == b->start) {
		before->end = b->at;
		return 0;
	}
	if (!grow((void **)&index->range, index->n_range, sizeof(*index->range)))
		return CSF_ERR_MEMORY;
	index->range[index->n_range++] = (struct index_range){ b->start, b->at };
	return 0;
}

static int end_capture(struct index_builder *b)
{
	for (size_t i = 0; i <= CSF_ID_MAX; i++) {
		if (!b->by_id[i])
			continue;
		csf_monitor_end(b->by_id[i]->mon);
		if (see_packets(b, b->by_id[i]))
			return CSF_ERR_MEMORY;
	}
	return add_range(b);
}

int index_builder_go_on(struct index_builder *b, uint64_t at)
{
	int err = add_range(b);

	b->begin += at - b->at;
	b->start = at;
	b->at = at;
	return err;
}

int index_builder_feed(struct index_builder *b, const uint8_t *bytes, size_t n, bool last)
{
	size_t some;
	int err = 0;

	do {
		some = n < CHUNK ? n : CHUNK;
		if (b->raw)
			err = feed_raw(b, bytes, some);
		else
			err = feed_frames(b, bytes, some, last && some == n);
		b->at += some;
		bytes += some;
		n -= some;
	} while (n && !err);
	return !err && last ? end_capture(b) : err;
}

static int by_start(const void *a, const void *b)
{
	const struct index_range *x = a, *y = b;

	return x->start < y->start ? -1 : x->start > y->start;
}

struct index *index_builder_take(struct index_builder *b)
{
	struct index *index = malloc(sizeof(*index));
	const uint32_t every = b->index.every;

	if (!index) {
		for (size_t i = 0; i < b->index.n_stream; i++)
			free(b->index.stream[i].entry);
		free(b->index.stream);
		free(b->index.range);
		free(b->index.map);
	} else {
		*index = b->index;
		if (index->n_range)
			qsort(index->range, index->n_range, sizeof(*index->range), by_start);
	}
	b->index = (struct index){ .every = every };
	drop_tracks(b);
	memset(b->by_id, 0, sizeof(b->by_id));
	return index;
}
