// SPDX-License-Identifier: GPL-2.0-only
/* Frames: worked examples, any cut of the capture, exact offsets, damage, real captures. */
#include <stdio.h>

#include "../lib/kselftest_harness.h"
#undef ARRAY_SIZE
#include "../../decoder/csflow-debug.h"
#include "../../decoder/frame.h"
#include "../../decoder/frame-simd.h"
#include "../lib/frame_ref.h"

#define FS "ffffff7f"
#define HS "ff7f"
/* Source: worked by hand from ARM IHI 0029 */
#define FRAME_A "21000000000080082300aabb21800010"
#define FRAME_B "00218485848421842184010000002110"
#define FRAME_C "84848485fb5512342184848484848406"
#define PLAIN "000102030405060708090a0b0c0d0e00"

static size_t unhex(const char *text, uint8_t *data)
{
	size_t n = 0;

	for (; *text; text += 2) {
		unsigned int byte;

		if (sscanf(text, "%2x", &byte) != 1)
			abort();
		data[n++] = byte;
	}
	return n;
}

/* ---------------------------------------------------------------- one capture, all ways */

/* Return: NULL, or the error. */
static const char *capture_wrong(struct capture *cap)
{
	static const size_t cuts[] = { 0, 1, 2, 3, 5, 16, 17, 37, 4096 };
	const char *wrong = NULL;
	struct ref ref = { 0 };
	size_t i;

	memcpy(ref.attached, cap->attached, sizeof(ref.attached));
	ref_run(&ref, cap->framing, cap->flags, cap->data, cap->n);
	for (i = 0; i < 2 * ARRAY_SIZE(cuts) && !wrong; i++) {
		cap->cut = cuts[i / 2];
		if (cap->cut && cap->n / cap->cut > 4000)
			continue;
		cap->random = i % 2;
		if (!feed_right(cap, &ref))
			wrong = "feed";
		else if (!watch_right(cap, &ref))
			wrong = "watch";
	}
	if (!wrong) {
		cap->cut = 0;
		cap->flags ^= CSF_WITHOUT_FRAMES;
		wrong = feed_right(cap, &ref) ? NULL : "feed, frame by frame";
		cap->flags ^= CSF_WITHOUT_FRAMES;
	}
	ref_free(&ref);
	return wrong;
}

static void attach_some(struct capture *cap)
{
	memset(cap->attached + 0x10, true, 7);
	cap->attached[0x01] = true;
	cap->attached[0x6f] = true;
}

/* ---------------------------------------------------------------- worked examples */

static const char *const kinds[] = {
	[CSF_FRAME_FSYNC] = "fsync", [CSF_FRAME_HSYNC] = "hsync", [CSF_FRAME_BARRIER] = "barrier",
	[CSF_FRAME_SKIPPED] = "skipped", [CSF_FRAME_BAD] = "bad", [CSF_FRAME_PARTIAL] = "partial",
	[CSF_FRAME_TRAILER] = "trailer",
};

/* The output of the monitor for @cap: "10@1:0102" for data, "fsync@0" and so on. */
static void listing(const struct capture *cap, char *text, size_t max)
{
	struct csf_frames *frames;
	struct csf_frame piece;
	size_t i;

	*text = 0;
	if (csf_frames_new(&frames, cap->framing, cap->flags))
		return;
	csf_frames_watch(frames, cap->data, cap->n, true);
	while (csf_frames_next(frames, &piece)) {
		size_t n = strlen(text);

		if (piece.kind == CSF_FRAME_DATA) {
			n += snprintf(text + n, max - n, " %02x@%x:", piece.id,
				      (unsigned int)piece.offset);
			for (i = 0; i < piece.n; i++)
				n += snprintf(text + n, max - n, "%02x", piece.data[i]);
		} else {
			snprintf(text + n, max - n, " %s@%x:%zu", kinds[piece.kind],
				 (unsigned int)piece.offset, piece.n);
		}
	}
	csf_frames_free(frames);
}

