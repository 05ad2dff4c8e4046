// SPDX-License-Identifier: GPL-2.0-only
/*
 * Paths of a hot loop: runs are the same as without paths, and full at the same places, for a
 * caller that asks for paths and for one that does not, which gets all steps.
 */
#include <stdlib.h>
#include <string.h>

#include "../lib/kselftest_harness.h"
#undef ARRAY_SIZE

#include "../../decoder/csflow.h"
#include "../../decoder/csflow-debug.h"
#include "../../decoder/path.h"
#include "../lib/spread.h"

/*
 * B.NE to itself, and BR X0, after which there is an address: taken, so often, by so many packets.
 */
#define LOOP	0x54000001u
#define AWAY	0xd61f0000u
#define ATOMS	6
#define PACKETS	8000

#define RUNS_MAX	2000

/**
 * struct seen - the output of a decoder
 * @steps: of each of @n runs; @taken: of all of them, those that are taken; @made: in the trace
 * @paths: there were so many
 * @marks: timestamps; @moved: those that are not behind the steps of all packets before them
 * @gaps: runs that end with a loss
 */
struct seen {
	uint64_t steps[RUNS_MAX];
	size_t n;
	uint64_t taken, made, paths, marks, moved, gaps;
};

/**
 * struct trace - packets of atoms, all taken
 * @code: of two branches, which is all there is
 * @atoms: in each packet
 * @address: an address is before each so many packets; 0: before none but the first
 * @random: each packet has up to @atoms, so that few of their runs come twice
 * @time: a timestamp is before each so many packets; 0: before none
 * @packets: so many; 0: PACKETS
 * @wrong: every other address is that of the second branch, which the first one does not lead to
 */
struct trace {
	uint32_t code;
	uint8_t atoms, address;
	bool random;
	uint8_t time;
	uint16_t packets;
	bool wrong;
};

/* @taken: atoms of all packets. */
static size_t make_trace(const struct csf_config *config, const struct trace *trace, uint8_t *bytes,
			 uint64_t *taken)
{
	static const struct csf_packet first[] = {
		{ .type = CSF_PKT_ASYNC }, { .type = CSF_PKT_INFO, .info = 1 },
		{ .type = CSF_PKT_ADDR64, .val = 0x1000, .n = 64 },
		{ .type = CSF_PKT_CONTEXT, .flags = CSF_PKT_CTXT, .info = 0x30 },
	};
	struct csf_packet again = { .type = CSF_PKT_ADDR_MATCH };
	struct csf_packet time = { .type = CSF_PKT_TIME, .n = 64 };
	struct csf_packet atoms = { .type = CSF_PKT_ATOM };
	size_t n = 0;

	*taken = 0;
	for (size_t i = 0; i < ARRAY_SIZE(first); i++)
		n += csf_packet_write(config, bytes + n, &first[i]);
	for (size_t i = 0; i < (trace->packets ? trace->packets : PACKETS); i++) {
		if (trace->wrong)
			again = (struct csf_packet){
				.type = CSF_PKT_ADDR64, .n = 64,
				.val = 0x1000 | (i / trace->address & 1) << 2,
			};
		if (trace->address && !(i % trace->address))
			n += csf_packet_write(config, bytes + n, &again);
		if (trace->time && !(i % trace->time)) {
			time.val = i + 1;
			n += csf_packet_write(config, bytes + n, &time);
		}
		atoms.n = trace->random ? 1 + (i * 2654435761u >> 16) % trace->atoms : trace->atoms;
		atoms.val = (1 << atoms.n) - 1;
		*taken += atoms.n;
		n += csf_packet_write(config, bytes + n, &atoms);
	}
	return n;
}

