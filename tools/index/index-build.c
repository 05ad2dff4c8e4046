// SPDX-License-Identifier: GPL-2.0-only
/* Makes an index from the packets of each stream, without the code that ran. */
#include <assert.h>
#include <endian.h>
#include <stdlib.h>
#include <string.h>

#include "../../perf-plugin/array.h"
#include "index-parts.h"
#include "../lib/without.h"

/* Packets read at a time. */
#define PACKETS		256

/* A frame that begins before an offset ends at most this many bytes after it. */
#define FRAME_TAIL	15
#define FRAME		16

/* ETMCR: context IDs have bytes */
#define CR_CID_SIZE	(3u << 14)
/* ETMCCER: timestamps are binary */
#define CCER_BINARY	(1u << 28)

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
	for (size_t i = 0; i < b->n_track; i++) {
		csf_monitor_free(b->track[i].mon);
		csf_messages_free(b->track[i].messages);
	}
	free(b->track);
	free(b->stretch);
	csf_frames_free(b->frames);
	b->frames = NULL;
	b->track = NULL;
	b->n_track = 0;
	b->stretch = NULL;
	b->n_stretch = 0;
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

static bool goes_on(const struct track *t, const struct csf_config *config)
{
	return !memcmp(&t->config, config, sizeof(*config));
}

/* ---------------------------------------------------------------- streams */

/* An ETMv3 or a PTM 1.1 that does not say that its timestamps are binary. */
static bool is_gray(const struct csf_config *config)
{
	const int protocol = csf_config_protocol(config);

	if (protocol == CSF_PROTOCOL_PTM && !(csf_config_version(config) & 0xf))
		return false;
	return (protocol == CSF_PROTOCOL_PTM || protocol == CSF_PROTOCOL_ETM3) &&
	       !(config->etmccer & CCER_BINARY);
}

static int add_track(struct index_builder *b, const struct input_source *source, uint8_t id)
{
	struct index *index = &b->index;
	struct track *t;

	if (!array_next(&b->track, b->n_track, sizeof(*b->track)) ||
	    !array_next(&index->stream, index->n_stream, sizeof(*index->stream)))
		return CSF_ERR_MEMORY;
	t = &b->track[b->n_track++];
	*t = (struct track){
		.config = source->config, .stream = index->n_stream++, .id = id,
		.gray = is_gray(&source->config),
	};
	index->stream[t->stream] = (struct index_stream){
		.id = id,
		.protocol = csf_config_protocol(&source->config),
		.cpu = source->number,
		.ordered = true,
	};
	return 0;
}

/* Finds or makes the stream of a trace unit.  Its number, or an error. */
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
	csf_messages_free(t->messages);
	t->mon = NULL;
	t->messages = NULL;
	t->syncs = 0;
	t->before = 0;
	t->synced = false;
	t->time = 0;
	if (csf_config_has_messages(&t->config))
		err = csf_messages_new(&t->messages, &t->config);
	else
		err = csf_monitor_new(&t->mon, &t->config);
	t->base = t->fed;
	t->wait = true;
	return err < 0 ? err : (int)i;
}

static int add_stretch(struct index_builder *b)
{
	if (!array_next(&b->stretch, b->n_stretch, sizeof(*b->stretch)))
		return CSF_ERR_MEMORY;
	b->stretch[b->n_stretch++] = (struct stretch){ b->at - b->begin, b->begin };
	return 0;
}

/* The monitor of each trace unit gets its bytes directly from the frames. */
static int open_frames(struct index_builder *b, enum csf_framing framing)
{
	int err = csf_frames_new(&b->frames, framing, without_frames());

	for (unsigned int id = 1; !err && id < CSF_ID_MAX; id++) {
		const struct track *t = b->by_id[id];

		if (t && t->messages)
			err = csf_attach_messages(b->frames, id, t->messages);
		else if (t)
			err = csf_attach_monitor(b->frames, id, t->mon);
	}
	return err;
}