#define ABC_PIECES(a, b, c) \
	" 10@" a "1:0000000000800800 11@" a "a:aabb 10@" a "d:8000" \
	" 10@" b "0:0021848584848484 00@" b "b:000000" \
	" 10@" c "0:8484858555 7d@" c "6:1234 10@" c "9:848484848484"

static const struct {
	const char *rule;
	enum csf_framing framing;
	uint32_t flags;
	const char *bytes;
	const char *pieces;
} examples[] = {
	{ "an ID with aux bit 0 owns the byte behind it, with 1 it does not; byte 14 is for later",
	  CSF_FRAMES_MEMORY, 0, FRAME_A FRAME_B FRAME_C, ABC_PIECES("", "1", "2") },
	{ "the same in a stream with full-frame syncs",
	  CSF_FRAMES_TPIU, 0, FS FRAME_A FS FS FRAME_B FRAME_C,
	  " fsync@0:4 10@5:0000000000800800 11@e:aabb 10@11:8000 fsync@14:4 fsync@18:4"
	  " 10@1c:0021848584848484 00@27:000000"
	  " 10@2c:8484858555 7d@32:1234 10@35:848484848484" },
	{ "half-frame syncs may be anywhere between pairs of bytes, and change nothing",
	  CSF_FRAMES_TPIU, 0, FS HS "2100" HS "0000" HS HS "00008008" "2300aabb2180" HS "0010" HS,
	  " fsync@0:4 hsync@4:2 hsync@8:2 hsync@c:2 hsync@e:2 hsync@1a:2"
	  " 10@7:0000000000800800 11@16:aabb 10@19:8000 hsync@1e:2" },
	{ "bit 0 of a mixed byte is in the aux byte", CSF_FRAMES_MEMORY, 0,
	  "210200040006000800aa00bb00cc00d4",
	  " 10@1:02000401060008" "01aa00bb01cc01" },
	{ "all eight bits", CSF_FRAMES_MEMORY, 0, PLAIN PLAIN,
	  " 80@0:000102030405060708090a0b0c0d0e 80@10:000102030405060708090a0b0c0d0e" },
	{ "bytes before the first ID belong to nobody", CSF_FRAMES_MEMORY, 0,
	  "0001020321ff060708090a0b0c0d0e00",
	  " 80@0:00010203 10@5:ff060708090a0b0c0d0e" },
	{ "a late ID in the first byte", CSF_FRAMES_MEMORY, 0,
	  "21aa02030405060708090a0b0c0d0e01", " 80@1:aa 10@2:02030405060708090a0b0c0d0e" },
	{ "a late ID in byte 12 leaves byte 14", CSF_FRAMES_MEMORY, 0,
	  "21010203040506070809" "0a0b230d0e40",
	  " 10@1:0102030405060708090a0b0d 11@e:0e" },
	{ "an ID in byte 14 has no byte behind it, whatever its aux bit", CSF_FRAMES_MEMORY, 0,
	  "21010203040506070809" "0a0b0c0d2380" PLAIN,
	  " 10@1:0102030405060708090a0b0c0d 11@10:000102030405060708090a0b0c0d0e" },
	{ "late IDs one behind the other", CSF_FRAMES_MEMORY, 0,
	  "21aa23bb25cc06070809" "0a0b0c0d0e07",
	  " 80@1:aa 10@3:bb 11@5:cc 12@6:060708090a0b0c0d0e" },
	{ "a frame of nothing but IDs", CSF_FRAMES_MEMORY, 0,
	  "210123022503270429052b062d072f00",
	  " 10@1:01 11@3:02 12@5:03 13@7:04 14@9:05 15@b:06 16@d:07" },
	{ "the ID in force, once more", CSF_FRAMES_MEMORY, 0,
	  "21012101210121012101210121012100", " 10@1:01010101010101" },
	{ "ID 0x7f in memory is an ID like others nobody has", CSF_FRAMES_MEMORY, 0,
	  "2101ff0223030405060708090a0b0c00",
	  " 10@1:01 7f@3:02 11@5:030405060708090a0b0c" },
	{ "four FSYNCs at a frame are a barrier, and the ID is forgotten", CSF_FRAMES_MEMORY, 0,
	  FRAME_A FS FS FS FS PLAIN,
	  " 10@1:0000000000800800 11@a:aabb 10@d:8000 barrier@10:16"
	  " 80@20:000102030405060708090a0b0c0d0e" },
	{ "unless told otherwise", CSF_FRAMES_MEMORY, CSF_FRAMES_NO_BARRIER, FS FS FS FS,
	  " 80@1:ff 7f@3:7fff7fff7fff" },
	{ "fewer than four are damage: the frame is dropped", CSF_FRAMES_MEMORY, 0,
	  FRAME_A FS FS FS "01020304" PLAIN,
	  " 10@1:0000000000800800 11@a:aabb 10@d:8000 bad@10:16"
	  " 80@20:000102030405060708090a0b0c0d0e" },
	{ "a frame that never was completed", CSF_FRAMES_MEMORY, 0, FRAME_A "0102030405",
	  " 10@1:0000000000800800 11@a:aabb 10@d:8000 partial@10:5" },
	{ "nothing counts before the first FSYNC, at any byte", CSF_FRAMES_TPIU, 0,
	  "21ffff7fffff" FS FRAME_A,
	  " skipped@0:6 fsync@6:4 10@b:0000000000800800 11@14:aabb 10@17:8000" },
	{ "no FSYNC at all", CSF_FRAMES_TPIU, 0, FRAME_A "ffffff",
	  " skipped@0:16 skipped@10:3" },
	{ "FSYNC inside a frame: sync is lost, and found", CSF_FRAMES_TPIU, 0,
	  FS "2100" FS FRAME_A,
	  " fsync@0:4 partial@4:2 bad@6:0 fsync@6:4 10@b:0000000000800800 11@14:aabb 10@17:8000" },
	{ "FF at an even place that is no sync: sync is lost", CSF_FRAMES_TPIU, 0,
	  FS "210002ff" "ff01" "0203" FS FRAME_A,
	  " fsync@0:4 partial@4:4 bad@8:0 skipped@8:2 skipped@a:2 fsync@c:4"
	  " 10@11:0000000000800800 11@1a:aabb 10@1d:8000" },
	{ "FF FF between frames must be an FSYNC", CSF_FRAMES_TPIU, 0, FS "ffff7fff" FS,
	  " fsync@0:4 bad@4:0 skipped@4:3 skipped@7:1 fsync@8:4" },
	{ "in a stream the ID outlives FSYNCs, and four are no barrier", CSF_FRAMES_TPIU, 0,
	  FS FRAME_A FS FS FS FS PLAIN,
	  " fsync@0:4 10@5:0000000000800800 11@e:aabb 10@11:8000 fsync@14:4 fsync@18:4"
	  " fsync@1c:4 fsync@20:4 10@24:000102030405060708090a0b0c0d0e" },
	{ "a stream that ends inside a frame", CSF_FRAMES_TPIU, 0, FS "2101ff",
	  " fsync@0:4 partial@4:3" },
	{ "or inside a sync", CSF_FRAMES_TPIU, 0, FS "ffff", " fsync@0:4 partial@4:2" },
};

