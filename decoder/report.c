// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The table of all reports: code, words, and what to do. */
#include <inttypes.h>

#include "csflow.h"
#include "line.h"

struct row {
	const char *code, *words, *mend;
	enum csf_severity severity;
};

#define ROW(kind, code, words, mend)	{ code, words, mend, kind }
#define ERR(code, words, mend)		ROW(CSF_ERROR, code, words, mend)
#define WARN(code, words, mend)		ROW(CSF_WARNING, code, words, mend)
#define INFO(code, words, mend)		ROW(CSF_INFO, code, words, mend)

static const struct row calls[] = {
	[-CSF_ERR_ARG] =
	ERR("call", "invalid call",
	    "Compare the call with the text of the function in csflow.h: this is an error of the "
	    "program."),
	[-CSF_ERR_CONFIG] =
	ERR("config", "unknown trace configuration",
	    "Check the registers of the trace unit; csf_config_problem() names the one that is "
	    "wrong."),
	[-CSF_ERR_MEMORY] =
	ERR("memory", "out of memory",
	    "Decode with fewer threads, or a shorter part of the trace; a command may also have "
	    "a limit, --mem."),
	[-CSF_ERR_READER] =
	ERR("reader", "a packet reader broke its rules",
	    "Mend the packet reader of the program; csf_messages_problem() names the rule."),
};

static const struct row gaps[CSF_GAP_NR] = {
	[CSF_GAP_START] =
	WARN("gap-start", "before the first A-sync",
	     "Nothing, if the buffer wrapped: its oldest packets cannot be read.  A larger buffer, or "
	     "more frequent A-syncs, lose less."),
	[CSF_GAP_OFF] =
	INFO("gap-off", "tracing was off, or filtered: nothing is lost",
	     "Nothing, unless more should be traced: then widen the filter."),
	[CSF_GAP_OVERFLOW] =
	WARN("gap-overflow", "the trace unit overflowed",
	     "Trace less: with a filter, without cycle counts, without branch broadcast."),
	[CSF_GAP_DISCARD] =
	WARN("gap-discard", "the trace unit stopped and discarded what was not sure",
	     "Nothing: the trace unit was switched off there."),
	[CSF_GAP_PACKET] =
	WARN("gap-packet", "reserved or malformed packets: damaged trace, or wrong metadata",
	     "Check the registers of the trace unit.  If they are right, the trace was damaged when "
	     "it was written or copied."),
	[CSF_GAP_CUT] =
	WARN("gap-cut", "packets cut off",
	     "Record with a larger buffer: it wrapped, or was read while trace was written."),
	[CSF_GAP_IMAGE] =
	WARN("gap-image", "code is missing",
	     "Give the code that ran there: the program, its libraries, the kernel; 'csflow doctor' "
	     "names the files."),
	[CSF_GAP_ADDRESS] =
	WARN("gap-address", "the trace does not say where",
	     "Nothing: decode goes on at the next address in the trace.  More frequent A-syncs lose "
	     "less."),
	[CSF_GAP_STACK] =
	WARN("gap-stack", "a return without address and without call",
	     "Check that the code is the one that ran, and that the registers are those of the "
	     "recording (return stack)."),
	[CSF_GAP_WALK] =
	WARN("gap-walk", "this code cannot have been executed so: it is not what was traced",
	     "Give the code that ran: the same build of the file, or the kernel's memory where it "
	     "changes its code."),
	[CSF_GAP_SPECULATION] =
	WARN("gap-speculation", "not yet committed when the trace ended",
	     "Nothing at the end of a buffer.  Elsewhere the trace is damaged, or the registers are "
	     "wrong."),
	[CSF_GAP_BREAK] =
	WARN("gap-break", "the buffer was overrun (barrier)",
	     "Record with a larger buffer, or trace less: with a filter, without cycle counts."),
};

static const struct row messages[CSF_MESSAGE_NR] = {
	[CSF_MESSAGE_OVERFLOW] =
	WARN("message-overflow", "the source lost packets",
	     "Write less to the source, or let its clock, or the trace port, run faster."),
	[CSF_MESSAGE_ERROR] =
	WARN("message-error", "the source reports an error: trace was lost",
	     "Write less to the source, or give it a larger buffer."),
};

static const struct row frames[] = {
	[CSF_FRAME_BARRIER] =
	WARN("frame-barrier", "a barrier: trace was lost before it",
	     "Record with a larger buffer, or trace less."),
	[CSF_FRAME_SKIPPED] =
	WARN("frame-skipped", "bytes without frame sync",
	     "Check how the capture is framed: from memory, from a trace port, DSTREAM."),
	[CSF_FRAME_BAD] =
	WARN("frame-sync", "a frame sync where none can be",
	     "Check how the capture is framed, and the wires of the trace port: bytes are missing "
	     "before it."),
	[CSF_FRAME_PARTIAL] =
	WARN("frame-partial", "a frame that was never completed",
	     "Nothing at the end of a capture.  Elsewhere bytes are missing."),
};