int index_builder_begin(struct index_builder *b, const struct input *in, uint64_t at)
{
	int number[CSF_ID_MAX + 1];
	int err = 0;

	b->raw = in->framing == INPUT_RAW;
	b->memory = in->framing == CSF_FRAMES_MEMORY;
	b->id = INDEX_NO_ID;
	b->begin = at;
	b->start = at;
	b->at = at;
	memset(b->by_id, 0, sizeof(b->by_id));
	csf_frames_free(b->frames);
	b->frames = NULL;
	b->n_stretch = 0;
	for (size_t i = 0; i < in->n_source && i <= CSF_ID_MAX; i++) {
		number[i] = track_of(b, &in->source[i], b->raw ? 0 : in->source[i].id);
		if (number[i] < 0)
			return number[i];
	}
	for (size_t i = 0; i < in->n_source && i <= CSF_ID_MAX; i++)
		b->by_id[b->raw ? CSF_ID_MAX : in->source[i].id] = &b->track[number[i]];
	if (!b->raw)
		err = open_frames(b, in->framing);
	return err ? err : add_stretch(b);
}

/* ---------------------------------------------------------------- packets */

/* The offset in the source of byte @pos of a fragment. */
static uint64_t capture_of(const struct index_builder *b, const struct track *t, uint64_t pos)
{
	const uint64_t at = b->raw ? pos : csf_frames_offset(b->frames, t->id, pos);
	size_t i = b->n_stretch;

	if (at == UINT64_MAX)
		return 0;
	while (i > 1 && b->stretch[i - 1].at > at)
		i--;
	return b->stretch[i - 1].begin + at;
}

bool index_open_entry(struct index_builder *b, struct track *t, uint64_t pos)
{
	struct index_stream *s = &b->index.stream[t->stream];

	/* fragments shorter than a stretch share one */
	if (s->n && t->base + pos - s->entry[s->n - 1].pos < b->index.every) {
		t->wait = false;
		return true;
	}
	if (!array_next(&s->entry, s->n, sizeof(*s->entry)))
		return false;
	s->entry[s->n++] = (struct index_entry){
		.capture = capture_of(b, t, pos), .pos = t->base + pos,
		.flags = t->wait ? INDEX_BEGINS : 0,
	};
	t->wait = false;
	return true;
}

void index_add_time(struct index_stream *s, struct index_entry *e, struct track *t,
		    uint64_t time)
{
	if (time < t->latest)
		s->ordered = false;
	t->latest = time;
	if (!e->n_time || time < e->first)
		e->first = time;
	if (!e->n_time || time > e->last)
		e->last = time;
	e->n_time += e->n_time < UINT32_MAX;
}

static uint64_t from_gray(uint64_t v)
{
	for (unsigned int shift = 32; shift; shift /= 2)
		v ^= v >> shift;
	return v;
}

/* Time 0 means that the trace unit did not know the time. */
static void see_time(struct index_stream *s, struct index_entry *e, struct track *t,
		     const struct csf_packet *pkt)
{
	const uint64_t keep = pkt->n < 64 ? ~0ull << pkt->n : 0;

	t->time = (t->time & keep) | pkt->val;
	if (t->time)
		index_add_time(s, e, t, t->gray ? from_gray(t->time) : t->time);
}