TEST(worked_examples)
{
	static uint8_t data[256];
	static char text[1024];
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(examples); i++) {
		struct capture cap = {
			.data = data, .framing = examples[i].framing, .flags = examples[i].flags,
		};
		const char *wrong;

		attach_some(&cap);
		cap.n = unhex(examples[i].bytes, data);
		listing(&cap, text, sizeof(text));
		ASSERT_STREQ(text, examples[i].pieces) {
			TH_LOG("%s", examples[i].rule);
		}
		seed = 1;
		wrong = capture_wrong(&cap);
		ASSERT_EQ(wrong, NULL) {
			TH_LOG("%s: %s", examples[i].rule, wrong);
		}
	}
}

TEST(dstream_trailers)
{
	/* 504 bytes of payload are an FSYNC, 31 frames, 4 bytes of the next */
	static uint8_t data[2 * 512 + 16];
	static char text[8192];
	struct capture cap = { .data = data, .n = 516, .framing = CSF_FRAMES_DSTREAM };
	unsigned int i;

	for (i = 0; i < 504; i++)
		data[i] = 2;
	unhex(FS "2103", data);
	memset(data + 504, 0xff, 8);
	memset(data + 512, 4, sizeof(data) - 512);
	cap.n = 512 + 12;
	listing(&cap, text, sizeof(text));
	EXPECT_EQ(strncmp(text, " fsync@0:4 10@5:03030202", 24), 0);
	/* The aux byte of the frame around the trailer is a 4 of the second block. */
	EXPECT_NE(strstr(text, " 10@1e4:020203020202020202020202020202 trailer@1f8:8"
			 " 10@1f4:020202020504040404040404040404"), NULL) {
		TH_LOG("%s", text);
	}
	attach_some(&cap);
	seed = 2;
	EXPECT_EQ(capture_wrong(&cap), NULL);
	cap.n = 509;
	EXPECT_EQ(capture_wrong(&cap), NULL);
	listing(&cap, text, sizeof(text));
	EXPECT_NE(strstr(text, " trailer@1f8:5 partial@1f4:4"), NULL);
	/* Sync lost by the last bytes before a trailer, and the chunk ends in that. */
	data[502] = 0xff;
	cap.n = 524;
	EXPECT_EQ(capture_wrong(&cap), NULL);
}

