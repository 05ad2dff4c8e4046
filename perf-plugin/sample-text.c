// SPDX-License-Identifier: GPL-2.0-only
/* Texts for samples: perf's words for branches, and our own for losses. */
#include <inttypes.h>
#include <stdio.h>

#include "perf-sample.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

static const char *name_of(uint32_t flags)
{
	static const struct {
		uint32_t flags;
		const char *name;
	} names[] = {
		{ CS_FLAG_BRANCH | CS_FLAG_CALL, "call" },
		{ CS_FLAG_BRANCH | CS_FLAG_RETURN, "return" },
		{ CS_FLAG_BRANCH | CS_FLAG_CONDITIONAL, "jcc" },
		{ CS_FLAG_BRANCH, "jmp" },
		{ CS_FLAG_BRANCH | CS_FLAG_CALL | CS_FLAG_INTERRUPT, "int" },
		{ CS_FLAG_BRANCH | CS_FLAG_RETURN | CS_FLAG_INTERRUPT, "iret" },
		{ CS_FLAG_BRANCH | CS_FLAG_CALL | CS_FLAG_SYSCALLRET, "syscall" },
		{ CS_FLAG_BRANCH | CS_FLAG_RETURN | CS_FLAG_SYSCALLRET, "sysret" },
		{ CS_FLAG_BRANCH | CS_FLAG_CALL | CS_FLAG_ASYNC | CS_FLAG_INTERRUPT, "hw int" },
		{ CS_FLAG_BRANCH | CS_FLAG_TX_ABORT, "tx abrt" },
		{ CS_FLAG_BRANCH | CS_FLAG_TRACE_BEGIN, "tr strt" },
		{ CS_FLAG_BRANCH | CS_FLAG_TRACE_END, "tr end" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (names[i].flags == flags)
			return names[i].name;
	return NULL;
}

const char *cs_sample_flags(uint32_t flags, char *buf)
{
	const char *tx = flags & CS_FLAG_IN_TX ? "(x)" : "", *end = "";
	uint32_t plain = flags & ~CS_FLAG_IN_TX;
	const char *name = name_of(plain);
	size_t n = 0;

	if (!name && flags & CS_FLAG_TRACE_END) {
		name = name_of(plain & ~CS_FLAG_TRACE_END);
		end = "tr end  ";
	}
	if (!name) {
		for (int i = 0; i < 11; i++)
			if (flags & 1u << i)
				buf[n++] = "bcrosyiABEx"[i];
		buf[n] = 0;
		return buf;
	}
	snprintf(buf, 24, *tx ? "%s%-*s%6s" : "%s%.*s%s", end, *end ? 7 : 15, name, tx);
	return buf;
}

/* ---------------------------------------------------------------- errors */

bool cs_gap_is_loss(const struct csf_run *run)
{
	return run->end == CSF_END_GAP && run->value != CSF_GAP_OFF &&
	       (run->value != CSF_GAP_START || run->lost);
}

/*
 * Few words for perf's records, which have little room: csf_report_code() has more.  With a number
 * of 32 bits, what is lost and the advice, at most 31 characters, fit in 63 characters.
 */
struct gap_text {
	const char *what, *help;
};

static const struct gap_text *gap_text(unsigned int gap)
{
	static const struct gap_text text[CSF_GAP_NR] = {
		[CSF_GAP_START] = { "no sync", "cut at its start: larger buffer" },
		[CSF_GAP_OFF] = { "off", "tracing was off" },
		[CSF_GAP_OVERFLOW] = { "overflow", "trace unit too slow: trace less" },
		[CSF_GAP_DISCARD] = { "discard", "tracing stopped: nothing to do" },
		[CSF_GAP_PACKET] = { "bad packet", "damaged trace or metadata" },
		[CSF_GAP_CUT] = { "cut packet", "buffer wrapped: larger -m ,N" },
		[CSF_GAP_IMAGE] = { "no code", "get file: --symfs, -k, kcore" },
		[CSF_GAP_ADDRESS] = { "no address", "skipped to the next address" },
		[CSF_GAP_STACK] = { "no return", "wrong code or retstack setting" },
		[CSF_GAP_WALK] = { "wrong way", "code differs from what was run" },
		[CSF_GAP_SPECULATION] = { "uncommitted", "end of buffer: larger -m ,N" },
		[CSF_GAP_BREAK] = { "data lost", "buffer was full: larger -m ,N" },
	};

	return gap < CSF_GAP_NR ? &text[gap] : NULL;
}

void cs_sample_error_text(const struct cs_sample *sample, char *buf, size_t n)
{
	const struct gap_text *text = gap_text(sample->code);

	if (text)
		snprintf(buf, n, "%s, lost %" PRIu64 ": %s", text->what, sample->lost, text->help);
	else
		snprintf(buf, n, "trace is missing");
}
