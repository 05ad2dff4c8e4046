/* SPDX-License-Identifier: GPL-2.0-only */
/* csflow report in the terminal: functions that open, and the code of each. */
#ifndef CSF_REPORT_SCREEN_H
#define CSF_REPORT_SCREEN_H

#include "../code/disasm.h"
#include "../code/source-text.h"
#include "../tui/screen.h"
#include "hierarchy.h"
#include "report.h"

/*
 * Shows @r, which has calls by thread, until the user leaves.  @dis may be NULL.  Return: CMD_OK;
 * CMD_FAILED, reported; 128 and the signal that ended it.
 */
int report_screen(struct report *r, struct disasm *dis, struct source_text *source,
		  enum screen_color color);

#endif /* CSF_REPORT_SCREEN_H */