TEST(fsync_before_a_trailer)
{
	/* Sync is lost, and found by the last four bytes of the payload, and the rest is cut off */
	static uint8_t data[506];
	struct capture cap = { .data = data, .n = sizeof(data), .framing = CSF_FRAMES_DSTREAM };
	size_t n;

	memset(data, 2, sizeof(data));
	n = unhex(FS HS HS HS HS HS HS HS "21", data);
	ASSERT_EQ((504 - 6 - (n - 1)) % 16, 0);
	unhex("ffff" FS, data + 504 - 6);
	attach_some(&cap);
	seed = 3;
	EXPECT_EQ(capture_wrong(&cap), NULL);
}

/* ---------------------------------------------------------------- random captures */

/**
 * struct shape - the kind of a random capture, in percent
 * @id: of mixed bytes are IDs, after @plain of the frames that have none
 * @fsync: before a frame; @hsync: before a pair; @barrier: instead of a frame
 * @damage: of a thousand bytes are something else
 */
struct shape {
	enum csf_framing framing;
	unsigned int id, plain, fsync, hsync, barrier, damage;
};

static size_t random_frame(uint8_t *data, const struct shape *shape)
{
	const bool plain = rnd(100) < shape->plain;
	size_t n = 0;
	unsigned int i;

	if (shape->framing != CSF_FRAMES_MEMORY && (rnd(100) < shape->fsync))
		n += unhex(FS, data);
	if (shape->framing == CSF_FRAMES_MEMORY && rnd(100) < shape->barrier)
		return unhex(FS FS FS FS, data);
	for (i = 0; i < 16; i += 2) {
		if (shape->framing != CSF_FRAMES_MEMORY && rnd(100) < shape->hsync)
			n += unhex(HS, data + n);
		data[n] = rnd(128) << 1;
		if (!plain && rnd(100) < shape->id)
			data[n] = (rnd(20) ? 0x10 + rnd(3) : rnd(0x7f)) << 1 | 1;
		data[n + 1] = rnd(256);
		n += 2;
	}
	return n;
}

static size_t random_capture(uint8_t *data, size_t max, const struct shape *shape)
{
	static uint8_t payload[1 << 20];
	size_t n = 0;
	size_t i, m;

	if (shape->framing != CSF_FRAMES_MEMORY)
		n += unhex(FS, payload);
	while (n + 64 < max - max / 32)
		n += random_frame(payload + n, shape);
	n -= rnd(16);
	for (i = 0; i < n; i++)
		if (rnd(1000) < shape->damage)
			payload[i] = rnd(2) ? 0xff : rnd(256);
	for (i = 0, m = 0; i < n; m++)
		data[m] = shape->framing == CSF_FRAMES_DSTREAM && m % 512 >= 504 ?
			  rnd(256) : payload[i++];
	return m;
}