static const struct row packets[] = {
	[CSF_BAD_RESERVED] =
	WARN("packet-reserved", "no version of the protocol has this packet",
	     "Check the protocol and the registers; or the trace is damaged."),
	[CSF_BAD_CONFIG] =
	WARN("packet-config", "this trace unit has no such packet",
	     "Check the registers of the trace unit: they are of another unit or setting."),
	[CSF_BAD_SEQUENCE] =
	WARN("packet-sequence", "the payload of a packet is not valid",
	     "Check the registers; or the trace is damaged."),
	[CSF_BAD_CUT] =
	WARN("packet-cut", "a packet is cut off by an A-sync or the end",
	     "Record with a larger buffer: it wrapped, or was read while trace was written."),
	[CSF_BAD_UNSYNC] =
	WARN("packet-unsync", "bytes before an A-sync",
	     "Nothing, if the buffer wrapped: its oldest packets cannot be read."),
	[CSF_BAD_LOST] =
	WARN("packet-lost", "packets are lost", "See the gap that it names."),
};

#define TABLE(rows)	{ rows, sizeof(rows) / sizeof((rows)[0]) }

static const struct {
	const struct row *row;
	size_t n;
} tables[CSF_REPORT_NR] = {
	[CSF_REPORT_CALL] = TABLE(calls), [CSF_REPORT_GAP] = TABLE(gaps),
	[CSF_REPORT_MESSAGE] = TABLE(messages), [CSF_REPORT_FRAME] = TABLE(frames),
	[CSF_REPORT_PACKET] = TABLE(packets),
};

CSF_API const char *csf_severity_name(enum csf_severity severity)
{
	switch (severity) {
	case CSF_ERROR:		return "error";
	case CSF_WARNING:	return "warning";
	case CSF_INFO:		return "info";
	}
	return "unknown";
}

CSF_API int csf_report_code(enum csf_report_kind kind, int number, struct csf_report *report)
{
	const unsigned int i = kind == CSF_REPORT_CALL ? -(unsigned int)number : number;
	const struct row *row;

	if (!report || (unsigned int)kind >= CSF_REPORT_NR)
		return CSF_ERR_ARG;
	if (i >= tables[kind].n || !tables[kind].row[i].code)
		return 0;
	row = &tables[kind].row[i];
	*report = (struct csf_report){
		.code = row->code, .words = row->words, .mend = row->mend,
		.severity = row->severity, .index = CSF_REPORT_NOWHERE, .id = CSF_ID_MAX,
	};
	return 1;
}

CSF_API int csf_report_run(const struct csf_run *run, struct csf_report *report)
{
	int got;

	if (!run || !report)
		return CSF_ERR_ARG;
	if (!csf_run_is_gap(run))
		return 0;
	got = csf_report_code(CSF_REPORT_GAP, run->value, report);
	if (got <= 0)
		return got;
	report->index = run->offset;
	report->addr = run->addr;
	report->lost = run->lost;
	report->bytes = run->bytes;
	return 1;
}

CSF_API int csf_report_message(const struct csf_message *message, struct csf_report *report)
{
	int got;

	if (!message || !report)
		return CSF_ERR_ARG;
	if (message->kind == CSF_MESSAGE_GAP)
		got = csf_report_code(CSF_REPORT_GAP, message->info, report);
	else
		got = csf_report_code(CSF_REPORT_MESSAGE, message->kind, report);
	if (got <= 0)
		return got;
	report->index = message->offset;
	report->bytes = message->kind == CSF_MESSAGE_GAP ? message->value : 0;
	return 1;
}

CSF_API int csf_report_frame(const struct csf_frame *frame, struct csf_report *report)
{
	int got;

	if (!frame || !report)
		return CSF_ERR_ARG;
	got = csf_report_code(CSF_REPORT_FRAME, frame->kind, report);
	if (got <= 0)
		return got;
	report->index = frame->offset;
	report->bytes = frame->n;
	return 1;
}

/* -------- as text */

/* The numbers that are not 0, with commas between them. */
static void add_numbers(struct line *line, const struct csf_report *report)
{
	const char *before = ": ";

	if (report->addr) {
		line_put(line, "%sat 0x%" PRIx64, before, report->addr);
		before = ", ";
	}
	if (report->lost) {
		line_put(line, "%s%" PRIu64 " P0 element%s lost", before, report->lost,
			 report->lost == 1 ? "" : "s");
		before = ", ";
	}
	if (report->bytes)
		line_put(line, "%s%" PRIu64 " byte%s skipped", before, report->bytes,
			 report->bytes == 1 ? "" : "s");
}

CSF_API int csf_report_print(const struct csf_report *report, char *buf, size_t n)
{
	struct line line;

	if (!report || (!buf && n) || !report->words || !report->code)
		return CSF_ERR_ARG;
	line = line_begin(buf, n);
	if (report->id < CSF_ID_MAX)
		line_put(&line, "trace ID 0x%02x", report->id);
	if (report->index != CSF_REPORT_NOWHERE)
		line_put(&line, "%soffset 0x%" PRIx64, line.len ? ", " : "", report->index);
	line_put(&line, "%s%s", line.len ? ": " : "", report->words);
	add_numbers(&line, report);
	line_put(&line, " [%s]", report->code);
	return line.len;
}
