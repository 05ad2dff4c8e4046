// SPDX-License-Identifier: GPL-2.0-only
/* Reports: each error, gap, and lost piece has a code and words, and runs become reports. */
#include "../lib/kselftest_harness.h"

#undef ARRAY_SIZE
#include "../../decoder/bytes.h"
#include "../../decoder/csflow.h"

/* All that csf_report_code() knows, in order.  Return: how many. */
static size_t all(struct csf_report *reports, size_t max)
{
	size_t n = 0;

	for (int kind = 0; kind < CSF_REPORT_NR; kind++)
		for (int i = -64; i < 64 && n < max; i++)
			n += csf_report_code(kind, i, &reports[n]) > 0;
	return n;
}

TEST(every_number_has_a_row)
{
	struct csf_report r;
	char code[64];

	for (int gap = 0; gap < CSF_GAP_NR; gap++) {
		ASSERT_EQ(1, csf_report_code(CSF_REPORT_GAP, gap, &r));
		snprintf(code, sizeof(code), "gap-%s", csf_gap_name(gap));
		EXPECT_STREQ(code, r.code);
	}
	for (int err = CSF_ERR_ARG; strcmp(csf_strerror(err), "unknown error"); err--)
		EXPECT_EQ(1, csf_report_code(CSF_REPORT_CALL, err, &r));
	EXPECT_EQ(1, csf_report_code(CSF_REPORT_CALL, CSF_ERR_READER, &r));
	EXPECT_STREQ(r.words, csf_strerror(CSF_ERR_READER));
	for (int bad = 0; strcmp(csf_bad_name(bad), "unknown"); bad++)
		EXPECT_EQ(1, csf_report_code(CSF_REPORT_PACKET, bad, &r));
	for (int frame = CSF_FRAME_BARRIER; frame <= CSF_FRAME_PARTIAL; frame++)
		EXPECT_EQ(1, csf_report_code(CSF_REPORT_FRAME, frame, &r));
	EXPECT_EQ(1, csf_report_code(CSF_REPORT_MESSAGE, CSF_MESSAGE_OVERFLOW, &r));
	EXPECT_EQ(1, csf_report_code(CSF_REPORT_MESSAGE, CSF_MESSAGE_ERROR, &r));
}

TEST(rows_are_whole)
{
	struct csf_report r[128];
	const size_t n = all(r, ARRAY_SIZE(r));

	ASSERT_LT(25, n);
	ASSERT_GT(ARRAY_SIZE(r), n);
	for (size_t i = 0; i < n; i++) {
		EXPECT_EQ(strlen(r[i].code), strspn(r[i].code, "abcdefghijklmnopqrstuvwxyz-"));
		EXPECT_LT(5, strlen(r[i].words));
		EXPECT_EQ('.', r[i].mend[strlen(r[i].mend) - 1]);
		EXPECT_STRNE("unknown", csf_severity_name(r[i].severity));
		EXPECT_EQ(CSF_REPORT_NOWHERE, r[i].index);
		EXPECT_EQ(CSF_ID_MAX, r[i].id);
		for (size_t k = 0; k < i; k++)
			EXPECT_STRNE(r[k].code, r[i].code);
	}
}

TEST(other_numbers)
{
	struct csf_report r;

	for (int kind = 0; kind < CSF_REPORT_NR; kind++) {
		EXPECT_EQ(0, csf_report_code(kind, INT32_MAX, &r));
		EXPECT_EQ(0, csf_report_code(kind, INT32_MIN, &r));
		EXPECT_EQ(0, csf_report_code(kind, 64, &r));
	}
	EXPECT_EQ(0, csf_report_code(CSF_REPORT_CALL, 0, &r));
	EXPECT_EQ(0, csf_report_code(CSF_REPORT_CALL, 1, &r));
	EXPECT_EQ(0, csf_report_code(CSF_REPORT_MESSAGE, CSF_MESSAGE_DATA, &r));
	EXPECT_EQ(0, csf_report_code(CSF_REPORT_FRAME, CSF_FRAME_DATA, &r));
	EXPECT_EQ(CSF_ERR_ARG, csf_report_code(CSF_REPORT_NR, 0, &r));
	EXPECT_EQ(CSF_ERR_ARG, csf_report_code(-1, 0, &r));
	EXPECT_EQ(CSF_ERR_ARG, csf_report_code(CSF_REPORT_GAP, 0, NULL));
	EXPECT_EQ(CSF_ERR_ARG, csf_report_run(NULL, &r));
	EXPECT_EQ(CSF_ERR_ARG, csf_report_message(NULL, &r));
	EXPECT_EQ(CSF_ERR_ARG, csf_report_frame(NULL, &r));
	EXPECT_STREQ("unknown", csf_severity_name(0));
}

