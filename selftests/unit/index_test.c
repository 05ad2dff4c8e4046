// SPDX-License-Identifier: GPL-2.0-only
/*
 * The answers of an index are those of a scan of the whole trace: for random traces of two trace
 * units in frames, and 10,000 random questions.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../lib/kselftest_harness.h"
#undef ARRAY_SIZE

#include "../../tools/lib/frame-write.h"
#include "../../tools/index/index.h"

#define UNITS		2
#define PACKETS		20000
#define QUESTIONS	10000
#define EVERY		512

/* The second unit writes no timestamps for a while, so that stretches have none. */
struct dice {
	uint32_t state;
};

static uint32_t throw(struct dice *dice, uint32_t sides)
{
	dice->state = dice->state * 1664525 + 1013904223;
	return (dice->state >> 8) % sides;
}

/* The contents of the trace, and their places: written down as it is made. */
struct fact {
	uint64_t pos;
	uint64_t time;
	uint16_t events;
	bool sync;
};

struct unit_trace {
	struct csf_config config;
	uint8_t bytes[PACKETS * CSF_PACKET_MAX];
	size_t n;
	struct fact fact[PACKETS];
	size_t n_fact;
	uint64_t time;
};

struct trace {
	struct unit_trace unit[UNITS];
	struct frame_writer frames;
};

static void add(struct unit_trace *t, const struct csf_packet *pkt, const struct fact *fact)
{
	if (fact) {
		t->fact[t->n_fact] = *fact;
		t->fact[t->n_fact++].pos = t->n;
	}
	t->n += csf_packet_write(&t->config, t->bytes + t->n, pkt);
}

static void add_any(struct unit_trace *t, struct dice *dice, bool back)
{
	const struct csf_packet async = { .type = CSF_PKT_ASYNC }, info = { .type = CSF_PKT_INFO };
	const uint32_t kind = throw(dice, 100);
	struct fact fact = { 0 };
	struct csf_packet pkt = { .type = CSF_PKT_ATOM, .n = 1, .val = 1 };

	if (!t->n || kind == 0) {
		fact.sync = true;
		add(t, &async, &fact);
		add(t, &info, NULL);
	} else if (kind < 4 && t->n % 8192 > 3000) {
		t->time += 1 + throw(dice, 1000);
		if (back && !throw(dice, 50))
			t->time = 1 + throw(dice, 100000);
		fact.time = t->time;
		pkt = (struct csf_packet){ .type = CSF_PKT_TIME, .n = 64, .val = t->time };
		add(t, &pkt, &fact);
	} else if (kind < 6 && !throw(dice, 20)) {
		fact.events = 1 + throw(dice, 15);
		pkt = (struct csf_packet){ .type = CSF_PKT_EVENT, .val = fact.events };
		add(t, &pkt, &fact);
	} else if (kind < 30) {
		pkt = (struct csf_packet){
			.type = CSF_PKT_ADDR64, .n = 64, .val = 4ull * throw(dice, 1 << 20),
		};
		add(t, &pkt, NULL);
	} else {
		add(t, &pkt, NULL);
	}
}

static void make(struct trace *t, uint32_t seed, bool back)
{
	struct dice dice = { seed };
	size_t at[UNITS] = { 0 };
	bool more = true;

	memset(t, 0, sizeof(*t));
	for (int i = 0; i < UNITS; i++) {
		t->unit[i].config = (struct csf_config){
			.size = sizeof(struct csf_config), .trcidr0 = 0x28000ea1,
			.trcidr1 = 0x4100f420, .trcidr2 = 0x488, .trcconfigr = 0x801,
		};
		for (int k = 0; k < PACKETS / 2; k++)
			add_any(&t->unit[i], &dice, back);
	}
	while (more) {
		more = false;
		for (int i = 0; i < UNITS; i++) {
			struct unit_trace *u = &t->unit[i];
			size_t n = 1 + throw(&dice, 60), left = u->n - at[i];

			n = n < left ? n : left;
			if (n)
				frame_write(&t->frames, 0x10 + i, u->bytes + at[i], n);
			at[i] += n;
			more |= n;
		}
	}
	frame_write_end(&t->frames);
}

/* In pieces of @piece bytes. */
static struct index *build(const struct trace *t, size_t piece)
{
	struct input_source source[UNITS] = { 0 };
	struct input in = {
		.framing = CSF_FRAMES_MEMORY, .source = source, .n_source = UNITS,
	};
	struct index_builder *b;
	struct index *index;

