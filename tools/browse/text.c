// SPDX-License-Identifier: GPL-2.0-only
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "insn.h"
#include "text.h"

#define NS	UINT64_C(1000000000)

const char *text_number(uint64_t number)
{
	static char buf[4][32];
	static unsigned int next;
	char *text = buf[next++ % 4], *p = text + sizeof(buf[0]) - 1;
	int digits = 0;

	*p = 0;
	do {
		if (digits++ % 3 == 0 && digits > 1)
			*--p = ',';
		*--p = '0' + number % 10;
		number /= 10;
	} while (number);
	return p;
}

void text_time(uint64_t time, char *text, size_t size)
{
	*text = 0;
	if (time)
		snprintf(text, size, "%" PRIu64 ".%09" PRIu64, time / NS, time % NS);
}

bool text_read_time(const char *text, uint64_t *time)
{
	uint64_t part = NS;
	char *end;

	if (*text < '0' || *text > '9')
		return false;
	*time = strtoull(text, &end, 10);
	if (*time > UINT64_MAX / NS - 1)
		return false;
	*time *= NS;
	if (*end == '.')
		for (end++; *end >= '0' && *end <= '9' && part > 1; end++) {
			part /= 10;
			*time += part * (*end - '0');
		}
	return !*end || !strcmp(end, "s");
}

void text_thread(struct walk *walk, uint32_t tid, uint64_t time, char *text, size_t size)
{
	const char *comm;

	if (tid == PERF_NO_TID) {
		snprintf(text, size, "an unknown thread");
		return;
	}
	comm = perf_tasks_comm(walk->replay->tasks, tid, time ? time : PERF_TASKS_LAST);
	snprintf(text, size, "%s %" PRIu32 "%s%s", tid ? "thread" : "idle, thread", tid,
		 tid && comm ? " " : "", tid && comm ? comm : "");
}

void text_track(struct walk *walk, const struct track *track, char *text, size_t size)
{
	if (track->tid != PERF_NO_TID)
		text_thread(walk, track->tid, 0, text, size);
	else
		snprintf(text, size, "CPU %" PRIu32, track->cpu.first);
}

void text_place(struct walk *walk, uint32_t section, uint64_t offset, char *text, size_t size)
{
	struct code_where where;

	code_where(&walk->replay->tasks->code, section, offset, &where);
	if (where.symbol)
		snprintf(text, size, "%s+0x%" PRIx64, where.symbol, offset - where.start);
	else
		snprintf(text, size, "0x%" PRIx64, where.addr);
}

void text_insn(struct walk *walk, const struct walk_item *item, char *text, size_t size)
{
	struct code_where where;

	code_where(&walk->replay->tasks->code, item->section, item->offset, &where);
	if (where.symbol)
		text_place(walk, item->section, item->offset, text, size);
	else
		snprintf(text, size, "0x%" PRIx64, item->addr);
}

/* ---------------------------------------------------------------- events */

static const char *const gaps[CSF_GAP_NR] = {
	[CSF_GAP_START]		= "before the first place where decode can begin",
	[CSF_GAP_OFF]		= "tracing was off",
	[CSF_GAP_OVERFLOW]	= "the trace unit overflowed",
	[CSF_GAP_DISCARD]	= "the trace unit discarded trace",
	[CSF_GAP_PACKET]	= "the trace is damaged",
	[CSF_GAP_CUT]		= "a packet is cut off",
	[CSF_GAP_IMAGE]		= "no code",
	[CSF_GAP_ADDRESS]	= "the trace gives no address",
	[CSF_GAP_STACK]		= "a return to a call that is not known",
	[CSF_GAP_WALK]		= "code and trace contradict each other",
	[CSF_GAP_SPECULATION]	= "speculation without an end",
	[CSF_GAP_BREAK]		= "the trace is broken off",
};

static void gap(const struct window_run *r, char *text, size_t size)
{
	const char *why = r->value < CSF_GAP_NR ? gaps[r->value] : "for an unknown reason";
	int n = snprintf(text, size, "a gap: %s", why);

	if (r->value == CSF_GAP_IMAGE && r->addr)
		n += snprintf(text + n, size - n, " at 0x%" PRIx64, r->addr);
	if (r->bytes)
		n += snprintf(text + n, size - n, ": %s bytes lost here", text_number(r->bytes));
	if (r->lost)
		snprintf(text + n, size - n, "%s %s branches lost", r->bytes ? "," : ":",
			 text_number(r->lost));
}

static const char *exception(struct walk *walk, const struct window_run *r)
{
	static const char *const names[CSF_EXC_KIND_NR] = {
		[CSF_EXC_KIND_OTHER]	= "an exception",
		[CSF_EXC_KIND_RESET]	= "a reset",
		[CSF_EXC_KIND_HALT]	= "a halt for debug",
		[CSF_EXC_KIND_CALL]	= "a system call",
		[CSF_EXC_KIND_TRAP]	= "a trap",
		[CSF_EXC_KIND_INSN]	= "a fault at a fetch",
		[CSF_EXC_KIND_DATA]	= "a fault at an access",
		[CSF_EXC_KIND_SERROR]	= "a system error",
		[CSF_EXC_KIND_IRQ]	= "an interrupt",
		[CSF_EXC_KIND_FIQ]	= "a fast interrupt",
	};

	return names[csf_exception_kind(walk->dec, r->value)];
}

static void thread_comes(struct walk *walk, const struct walk_item *item, char *text, size_t size)
{
	char thread[TEXT_MAX / 2];

	text_thread(walk, item->run->next_tid, item->time, thread, sizeof(thread));
	snprintf(text, size, "from here on: %s", thread);
}

void text_event(struct walk *walk, const struct walk_item *item, char *text, size_t size)
{
	const struct window_run *r = item->run;

	*text = 0;
	switch (item->kind) {
	case WALK_INSN:
		break;
	case WALK_GAP:
		gap(r, text, size);
		break;
	case WALK_EXCEPTION:
		snprintf(text, size, "%s; the next address was 0x%" PRIx64, exception(walk, r),
			 r->addr);
		break;
	case WALK_SWITCH:
		thread_comes(walk, item, text, size);
		break;
	case WALK_TRANSACTION:
		snprintf(text, size, "a transaction: %s", csf_transaction_name(r->value));
		break;
	case WALK_UNKNOWN:
		snprintf(text, size, "an unknown path: %s instructions, to 0x%" PRIx64,
			 r->value ? text_number(r->value) : "some", r->addr);
		break;
	case WALK_BUFFER:
		snprintf(text, size, r->truncated ?
			 "a gap: the buffer was full, and trace was lost here" :
			 "the end of a buffer");
		break;
	}
}
