// SPDX-License-Identifier: GPL-2.0-only
#include "foreign.h"

#include <stdbool.h>

#include "../../perf-plugin/perf-abi.h"
#include "../../perf-plugin/perf-record.h"

#define ATTR_FLAGS	40

/*
 * Bytes of each field after the header. After them come words, or for 's' a text, and a trailer.
 * The MMAP2 of our recorder has a build-id.
 */
static const struct {
	uint32_t type;
	const char *fields;
} layouts[] = {
	{ PERF_RECORD_COMM, "44s" }, { PERF_RECORD_EXIT, "44448" }, { PERF_RECORD_FORK, "44448" },
	{ PERF_RECORD_MMAP2, "44888" "........" "........" "........" "44s" },
	{ PERF_RECORD_AUX, "888" },
	{ PERF_RECORD_ITRACE_START, "44" }, { PERF_RECORD_SWITCH_CPU_WIDE, "44" },
	{ PERF_RECORD_AUX_OUTPUT_HW_ID, "8" }, { PERF_RECORD_AUXTRACE_INFO, "44" },
	{ PERF_RECORD_AUXTRACE, "8884444" },
	{ PERF_RECORD_HEADER_ATTR, "44" "8888" "........" "44" "8888" "44" "8" "422" "448" "8" },
};

static uint8_t *turn(uint8_t *p, size_t n)
{
	for (size_t i = 0; i < n / 2; i++) {
		uint8_t byte = p[i];

		p[i] = p[n - 1 - i];
		p[n - 1 - i] = byte;
	}
	return p + n;
}

/*
 * Flags are bit-fields of C: the bytes stay where they are, and the first bit is at their other
 * end.
 */
static void turn_flags(uint8_t *p)
{
	for (int i = 0; i < 8; i++) {
		uint8_t byte = 0;

		for (int bit = 0; bit < 8; bit++)
			byte |= (p[i] >> bit & 1) << (7 - bit);
		p[i] = byte;
	}
}

/* The fields after each record of the kernel, from its end: two of the words are pairs. */
static uint8_t *turn_trailer(uint8_t *end, uint64_t type)
{
	static const uint64_t words[] = {
		PERF_SAMPLE_IDENTIFIER, PERF_SAMPLE_CPU, PERF_SAMPLE_STREAM_ID, PERF_SAMPLE_ID,
		PERF_SAMPLE_TIME, PERF_SAMPLE_TID,
	};

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
		if (!(type & words[i]))
			continue;
		end -= 8;
		if (words[i] & (PERF_SAMPLE_TID | PERF_SAMPLE_CPU))
			turn(turn(end, 4), 4);
		else
			turn(end, 8);
	}
	return end;
}

/* Return: the next record. */
static uint8_t *turn_record(uint8_t *p, uint64_t type)
{
	const uint32_t kind = perf_le(p, 4);
	uint8_t *const end = p + perf_le(p + 6, 2), *body = p + 8, *trailer;
	const uint64_t trace = kind == PERF_RECORD_AUXTRACE ? perf_le(body, 8) : 0;
	const char *f = "";

	for (size_t i = 0; i < sizeof(layouts) / sizeof(*layouts); i++)
		f = layouts[i].type == kind ? layouts[i].fields : f;
	trailer = kind < PERF_RECORD_USER_TYPE_START ? turn_trailer(end, type) : end;
	if (kind == PERF_RECORD_HEADER_ATTR)
		turn_flags(body + ATTR_FLAGS);
	for (; *f && *f != 's' && body < trailer; f++)
		body = turn(body, *f == '.' ? 1 : *f - '0');
	while (*f != 's' && body < trailer)
		body = turn(body, 8);
	turn(turn(turn(p, 4), 2), 2);
	return end + trace;
}

void foreign_pipe(uint8_t *bytes, size_t n, uint64_t sample_type)
{
	uint8_t *p = turn(turn(bytes, 8), 8);

	while (p < bytes + n)
		p = turn_record(p, sample_type);
}