	for (int i = 0; i < UNITS; i++) {
		source[i].config = t->unit[i].config;
		source[i].id = 0x10 + i;
	}
	if (index_builder_new(&b, EVERY) || index_builder_begin(b, &in, 0))
		return NULL;
	for (size_t at = 0; at < t->frames.n; at += piece) {
		size_t n = t->frames.n - at < piece ? t->frames.n - at : piece;

		if (index_builder_feed(b, t->frames.data + at, n, at + n == t->frames.n))
			return NULL;
	}
	index = index_builder_take(b);
	index_builder_free(b);
	index->bytes = t->frames.n;
	index->hash = index_hash_of(t->frames.data, t->frames.n);
	return index;
}

/* ---------------------------------------------------------------- the full scan */

/* The stretch that has @pos, by the rule alone: syncs EVERY bytes apart begin one. */
static size_t stretch_of(const struct unit_trace *u, uint64_t pos)
{
	size_t n = 0;
	uint64_t begin = 0;

	for (size_t i = 0; i < u->n_fact && u->fact[i].pos <= pos; i++)
		if (u->fact[i].sync && (!n || u->fact[i].pos - begin >= EVERY)) {
			begin = u->fact[i].pos;
			n++;
		}
	return n ? n - 1 : INDEX_NONE;
}

static size_t scan_time(const struct unit_trace *u, uint64_t time)
{
	for (size_t i = 0; i < u->n_fact; i++)
		if (u->fact[i].time && u->fact[i].time >= time)
			return stretch_of(u, u->fact[i].pos);
	return INDEX_NONE;
}

static size_t scan_event(const struct unit_trace *u, size_t from, uint16_t events)
{
	for (size_t i = 0; i < u->n_fact; i++)
		if (u->fact[i].events & events && stretch_of(u, u->fact[i].pos) >= from)
			return stretch_of(u, u->fact[i].pos);
	return INDEX_NONE;
}

static bool agrees(const struct trace *t, const struct index *index, struct dice *dice)
{
	const int i = throw(dice, UNITS);
	const struct unit_trace *u = &t->unit[i];
	const struct index_stream *s = &index->stream[i];
	const uint64_t time = throw(dice, u->time + u->time / 10 + 2), pos = throw(dice, u->n);
	const uint16_t events = 1 + throw(dice, 15);
	const size_t from = throw(dice, s->n);

	switch (throw(dice, 3)) {
	case 0:
		return index_find_time(s, time) == scan_time(u, time);
	case 1:
		return index_find_pos(s, pos) == stretch_of(u, pos);
	}
	return index_find_event(s, from, events) == scan_event(u, from, events);
}

FIXTURE(index)
{
	struct trace *trace;
};

FIXTURE_VARIANT(index)
{
	bool back;
};

FIXTURE_VARIANT_ADD(index, forwards) { .back = false };
FIXTURE_VARIANT_ADD(index, backwards) { .back = true };

FIXTURE_SETUP(index)
{
	self->trace = malloc(sizeof(*self->trace));
	ASSERT_NE(NULL, self->trace);
}

FIXTURE_TEARDOWN(index)
{
	free(self->trace);
}

TEST_F(index, agrees_with_a_full_scan)
{
	struct dice dice = { 7 };

	for (uint32_t seed = 1; seed <= 10; seed++) {
		struct index *index;

		make(self->trace, seed, variant->back);
		index = build(self->trace, 1000);
		ASSERT_NE(NULL, index);
		ASSERT_EQ(UNITS, index->n_stream);
		if (!variant->back)
			EXPECT_TRUE(index->stream[0].ordered);
		for (int i = 0; i < QUESTIONS / 10; i++)
			ASSERT_TRUE(agrees(self->trace, index, &dice));
		index_free(index);
		free(self->trace->frames.data);
	}
}

static bool same(const struct index *a, const struct index *b)
{
	if (a->bytes != b->bytes || a->hash != b->hash || a->n_stream != b->n_stream ||
	    a->n_range != b->n_range || a->n_map != b->n_map ||
	    memcmp(a->map, b->map, a->n_map * sizeof(*a->map)) ||
	    memcmp(a->range, b->range, a->n_range * sizeof(*a->range)))
		return false;
	for (size_t i = 0; i < a->n_stream; i++)
		if (a->stream[i].n != b->stream[i].n || a->stream[i].id != b->stream[i].id ||
		    a->stream[i].bytes != b->stream[i].bytes ||
		    a->stream[i].ordered != b->stream[i].ordered ||
		    memcmp(a->stream[i].entry, b->stream[i].entry,
			   a->stream[i].n * sizeof(struct index_entry)))
			return false;
	return true;
}

