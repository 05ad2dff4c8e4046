// SPDX-License-Identifier: GPL-2.0-only
/* The table of the commands' own codes. */
#include <string.h>

#include "../../decoder/csflow.h"
#include "log-codes.h"

#define WIDTH	76

static const struct {
	const char *code, *words, *mend, *example;
	enum csf_severity severity;
} rows[LOG_CODES] = {
	[LOG_USAGE] = {
		"usage", "the command was called in a wrong way",
		"Compare with 'csflow help COMMAND'.",
		"csflow dump: --id wants a number, not 'x'", CSF_ERROR },
	[LOG_FILE] = {
		"file", "a file cannot be opened, read or written",
		"Check the name, the permissions and the room on the disk.",
		"csflow: perf.data: No such file or directory", CSF_ERROR },
	[LOG_DAMAGE] = {
		"damage", "a file is damaged: a part of it is missing, or not to be trusted",
		"Copy the file again, or record again; what could be read is in the result.",
		"csflow: perf.data: offset 0x1c8: the file ends inside a record", CSF_WARNING },
	[LOG_INPUT] = {
		"input", "a file has something unusual in it, which is passed over or guessed",
		"Look at the place; nothing if it does not matter.",
		"csflow tarmac: model.log:7:16: R: no value; taken for text", CSF_WARNING },
	[LOG_SYNTAX] = {
		"syntax", "text cannot be understood",
		"Mend the line, or the option, that is named.",
		"csflow asm: words:3: no such packet 'atm'", CSF_ERROR },
	[LOG_EMPTY] = {
		"empty", "there is nothing to show",
		"See what 'csflow doctor' says of the recording.",
		"csflow: perf.data: nothing to show; see 'csflow doctor'", CSF_ERROR },
	[LOG_UNKNOWN] = {
		"unknown-unit", "the trace unit is not known, or not one that the command reads",
		"Say which it is (--id, --protocol, --raw), or use another command.",
		"csflow dump: trace ID 0x12: the trace unit is not known", CSF_ERROR },
	[LOG_TOOL] = {
		"tool", "a program, or a library, that the command needs is not here",
		"Install the package that is named.",
		"csflow annotate: no LLVM library to disassemble with: install libllvm19",
		CSF_ERROR },
	[LOG_PROGRAM] = {
		"program", "a program that the command ran has failed",
		"Run the program alone, and mend what it reports.",
		"csflow: ./sort ended with status 1", CSF_ERROR },
	[LOG_UNREAD] = {
		"unread", "a part of the trace was not decoded",
		"Nothing, if that trace unit does not matter; otherwise record it with its metadata.",
		"csflow: perf.data: 96 bytes of trace not decoded: 96 of ID 55, which no trace unit has",
		CSF_WARNING },
	[LOG_UNCHECKED] = {
		"unchecked", "code may be other code than what ran",
		"Record with build-ids, or make sure that the file is the one that ran.",
		"csflow: not checked: /usr/bin/sort (no build-id was recorded)", CSF_WARNING },
	[LOG_LOST] = {
		"lost", "something that ran is missing in the result",
		"See what 'csflow doctor' says of the recording.",
		"csflow: perf.data: gaps: image 3 (208 atoms lost, 0 bytes skipped); see 'csflow doctor'",
		CSF_WARNING },
	[LOG_ROUGH] = {
		"rough", "the result is less exact, or has less in it, than it could",
		"Do what the message says, if it matters.",
		"csflow: perf.data: no timestamps of perf's clock: an instruction is shown as 1 ns",
		CSF_WARNING },
	[LOG_NOTE] = {
		"note", "figures of the command, or its next step",
		"Nothing.",
		"csflow: perf.data: 9001 instructions, 1440 bytes of trace", CSF_INFO },
};

void log_code_report(enum log_code code, struct csf_report *report)
{
	if (code == LOG_MEMORY) {
		csf_report_code(CSF_REPORT_CALL, CSF_ERR_MEMORY, report);
		return;
	}
	*report = (struct csf_report){
		.code = rows[code].code, .words = rows[code].words, .mend = rows[code].mend,
		.severity = rows[code].severity, .index = CSF_REPORT_NOWHERE, .id = CSF_ID_MAX,
	};
}

/* Lines of WIDTH columns, each after four spaces. */
static void print_text(FILE *f, const char *text)
{
	while (*text) {
		size_t n = strlen(text);

		if (n > WIDTH) {
			n = WIDTH;
			while (n && text[n] != ' ')
				n--;
		}
		fprintf(f, "    %.*s\n", (int)n, text);
		text += n;
		text += *text == ' ';
	}
}

static void print_row(FILE *f, const struct csf_report *report, const char *example)
{
	char text[512];

	snprintf(text, sizeof(text), "%c%s. %s", report->words[0] & ~0x20, report->words + 1,
		 report->mend);
	fprintf(f, "\n**%s** (%s)\n", report->code, csf_severity_name(report->severity));
	print_text(f, text);
	fprintf(f, "\n    ``%s``\n", example);
}

static void print_heading(FILE *f, const char *heading)
{
	fprintf(f, "%s\n", heading);
	for (size_t n = strlen(heading); n; n--)
		fputc('-', f);
	fputc('\n', f);
}

/* A call fails with its words; of the others it is what a log has, with some numbers. */
static void print_decoder_row(FILE *f, const struct csf_report *row, enum csf_report_kind kind)
{
	struct csf_report report = *row;
	char text[256], example[512];

	if (kind == CSF_REPORT_CALL) {
		snprintf(example, sizeof(example), "csflow dump: trace.bin: %s", row->words);
		print_row(f, row, example);
		return;
	}
	report.id = 0x10;
	report.index = 0x1d2;
	report.lost = kind == CSF_REPORT_GAP && report.severity == CSF_WARNING ? 12 : 0;
	csf_report_print(&report, text, sizeof(text));
	snprintf(example, sizeof(example), "csflow: %s: perf.data: %s",
		 csf_severity_name(report.severity), text);
	print_row(f, row, example);
}

static void print_kind(FILE *f, enum csf_report_kind kind)
{
	struct csf_report report;

	for (int i = 0; i < 64; i++)
		if (csf_report_code(kind, kind == CSF_REPORT_CALL ? -i : i, &report) > 0)
			print_decoder_row(f, &report, kind);
}

void log_print_codes(FILE *f)
{
	static const char *const headings[CSF_REPORT_NR] = {
		[CSF_REPORT_CALL] = "Calls of the library", [CSF_REPORT_GAP] = "Gaps in a trace",
		[CSF_REPORT_MESSAGE] = "Messages", [CSF_REPORT_FRAME] = "Frames",
		[CSF_REPORT_PACKET] = "Packets",
	};
	struct csf_report report;

	for (int kind = 0; kind < CSF_REPORT_NR; kind++) {
		print_heading(f, headings[kind]);
		print_kind(f, kind);
		fputc('\n', f);
	}
	print_heading(f, "Commands");
	for (int code = 0; code < LOG_CODES; code++) {
		log_code_report(code, &report);
		if (code != LOG_MEMORY)
			print_row(f, &report, rows[code].example);
	}
}