static void see_context(struct index_stream *s, struct index_entry *e,
			const struct csf_packet *pkt)
{
	if (!(pkt->flags & CSF_PKT_CTXT))
		return;
	s->el1 |= (pkt->info & 3) == 1;
	if (e->flags & INDEX_HAS_CONTEXT)
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

/* What an ETMv3 or a PTM says of contexts, a part at a time. */
static void see_classic(struct index_entry *e, struct track *t, const struct csf_packet *pkt)
{
	const bool has = t->config.etmcr & CR_CID_SIZE;

	if (pkt->type == CSF_PKT_VMID && !(e->flags & INDEX_HAS_VMID)) {
		e->flags |= INDEX_HAS_VMID;
		e->vmid = pkt->vmid;
	} else if (pkt->type != CSF_PKT_VMID && has && !(e->flags & INDEX_HAS_CONTEXTID)) {
		e->flags |= INDEX_HAS_CONTEXTID;
		e->contextid = pkt->contextid;
	}
	if (pkt->type == CSF_PKT_ISYNC)
		see_address(e, pkt);
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
	case CSF_PKT_TRIGGER:
		e->events |= INDEX_TRIGGER;
		break;
	case CSF_PKT_ISYNC:
	case CSF_PKT_CTXTID:
	case CSF_PKT_VMID:
		see_classic(e, t, pkt);
		break;
	case CSF_PKT_BAD:
	case CSF_PKT_DISCARD:
	case CSF_PKT_OVERFLOW:
		e->n_lost += e->n_lost < UINT16_MAX;
		break;
	case CSF_PKT_ADDR_CTXT32:
	case CSF_PKT_ADDR_CTXT64:
	case CSF_PKT_CONTEXT:
		see_context(s, e, pkt);
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

/* When a packet can change an entry. */
enum { SEE_FIRST = 1, SEE_ENTRY = 2, SEE_ADDRESS = 4 };

/*
 * Atoms cannot, nor can addresses after the first: so most packets are skipped, and one jump is
 * predicted well for all of them.  Packets before the first A-sync are unknown.
 */
static const uint8_t see[CSF_PKT_NR] = {
	[CSF_PKT_ASYNC] = SEE_FIRST | SEE_ENTRY, [CSF_PKT_INFO] = SEE_ENTRY,
	[CSF_PKT_TIME] = SEE_ENTRY, [CSF_PKT_EVENT] = SEE_ENTRY, [CSF_PKT_BAD] = SEE_ENTRY,
	[CSF_PKT_DISCARD] = SEE_ENTRY, [CSF_PKT_OVERFLOW] = SEE_ENTRY,
	[CSF_PKT_ADDR_CTXT32] = SEE_ENTRY, [CSF_PKT_ADDR_CTXT64] = SEE_ENTRY,
	[CSF_PKT_CONTEXT] = SEE_ENTRY, [CSF_PKT_ADDR32] = SEE_ADDRESS,
	[CSF_PKT_ADDR64] = SEE_ADDRESS, [CSF_PKT_TRIGGER] = SEE_ENTRY,
	[CSF_PKT_ISYNC] = SEE_ADDRESS, [CSF_PKT_CTXTID] = SEE_ENTRY, [CSF_PKT_VMID] = SEE_ENTRY,
};

static uint8_t what_to_see(const struct index_stream *s)
{
	if (!s->n)
		return SEE_FIRST;
	return s->entry[s->n - 1].flags & INDEX_HAS_ADDR ? SEE_ENTRY : SEE_ENTRY | SEE_ADDRESS;
}

static int see_packets(struct index_builder *b, struct track *t)
{
	struct index_stream *s = &b->index.stream[t->stream];
	uint8_t what = what_to_see(s);
	struct csf_packet pkt[PACKETS];
	uint64_t from, pos;
	long n;

	while ((n = csf_monitor_read(t->mon, pkt, PACKETS, &from, NULL)) > 0) {
		pos = from;
		for (long i = 0; i < n; pos += pkt[i].size, i++) {
			if (!(see[pkt[i].type] & what))
				continue;
			if (pkt[i].type == CSF_PKT_ASYNC && !index_open_entry(b, t, pos))
				return CSF_ERR_MEMORY;
			see_packet(s, t, &pkt[i]);
			what = what_to_see(s);
		}
	}
	return n;
}

static int see_all(struct index_builder *b)
{
	int err = 0;

	for (size_t i = 0; i <= CSF_ID_MAX && !err; i++) {
		struct track *t = b->by_id[i];

		if (t)
			err = t->messages ? index_see_messages(b, t) : see_packets(b, t);
	}
	return err;
}

/* ---------------------------------------------------------------- bytes */

static struct index_block *block_at(struct index_builder *b, uint64_t capture)
{
	struct index *index = &b->index;
	const size_t block = capture / INDEX_BLOCK;

	while (index->n_map <= block) {
		if (!array_next(&index->map, index->n_map, sizeof(*index->map)))
			return NULL;
		index->map[index->n_map++] = (struct index_block){ .id = INDEX_NO_ID };
	}
	return &index->map[block];
}

static int map_id(struct index_builder *b, uint64_t capture, uint8_t id)
{
	struct index_block *block = block_at(b, capture);

	if (!block)
		return CSF_ERR_MEMORY;
	block->ids[id / 8] |= 1u << id % 8;
	return 0;
}

/* How many of @n bytes, the first at an even offset, are in words without an ID. */
static size_t without_ids(const uint8_t *bytes, size_t n)
{
	size_t i = 0;
	uint64_t word;

	for (; n - i >= sizeof(word); i += sizeof(word)) {
		memcpy(&word, bytes + i, sizeof(word));
		if (word & htole64(0x0001000100010001))
			break;
	}
	return i;
}

/*
 * IDs at the beginning of blocks.  A byte at an even offset with bit 0 set is an ID.  No piece
 * crosses the edge of a block: bytes_alike().
 */
static int see_ids(struct index_builder *b, const uint8_t *bytes, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		uint64_t offset = b->at + i, pos = offset - b->begin;
		struct index_block *block;

		if (!(pos & 1) && offset % INDEX_BLOCK >= FRAME) {
			i += without_ids(bytes + i, n - i);
			if (i == n)
				break;
			offset = b->at + i;
			pos = offset - b->begin;
		}
		if (!(pos % FRAME) && offset % INDEX_BLOCK < FRAME) {
			block = block_at(b, offset);
			if (!block)
				return CSF_ERR_MEMORY;
			block->id = b->id;
		}
		if (!(pos & 1) && bytes[i] & 1)
			b->id = bytes[i] >> 1;
	}
	return 0;
}

/* The bytes of each ID between @before and @now were in the block at @at. */
static int map_ids(struct index_builder *b, const struct csf_frame_stats *before,
		   const struct csf_frame_stats *now, uint64_t at)
{
	int err = 0;

	for (unsigned int id = 0; id < CSF_ID_MAX && !err; id++) {
		if (now->id[id] == before->id[id])
			continue;
		err = map_id(b, at, id);
		if (b->by_id[id]) {
			b->by_id[id]->fed += now->id[id] - before->id[id];
			b->index.stream[b->by_id[id]->stream].bytes = b->by_id[id]->fed;
		}
	}
	return err;
}

/*
 * The length up to the next edge of a block and, for the result of a frame that crosses it, less
 * than a frame more: that belongs to the block before.
 */
static size_t bytes_alike(uint64_t at)
{
	const uint64_t in = at % INDEX_BLOCK;

	return in < FRAME_TAIL ? FRAME_TAIL - in : INDEX_BLOCK - in;
}

static int feed_frames(struct index_builder *b, const uint8_t *bytes, size_t n)
{
	struct csf_frame_stats before = { .size = sizeof(before) }, now = before;
	const uint64_t in = b->at % INDEX_BLOCK, back = in < FRAME_TAIL && b->at > in ? in + 1 : 0;
	long took = 0;
	int err = b->memory ? see_ids(b, bytes, n) : 0;

	csf_frames_stats(b->frames, &before);
	for (size_t done = 0; done < n && !err; done += took) {
		took = csf_frames_feed(b->frames, bytes + done, n - done);
		err = took <= 0 ? CSF_ERR_ARG : see_all(b);
	}
	csf_frames_stats(b->frames, &now);
	return err ? err : map_ids(b, &before, &now, b->at - back);
}

static int feed_raw(struct index_builder *b, const uint8_t *bytes, size_t n)
{
	struct track *t = b->by_id[CSF_ID_MAX];

	if (!t || !n)
		return 0;
	t->fed += n;
	b->index.stream[t->stream].bytes = t->fed;
	if (t->messages)
		return csf_messages_feed(t->messages, bytes, n) < 0 ? CSF_ERR_ARG :
		       index_see_messages(b, t);
	return csf_monitor_feed(t->mon, bytes, n) < 0 ? CSF_ERR_ARG : see_packets(b, t);
}

/* Everything from @b->start up to here is in the index. */
static int add_range(struct index_builder *b)
{
	struct index *index = &b->index;
	struct index_range *before = index->n_range ? &index->range[index->n_range - 1] : NULL;

	if (before && before->end == b->start) {
		before->end = b->at;
		return 0;
	}
	if (!array_next(&index->range, index->n_range, sizeof(*index->range)))
		return CSF_ERR_MEMORY;
	index->range[index->n_range++] = (struct index_range){ b->start, b->at };
	return 0;
}

static int end_capture(struct index_builder *b)
{
	int err = 0;

	if (!b->raw)
		err = csf_frames_end(b->frames);
	else if (b->by_id[CSF_ID_MAX] && b->by_id[CSF_ID_MAX]->messages)
		err = csf_messages_end(b->by_id[CSF_ID_MAX]->messages);
	else if (b->by_id[CSF_ID_MAX])
		err = csf_monitor_end(b->by_id[CSF_ID_MAX]->mon);
	if (!err)
		err = see_all(b);
	return err ? err : add_range(b);
}

int index_builder_go_on(struct index_builder *b, uint64_t at)
{
	int err = add_range(b);

	if (at == b->at)
		return err;
	b->begin += at - b->at;
	b->start = at;
	b->at = at;
	return err ? err : add_stretch(b);
}

int index_builder_feed(struct index_builder *b, const uint8_t *bytes, size_t n, bool last)
{
	size_t some;
	int err = 0;

	do {
		some = bytes_alike(b->at);
		some = n < some ? n : some;
		err = b->raw ? feed_raw(b, bytes, some) : feed_frames(b, bytes, some);
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