static const struct shape shapes[] = {
	{ CSF_FRAMES_MEMORY, 30, 70 },
	{ CSF_FRAMES_MEMORY, 100, 5 },
	{ CSF_FRAMES_MEMORY, 10, 50, .barrier = 3 },
	{ CSF_FRAMES_MEMORY, 0, 100 },
	{ CSF_FRAMES_MEMORY, 20, 50, .barrier = 2, .damage = 10 },
	{ CSF_FRAMES_TPIU, 30, 70, .fsync = 100 },
	{ CSF_FRAMES_TPIU, 30, 70, .fsync = 10, .hsync = 2 },
	{ CSF_FRAMES_TPIU, 90, 20, .fsync = 30, .hsync = 40 },
	{ CSF_FRAMES_TPIU, 30, 70, .fsync = 30, .hsync = 5, .damage = 3 },
	{ CSF_FRAMES_DSTREAM, 30, 70, .fsync = 90 },
	{ CSF_FRAMES_DSTREAM, 50, 30, .fsync = 20, .hsync = 10, .damage = 2 },
};

/* A test of some seconds takes minutes beside much other work: the harness gives 30 seconds. */
FIXTURE(patient)
{
};

FIXTURE_SETUP(patient)
{
}

FIXTURE_TEARDOWN(patient)
{
}

#define SECONDS	3000

TEST_F_TIMEOUT(patient, random_captures, SECONDS)
{
	static uint8_t data[1 << 20];
	unsigned int i, j;

	for (i = 0; i < ARRAY_SIZE(shapes); i++) {
		for (j = 0; j < 8; j++) {
			struct capture cap = { .data = data, .framing = shapes[i].framing };
			const char *wrong;

			seed = 12345 + 100 * i + j;
			cap.n = random_capture(data, 200 + rnd(j == 7 ? 200000 : 3000), &shapes[i]);
			if (j % 3) {
				attach_some(&cap);
			} else {
				cap.attached[0x10] = true;
				cap.attached[0x12] = true;
			}
			wrong = capture_wrong(&cap);
			ASSERT_EQ(wrong, NULL) {
				TH_LOG("shape %u, seed %u: %s", i, j, wrong);
			}
		}
	}
}

/* Nothing but noise, with enough FF in it to be taken for syncs. */
TEST_F_TIMEOUT(patient, noise, SECONDS)
{
	static uint8_t data[3000];
	unsigned int i, j;

	for (i = 0; i < 60; i++) {
		struct capture cap = { .data = data, .n = sizeof(data), .framing = i % 3 };

		seed = 999 + i;
		for (j = 0; j < sizeof(data); j++)
			data[j] = rnd(4) ? rnd(256) : rnd(4) ? 0xff : 0x7f;
		attach_some(&cap);
		ASSERT_EQ(capture_wrong(&cap), NULL) {
			TH_LOG("seed %u", i);
		}
	}
}

/* ---------------------------------------------------------------- the parts */

TEST(plain_and_vector_agree)
{
	uint8_t frame[16], a[16], b[16], merged[16];
	unsigned int i, j;

	seed = 7;
	for (i = 0; i < 200000; i++) {
		const bool ids = i % 2;

		for (j = 0; j < 16; j++)
			frame[j] = rnd(256) & (ids || j % 2 ? 0xff : 0xfe);
		frame_expand(a, frame);
		frame_expand_plain(b, frame);
		ASSERT_EQ(memcmp(a, b, 15), 0);
		frame_merge(a, frame, b);
		frame_merge_plain(merged, frame, b);
		ASSERT_EQ(memcmp(a, merged, 16), 0);
		frame_expand(a, frame);
		ASSERT_EQ(frame_ids(frame), frame_ids_plain(frame));
		ASSERT_EQ(frame_has_id(frame), frame_has_id_plain(frame));
		ASSERT_EQ(frame_has_id(frame), frame_ids(frame) != 0);
		for (j = 0; j < 15; j++)
			ASSERT_EQ(a[j], frame[j] | (j % 2 ? 0 : frame[15] >> j / 2 & 1));
		for (j = 0; j < 8; j++)
			ASSERT_EQ(frame_ids(frame) >> j & 1, frame[2 * j] & 1);
	}
}