TEST_F(index, is_the_same_for_any_chunks_and_from_disk)
{
	char path[] = "/tmp/csflow-index-XXXXXX";
	struct packed_problem problem;
	int fd = mkstemp(path);
	struct index *whole, *pieces, *disk;

	ASSERT_LE(0, fd);
	close(fd);
	make(self->trace, 3, variant->back);
	whole = build(self->trace, SIZE_MAX / 2);
	pieces = build(self->trace, 17);
	ASSERT_TRUE(same(whole, pieces));
	ASSERT_EQ(0, index_write(whole, path));
	ASSERT_EQ(INDEX_GOOD, index_read(&disk, path, &problem));
	EXPECT_TRUE(same(whole, disk));
	EXPECT_EQ(INDEX_GOOD, index_fits(disk, whole->bytes, whole->hash));
	EXPECT_EQ(INDEX_STALE, index_fits(disk, whole->bytes + 1, whole->hash));
	EXPECT_TRUE(index_covers(disk, 0, whole->bytes));
	EXPECT_FALSE(index_covers(disk, 0, whole->bytes + 1));
	EXPECT_EQ(0, index_find_id(disk, 0, 0x11));
	EXPECT_EQ(INDEX_NONE, index_find_id(disk, 0, 0x12));
	unlink(path);
	index_free(whole);
	index_free(pieces);
	index_free(disk);
	free(self->trace->frames.data);
}

/* Each entry says where in the capture its A-sync begins. */
TEST_F(index, knows_where_in_the_capture)
{
	struct csf_frames *frames;
	struct csf_frame piece;
	uint64_t pos[UNITS] = { 0 };
	size_t next[UNITS] = { 0 };
	struct index *index;

	make(self->trace, 5, variant->back);
	index = build(self->trace, 4096);
	ASSERT_EQ(0, csf_frames_new(&frames, CSF_FRAMES_MEMORY, 0));
	csf_frames_watch(frames, self->trace->frames.data, self->trace->frames.n, true);
	while (csf_frames_next(frames, &piece) > 0) {
		int i = piece.id - 0x10;

		for (size_t k = 0; k < piece.n && i >= 0 && i < UNITS; k++, pos[i]++) {
			const struct index_stream *s = &index->stream[i];

			if (next[i] < s->n && s->entry[next[i]].pos == pos[i])
				ASSERT_EQ(piece.at[k], s->entry[next[i]++].capture);
		}
	}
	for (int i = 0; i < UNITS; i++)
		EXPECT_EQ(index->stream[i].n, next[i]);
	csf_frames_free(frames);
	index_free(index);
	free(self->trace->frames.data);
}

/* A damaged index is refused, wherever the damage; one cut short, too. */
TEST_F(index, refuses_damage)
{
	char path[] = "/tmp/csflow-index-XXXXXX";
	struct packed_problem problem;
	int fd = mkstemp(path);
	struct dice dice = { 11 };
	struct index *index, *other;
	static uint8_t bytes[1 << 20];
	ssize_t n;

	ASSERT_LE(0, fd);
	make(self->trace, 9, variant->back);
	index = build(self->trace, 4096);
	close(fd);
	ASSERT_EQ(0, index_write(index, path));
	index_free(index);
	free(self->trace->frames.data);
	FILE *f = fopen(path, "rb");

	ASSERT_NE(NULL, f);
	n = fread(bytes, 1, sizeof(bytes), f);
	fclose(f);
	unlink(path);
	ASSERT_EQ(INDEX_GOOD, index_parse(&other, bytes, n, &problem));
	index_free(other);
	for (int i = 0; i < 2000; i++) {
		size_t at = throw(&dice, i & 1 ? n : 256);
		uint8_t bit = 1u << throw(&dice, 8);
		int state;

		problem = (struct packed_problem){ NULL, SIZE_MAX };
		bytes[at] ^= bit;
		state = index_parse(&other, bytes, n, &problem);
		bytes[at] ^= bit;
		if (state == INDEX_GOOD)
			index_free(other);
		else
			EXPECT_EQ(NULL, other);
		/* where, and why; not after the end */
		if (state == INDEX_CORRUPT) {
			EXPECT_NE(NULL, problem.why);
			EXPECT_LE(problem.offset, n);
		}
		/* bytes that have no checksum are not checked */
		if (at < 60)
			EXPECT_NE(INDEX_GOOD, state);
	}
	for (ssize_t k = 0; k < n; k += 97)
		EXPECT_NE(INDEX_GOOD, index_parse(&other, bytes, k, &problem));
}

TEST_HARNESS_MAIN