static void add_run(const struct trace *trace, struct seen *seen, const struct csf_run *run)
{
	if (seen->n == RUNS_MAX)
		abort();
	seen->steps[seen->n++] = run->n;
	for (size_t i = 0; i < run->n; i++)
		seen->taken += run->step[i] & 1;
	seen->gaps += run->end == CSF_END_GAP;
	seen->marks += run->n_mark;
	for (size_t i = 0; i < run->n_mark && !trace->random; i++)
		seen->moved += run->mark[i].seq != (run->mark[i].value - 1) * trace->atoms;
}

/* @NO_MORE: paths were asked for up to the first run that has one. */
enum how { WITHOUT, UNFOLDED, ASKED, NO_MORE };

static void decode(const struct trace *trace, uint32_t run_max, enum how how, struct seen *seen)
{
	const struct csf_config config = {
		.size = sizeof(config), .trcconfigr = 0x801, .trcidr0 = 0x28000ea1,
		.trcidr1 = 0x4100fff3, .trcidr2 = 0xd0001088, .trcdevarch = 0x47705a13,
		.run_max = run_max, .without = how == WITHOUT ? CSF_WITHOUT_PATHS : 0,
	};
	const uint32_t code[] = { trace->code, trace->code };
	uint8_t *bytes = malloc(CSF_PACKET_MAX * (3 * PACKETS + 8));
	struct spread spread = { 0 };
	struct csf_image *image;
	struct csf_decoder *dec;
	struct csf_run run;

	if (csf_image_new(&image) || csf_new(&dec, &config, image) ||
	    csf_ask_paths(dec, how >= ASKED) ||
	    csf_map(image, CSF_SPACE_ALL, 0x1000, sizeof(code),
		    csf_section_bytes(image, code, sizeof(code)), 0))
		abort();
	memset(seen, 0, sizeof(*seen));
	csf_feed(dec, bytes, make_trace(&config, trace, bytes, &seen->made));
	csf_end(dec);
	while (csf_next(dec, &run) > 0) {
		spread_run(&spread, image, &run);
		add_run(trace, seen, &run);
		if (how != NO_MORE || !spread.paths)
			continue;
		spread.paths = 0;
		how = UNFOLDED;
		if (csf_ask_paths(dec, false))
			abort();
	}
	seen->paths = spread.paths;
	free(spread.step);
	free(bytes);
	csf_free(dec);
	csf_image_free(image);
}

/* @what: of the trace; @most: steps in a run. */
static void expect_same(struct __test_metadata *_metadata, const char *what, uint32_t most,
			const struct seen *want, const struct seen *got)
{
	EXPECT_EQ(want->taken, got->taken)
		TH_LOG("%s, at most %u steps", what, most);
	EXPECT_EQ(want->marks, got->marks)
		TH_LOG("%s, at most %u steps", what, most);
	EXPECT_EQ(0, got->moved)
		TH_LOG("%s, at most %u steps", what, most);
	EXPECT_EQ(want->gaps, got->gaps)
		TH_LOG("%s, at most %u steps", what, most);
	ASSERT_EQ(want->n, got->n)
		TH_LOG("%s, at most %u steps", what, most);
	for (size_t k = 0; k < want->n; k++) {
		ASSERT_EQ(want->steps[k], got->steps[k])
			TH_LOG("%s, at most %u steps: run %zu", what, most, k);
	}
}