TEST(map_forgets_what_is_old)
{
	struct frame_map map = { .span = calloc(FRAME_MAP_SIZE, sizeof(struct frame_span)) };
	uint64_t i;

	ASSERT_NE(map.span, NULL);
	EXPECT_EQ(frame_map_find(&map, map.n, 0, 0), UINT64_MAX);
	/* Two bytes of each frame: the second and the ninth; beyond 4 GiB. */
	for (i = 0; i < FRAME_MAP_SIZE - 1 + 100; i++)
		frame_map_add(&map, 2 * i, ((1ull << 33) + 16 * i) << 16 | 0x0102, true);
	frame_map_add(&map, 0, 0, false);
	EXPECT_EQ(frame_map_find(&map, map.n, 199, 2 * i), UINT64_MAX);
	EXPECT_EQ(frame_map_find(&map, map.n, 200, 2 * i), (1ull << 33) + 1600 + 1);
	EXPECT_EQ(frame_map_find(&map, map.n, 201, 2 * i), (1ull << 33) + 1600 + 8);
	EXPECT_EQ(frame_map_find(&map, map.n, 2 * i - 1, 2 * i), (1ull << 33) + 16 * (i - 1) + 8);
	EXPECT_EQ(frame_map_find(&map, map.n, 2 * i, 2 * i), UINT64_MAX);
	free(map.span);
}

/* Frames without ID bytes are one span, however they are cut: none is forgotten. */
TEST(long_runs_are_one_span)
{
	static uint8_t data[1 << 20];
	struct csf_frames *frames;
	struct csf_decoder dec = { 0 };
	unsigned int i;

	ASSERT_EQ(csf_frames_new(&frames, CSF_FRAMES_MEMORY, 0), 0);
	ASSERT_EQ(decoder_attach(frames, 0x10, &dec), 0);
	data[0] = 0x21;
	for (i = 0; i < 20; i++) {
		size_t n = 0;

		while (n < sizeof(data)) {
			const size_t left = sizeof(data) - n;

			n += csf_frames_feed(frames, data + n, left < 1000 ? left : 1000);
			dec.n = 0;
		}
		data[0] = 0;
	}
	EXPECT_EQ(csf_frames_offset(frames, 0x10, 0), 1);
	EXPECT_EQ(csf_frames_offset(frames, 0x10, 13), 14);
	EXPECT_EQ(csf_frames_offset(frames, 0x10, 14), 16);
	EXPECT_EQ(csf_frames_offset(frames, 0x10, 14 + 15 * 65536 * 10 + 7),
		  16 + 16 * 65536 * 10 + 7);
	csf_frames_free(frames);
}

/* ---------------------------------------------------------------- the interface */

