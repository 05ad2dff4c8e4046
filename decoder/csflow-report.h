/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Reports: all that can go wrong, in one form, for logs.  Part of csflow.h, which includes this
 * file.
 *
 *	struct csf_report report;
 *
 *	while (csf_next(dec, &run) > 0)
 *		if (csf_report_run(&run, &report) > 0) {
 *			report.id = 0x10;
 *			... csf_report_print(&report, text, sizeof(text));
 *		}
 *
 * Nothing here reads or writes a file.  Documentation/user/errors.rst lists all codes.
 */
#ifndef CSFLOW_REPORT_H
#define CSFLOW_REPORT_H

#include <stddef.h>
#include <stdint.h>

#ifndef CSF_API
#include "csflow.h"
#endif

/**
 * enum csf_severity - how bad it is; a log at a level shows all up to it
 * @CSF_ERROR: a call failed, or what was asked for is not there
 * @CSF_WARNING: something is lost, or not to be trusted; decode goes on
 * @CSF_INFO: nothing is lost
 */
enum csf_severity { CSF_ERROR = 1, CSF_WARNING, CSF_INFO };

/* "warning" for CSF_WARNING, and so on; "unknown" for other values. */
CSF_API const char *csf_severity_name(enum csf_severity severity);

/**
 * enum csf_report_kind - the numbers that csf_report_code() knows
 * @CSF_REPORT_CALL: a negative enum csf_error
 * @CSF_REPORT_GAP: enum csf_gap
 * @CSF_REPORT_MESSAGE: enum csf_message_kind, of those that say that something is lost
 * @CSF_REPORT_FRAME: enum csf_frame_kind, likewise
 * @CSF_REPORT_PACKET: enum csf_bad
 */
enum csf_report_kind {
	CSF_REPORT_CALL,
	CSF_REPORT_GAP,
	CSF_REPORT_MESSAGE,
	CSF_REPORT_FRAME,
	CSF_REPORT_PACKET,
	CSF_REPORT_NR
};

/* csf_report.index: not known, or there is none */
#define CSF_REPORT_NOWHERE	UINT64_MAX

/**
 * struct csf_report - one error, warning or note
 * @code: its name, such as "gap-image": the same in every version
 * @words: what happened
 * @mend: what to do about it; after each other, they are one or two sentences
 * @index: offset of its packet, in bytes fed; CSF_REPORT_NOWHERE
 * @addr: address that it is about, of a run that of csf_run.addr; 0: none
 * @lost: number of P0 elements that are lost
 * @bytes: number of trace bytes that were skipped
 * @severity: enum csf_severity
 * @id: trace ID, which the caller knows; CSF_ID_MAX: not known
 *
 * The texts are constant.
 */
struct csf_report {
	const char *code, *words, *mend;
	uint64_t index, addr, lost, bytes;
	uint8_t severity, id;
};

/*
 * What @number, of @kind, means; the fields from @index on say "not known".  All numbers are below
 * 64, and those of CSF_REPORT_CALL above -64.
 *
 * Return: 1; 0: there is no such number, or nothing to report about it; CSF_ERR_ARG.
 */
CSF_API int csf_report_code(enum csf_report_kind kind, int number, struct csf_report *report);

/*
 * The gap at the end of @run.  Return: 1; 0: there is none, or more of the gap before
 * (CSF_GAP_MORE); CSF_ERR_ARG.
 */
CSF_API int csf_report_run(const struct csf_run *run, struct csf_report *report);

/* A message that says that something is lost; a piece of a capture, likewise.  Return: as above. */
CSF_API int csf_report_message(const struct csf_message *message, struct csf_report *report);
CSF_API int csf_report_frame(const struct csf_frame *frame, struct csf_report *report);

/*
 * Writes "trace ID 0x10, offset 0x1d2: code is missing: at 0x8000, 12 P0 elements lost [gap-image]"
 * to the @n bytes at @buf, cut off if it is longer.
 *
 * Return: length of the whole text; CSF_ERR_ARG.
 */
CSF_API int csf_report_print(const struct csf_report *report, char *buf, size_t n);

#endif /* CSFLOW_REPORT_H */