/* ---------------------------------------------------------------- what decoders find */

/*
 * A-sync, trace info, trace on, address and context 0x1000, where there is no code, an atom, a
 * reserved byte.
 */
TEST(runs)
{
	static const uint8_t trace[] = {
		0xff, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x80, 1, 0, 4, 0x82, 0, 8, 0, 0, 0x31,
		0xf7, 5,
	};
	struct csf_config config = {
		.size = sizeof(config), .trcdevarch = 0x47705a13, .trcidr2 = 0xd0001088,
	};
	char text[1024] = "", *end = text;
	struct csf_decoder *dec = NULL;
	struct csf_image *image;
	struct csf_report r;
	struct csf_run run;

	ASSERT_EQ(0, csf_image_new(&image));
	ASSERT_EQ(0, csf_new(&dec, &config, image));
	EXPECT_EQ(0, csf_feed(dec, trace, sizeof(trace)));
	EXPECT_EQ(0, csf_end(dec));
	while (csf_next(dec, &run) > 0) {
		if (csf_report_run(&run, &r) <= 0)
			continue;
		r.id = 0x10;
		end += csf_report_print(&r, end, text + sizeof(text) - end);
		*end++ = '\n';
	}
	*end = 0;
	EXPECT_STREQ("trace ID 0x10, offset 0x0: before the first A-sync: 1 byte skipped [gap-start]\n"
		     "trace ID 0x10, offset 0xf: tracing was off, or filtered: nothing is lost "
		     "[gap-off]\n"
		     "trace ID 0x10, offset 0x16: code is missing: at 0x1000, 1 P0 element lost "
		     "[gap-image]\n"
		     "trace ID 0x10, offset 0x17: reserved or malformed packets: damaged trace, or "
		     "wrong metadata: 1 byte skipped [gap-packet]\n", text);
	csf_free(dec);
	csf_image_free(image);
}

TEST(more_of_a_gap)
{
	const struct csf_run run = { .end = CSF_END_GAP, .flags = CSF_GAP_MORE };
	const struct csf_run odd = { .end = CSF_END_GAP, .value = 1ull << 32 | 63 };
	const struct csf_run none = { .end = CSF_END_TRACE };
	struct csf_report r;

	EXPECT_EQ(0, csf_report_run(&run, &r));
	EXPECT_EQ(0, csf_report_run(&odd, &r));
	EXPECT_EQ(0, csf_report_run(&none, &r));
}

TEST(messages_and_frames)
{
	const struct csf_message gap = {
		.kind = CSF_MESSAGE_GAP, .info = CSF_GAP_CUT, .offset = 7, .value = 3,
	};
	const struct csf_message overflow = { .kind = CSF_MESSAGE_OVERFLOW, .offset = 9 };
	const struct csf_message data = { .kind = CSF_MESSAGE_DATA };
	const struct csf_frame bad = { .kind = CSF_FRAME_BAD, .offset = 64, .n = 4 };
	struct csf_report r;
	char text[256];

	EXPECT_EQ(1, csf_report_message(&gap, &r));
	csf_report_print(&r, text, sizeof(text));
	EXPECT_STREQ("offset 0x7: packets cut off: 3 bytes skipped [gap-cut]", text);
	EXPECT_EQ(1, csf_report_message(&overflow, &r));
	r.id = 1;
	csf_report_print(&r, text, sizeof(text));
	EXPECT_STREQ("trace ID 0x01, offset 0x9: the source lost packets [message-overflow]", text);
	EXPECT_EQ(0, csf_report_message(&data, &r));
	EXPECT_EQ(1, csf_report_frame(&bad, &r));
	csf_report_print(&r, text, sizeof(text));
	EXPECT_STREQ("offset 0x40: a frame sync where none can be: 4 bytes skipped [frame-sync]",
		     text);
}

TEST(print_cut_off)
{
	struct csf_report r = { 0 };
	char text[8] = "1234567";

	EXPECT_EQ(CSF_ERR_ARG, csf_report_print(&r, text, sizeof(text)));
	csf_report_code(CSF_REPORT_CALL, CSF_ERR_MEMORY, &r);
	EXPECT_EQ(22, csf_report_print(&r, NULL, 0));
	EXPECT_EQ(22, csf_report_print(&r, text, 7));
	EXPECT_STREQ("out of", text);
	EXPECT_EQ(CSF_ERR_ARG, csf_report_print(&r, NULL, 1));
	EXPECT_EQ(CSF_ERR_ARG, csf_report_print(NULL, text, 1));
}

TEST_HARNESS_MAIN