TEST(arguments)
{
	struct csf_decoder a = { 0 }, b = { 0 };
	struct csf_frames *frames = NULL;
	struct csf_frame piece;
	uint8_t data[16] = { 0x21 };
	unsigned int i;

	EXPECT_EQ(csf_frames_new(&frames, 3, 0), CSF_ERR_ARG);
	EXPECT_EQ(csf_frames_new(&frames, CSF_FRAMES_TPIU, 2), CSF_ERR_ARG);
	EXPECT_EQ(csf_frames_new(NULL, CSF_FRAMES_TPIU, 0), CSF_ERR_ARG);
	ASSERT_EQ(csf_frames_new(&frames, CSF_FRAMES_MEMORY, 0), 0);
	for (i = 0; i < 0x100; i++)
		if (i < 1 || i > 0x6f)
			EXPECT_EQ(decoder_attach(frames, i, &a), CSF_ERR_ARG);
	EXPECT_EQ(decoder_attach(frames, 0x10, &a), 0);
	EXPECT_EQ(decoder_attach(frames, 0x11, &a), CSF_ERR_ARG);
	EXPECT_EQ(decoder_attach(frames, 0x11, &b), 0);
	EXPECT_EQ(csf_frames_feed(frames, NULL, 1), CSF_ERR_ARG);
	EXPECT_EQ(csf_frames_feed(frames, NULL, 0), 0);
	EXPECT_EQ(csf_frames_feed(frames, data, 16), 16);
	/* Nothing is taken, and nothing lost, while a decoder is not used up. */
	EXPECT_EQ(csf_frames_feed(frames, data, 16), CSF_ERR_ARG);
	EXPECT_EQ(a.n, 14);
	a.n = 0;
	EXPECT_EQ(csf_frames_feed(frames, data, 5), 5);
	EXPECT_EQ(csf_frames_watch(frames, data, 5, false), 0);
	EXPECT_EQ(csf_frames_watch(frames, data, 5, false), CSF_ERR_ARG);
	EXPECT_EQ(csf_frames_feed(frames, data, 16), CSF_ERR_ARG);
	EXPECT_EQ(csf_frames_end(frames), CSF_ERR_ARG);
	EXPECT_EQ(csf_frames_break(frames, 0), CSF_ERR_ARG);
	EXPECT_EQ(csf_frames_next(frames, &piece), 0);
	EXPECT_EQ(csf_frames_feed(frames, data, 6), 6);
	EXPECT_EQ(csf_frames_offset(frames, 0x10, 14), 17);
	EXPECT_EQ(csf_frames_offset(frames, 0x12, 0), UINT64_MAX);
	EXPECT_EQ(csf_frames_offset(frames, 0xff, 0), UINT64_MAX);
	csf_frames_free(frames);
	csf_frames_free(NULL);
}

/* The monitor too begins anew after the last bytes of a capture, offsets going on. */
TEST(captures_in_a_row)
{
	struct csf_frames *frames;
	struct csf_frame piece;
	uint8_t data[20];

	ASSERT_EQ(csf_frames_new(&frames, CSF_FRAMES_TPIU, 0), 0);
	unhex(FS FRAME_A, data);
	EXPECT_EQ(csf_frames_watch(frames, data, 20, true), 0);
	while (csf_frames_next(frames, &piece))
		;
	EXPECT_EQ(piece.id, 0x10);
	unhex(FRAME_B, data);
	EXPECT_EQ(csf_frames_watch(frames, data, 16, false), 0);
	ASSERT_EQ(csf_frames_next(frames, &piece), 1);
	EXPECT_EQ(piece.kind, CSF_FRAME_SKIPPED);
	EXPECT_EQ(piece.offset, 20);
	EXPECT_EQ(piece.n, 16);
	EXPECT_EQ(csf_frames_next(frames, &piece), 0);
	unhex(FS FRAME_B, data);
	EXPECT_EQ(csf_frames_watch(frames, data, 20, true), 0);
	ASSERT_EQ(csf_frames_next(frames, &piece), 1);
	EXPECT_EQ(piece.kind, CSF_FRAME_FSYNC);
	ASSERT_EQ(csf_frames_next(frames, &piece), 1);
	EXPECT_EQ(piece.id, CSF_ID_MAX);
	EXPECT_EQ(piece.offset, 40);
	csf_frames_free(frames);
}