TEST(full_where_it_would_be)
{
	static const struct {
		const char *what;
		struct trace trace;
	} traces[] = {
		{ "one address", { LOOP, ATOMS, 0 } },
		{ "each third packet has an address", { LOOP, ATOMS, 3 } },
		{ "paths of one step", { AWAY, 1, 1 } },
		{ "paths of two steps", { LOOP, 1, 2 } },
		{ "addresses that the code contradicts", { LOOP, ATOMS, 20, .wrong = true } },
		{ "nothing comes twice", { LOOP, ATOMS, 5, true } },
		{ "timestamps", { LOOP, ATOMS, 5, .time = 101 } },
		{ "more timestamps than there is room for", { LOOP, 2, 0, .time = 1 } },
		/* 8,214 steps: after the first run it is too near to the end for paths */
		{ "a rest and little more", { LOOP, ATOMS, 5, .time = 101, .packets = 1369 } },
	};
	static const uint32_t most[] = { 100, 200, 400, 1000, 0 };
	struct seen want, got;

	for (size_t k = 0; k < ARRAY_SIZE(traces); k++) {
		const struct trace *trace = &traces[k].trace;
		/* with fewer steps in a run there is no room for paths */
		const uint32_t least = trace->wrong ? 400 : 200;

		for (size_t i = 0; i < ARRAY_SIZE(most); i++) {
			decode(trace, most[i], WITHOUT, &want);
			EXPECT_EQ(0, want.paths);
			EXPECT_EQ(want.made, want.taken);
			EXPECT_EQ(0, want.moved);

			decode(trace, most[i], UNFOLDED, &got);
			EXPECT_EQ(0, got.paths);
			expect_same(_metadata, traces[k].what, most[i], &want, &got);

			decode(trace, most[i], NO_MORE, &got);
			EXPECT_EQ(0, got.paths)
				TH_LOG("%s, at most %u steps", traces[k].what, most[i]);
			expect_same(_metadata, traces[k].what, most[i], &want, &got);

			decode(trace, most[i], ASKED, &got);
			EXPECT_EQ(!most[i] || most[i] >= least, got.paths > 0)
				TH_LOG("%s, at most %u steps: %u paths", traces[k].what, most[i],
				       (unsigned int)got.paths);
			expect_same(_metadata, traces[k].what, most[i], &want, &got);
		}
	}
}

static uint32_t keep(struct path_memo *memo, const uint32_t *step, uint32_t n)
{
	uint32_t *room = path_room(memo, n);

	if (!room)
		return 0;
	memcpy(room, step, n * sizeof(*step));
	return path_keep(memo, n);
}

/* Steps and paths, the longest and the shortest, one after the other, in place. */
TEST(unfold)
{
	static const uint32_t lengths[] = { 1, 2, 15, 16, 17, 32, 33, 168, 1, 1, 0, 0, 5, 0 };
	const size_t n = ARRAY_SIZE(lengths);
	struct path_memo *memo = path_memo_new();
	uint32_t want[1024], got[1024], number = 1;
	size_t all = 0;

	ASSERT_NE(NULL, memo);
	ASSERT_TRUE(path_memo_use(memo, true));
	for (size_t i = 0; i < n; i++) {
		const uint32_t first = all;

		for (uint32_t k = 0; !k || k < lengths[i]; k++)
			want[all++] = number++;
		got[i] = lengths[i] ? keep(memo, want + first, lengths[i]) : want[first];
	}
	got[all] = 0xabcd;
	path_unfold(memo, got, n, all - n);
	for (size_t i = 0; i < all; i++) {
		EXPECT_EQ(want[i], got[i])
			TH_LOG("step %zu", i);
	}
	EXPECT_EQ(0xabcd, got[all]);
	path_memo_free(memo);
}

/* Steps are kept until there is no room; then all is forgotten, but not in the midst of a run. */
TEST(no_room)
{
	struct path_memo *memo = path_memo_new();
	struct path_row row = { .start = 0x1000, .bytes = 0xf7, .gen = 1 };
	uint32_t step[100] = { 0 }, n = 0;

	ASSERT_NE(NULL, memo);
	ASSERT_TRUE(path_memo_use(memo, true));
	while (keep(memo, step, 100))
		n++;
	EXPECT_EQ(PATH_OWN_MAX / 100, n);
	*path_learn(memo, row.start, row.bytes) = row;
	path_memo_begin(memo);
	EXPECT_EQ(0, path_slot(memo, row.start, row.bytes)->gen);
	EXPECT_NE(0, keep(memo, step, 100));

	*path_learn(memo, row.start, row.bytes) = row;
	path_memo_begin(memo);
	EXPECT_EQ(1, path_slot(memo, row.start, row.bytes)->gen);
	path_memo_free(memo);
}

TEST_HARNESS_MAIN