/* Bytes missing between two chunks: the frame is dropped, the ID forgotten, offsets go on. */
TEST(holes)
{
	struct csf_decoder dec = { .id = 0x10 };
	struct csf_frame_stats stats = { .size = sizeof(stats) };
	struct csf_frames *frames;
	uint8_t data[64];

	ASSERT_EQ(csf_frames_new(&frames, CSF_FRAMES_MEMORY, 0), 0);
	dec.frames = frames;
	ASSERT_EQ(decoder_attach(frames, 0x10, &dec), 0);
	unhex(FRAME_B FRAME_A PLAIN, data);
	EXPECT_EQ(csf_frames_feed(frames, data, 20), 20);
	EXPECT_EQ(csf_frames_break(frames, 12 + 1600), 0);
	EXPECT_EQ(dec.n, 2);
	EXPECT_EQ(dec.told, LOG_BREAK);
	decoder_use(&dec);
	EXPECT_EQ(csf_frames_feed(frames, data + 32, 16), 16);
	EXPECT_EQ(dec.n, 0);
	/* No byte came since: one break is enough. */
	EXPECT_EQ(csf_frames_break(frames, 0), 0);
	EXPECT_EQ(dec.told, 0);
	EXPECT_EQ(csf_frames_feed(frames, data + 16, 16), 16);
	EXPECT_EQ(dec.n, 10);
	decoder_use(&dec);
	EXPECT_FALSE(dec.wrong);
	EXPECT_EQ(csf_frames_offset(frames, 0x10, 2), 32 + 1600 + 16 + 1);
	csf_frames_stats(frames, &stats);
	EXPECT_EQ(stats.partial, 4);
	EXPECT_EQ(stats.bytes, 52);
	EXPECT_EQ(stats.unknown, 6 + 15);
	EXPECT_EQ(stats.id[0], 3);
	EXPECT_EQ(stats.null, 0);
	csf_frames_reset(frames);
	EXPECT_EQ(csf_frames_feed(frames, data + 16, 16), 16);
	EXPECT_EQ(csf_frames_offset(frames, 0x10, 0), 1);
	decoder_reset(&dec);
	csf_frames_free(frames);
}

/* ---------------------------------------------------------------- real captures */

static uint8_t *corpus(const char *name, size_t *n)
{
	char path[4096];
	uint8_t *data;
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", getenv("CSFLOW_CORPUS"), name);
	file = fopen(path, "rb");
	if (!file)
		return NULL;
	data = malloc(1 << 21);
	*n = fread(data, 1, 1 << 21, file);
	fclose(file);
	return data;
}

/* Totals of bytes by ID: counted by the reference, and, once, by hand from Arm's lister. */
static const struct {
	const char *name;
	enum csf_framing framing;
	uint8_t id;
	uint64_t bytes;
} captures[] = {
	{ "snapshots/juno_r1_1/cstrace.bin", CSF_FRAMES_MEMORY, 0x10, 55273 },
	{ "snapshots/bugfix-exact-match/cstrace.bin", CSF_FRAMES_MEMORY, 0x12, 974749 },
	{ "snapshots/TC2/cstrace.bin", CSF_FRAMES_MEMORY, 0x10, 10873 },
	{ "snapshots/juno-ret-stck/cstrace.bin", CSF_FRAMES_MEMORY, 0x10, 24425 },
	{ "snapshots/a55-test-tpiu/DSTREAM_0.bin", CSF_FRAMES_DSTREAM, 0x01, 34371 },
};

TEST_F_TIMEOUT(patient, real_captures, SECONDS)
{
	unsigned int i;

	if (!getenv("CSFLOW_CORPUS"))
		SKIP(return, "CSFLOW_CORPUS is not set");
	for (i = 0; i < ARRAY_SIZE(captures); i++) {
		struct capture cap = { .framing = captures[i].framing };
		struct ref ref = { 0 };
		uint8_t *data;

		data = corpus(captures[i].name, &cap.n);
		ASSERT_NE(data, NULL) {
			TH_LOG("%s", captures[i].name);
		}
		cap.data = data;
		ref_run(&ref, cap.framing, 0, cap.data, cap.n);
		EXPECT_EQ(ref.stats.id[captures[i].id], captures[i].bytes) {
			TH_LOG("%s", captures[i].name);
		}
		ref_free(&ref);
		seed = 5;
		attach_some(&cap);
		for (; cap.n; cap.n /= 20)
			EXPECT_EQ(capture_wrong(&cap), NULL) {
				TH_LOG("%s", captures[i].name);
			}
		free(data);
	}
}

TEST_HARNESS_MAIN
