// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>
#include <string.h>

#include "row.h"
#include "syst.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

/* As csf_message_name(): an option needs the words before it runs. */
const char *const row_kinds[ROW_NR + 1] = {
	[CSF_MESSAGE_DATA] = "data",
	[CSF_MESSAGE_COUNTERS] = "counters",
	[CSF_MESSAGE_EXCEPTION] = "exception",
	[CSF_MESSAGE_PC] = "pc",
	[CSF_MESSAGE_NO_PC] = "no-pc",
	[CSF_MESSAGE_PMU] = "pmu",
	[CSF_MESSAGE_ACCESS_PC] = "access-pc",
	[CSF_MESSAGE_ACCESS_ADDR] = "access-addr",
	[CSF_MESSAGE_READ] = "read",
	[CSF_MESSAGE_WRITE] = "write",
	[CSF_MESSAGE_MATCH] = "match",
	[CSF_MESSAGE_TIME] = "time",
	[CSF_MESSAGE_GLOBAL_TIME] = "global-time",
	[CSF_MESSAGE_OVERFLOW] = "overflow",
	[CSF_MESSAGE_FLAG] = "flag",
	[CSF_MESSAGE_TRIGGER] = "trigger",
	[CSF_MESSAGE_FREQUENCY] = "frequency",
	[CSF_MESSAGE_CROSS_SYNC] = "cross-sync",
	[CSF_MESSAGE_USER] = "user",
	[CSF_MESSAGE_ERROR] = "error",
	[CSF_MESSAGE_OTHER] = "other",
	[CSF_MESSAGE_GAP] = "gap",
	[ROW_ITE] = "instrumentation",
	[ROW_TEXT] = "text",
	[ROW_SYST] = "syst"
};

const char *row_kind(const struct row *row)
{
	return row->kind < ROW_NR ? row_kinds[row->kind] : "unknown";
}

bool row_has_channel(const struct row *row)
{
	switch (row->kind) {
	case CSF_MESSAGE_DATA:
	case CSF_MESSAGE_ACCESS_PC:
	case CSF_MESSAGE_ACCESS_ADDR:
	case CSF_MESSAGE_READ:
	case CSF_MESSAGE_WRITE:
	case CSF_MESSAGE_MATCH:
	case CSF_MESSAGE_FLAG:
	case CSF_MESSAGE_OTHER:
	case ROW_ITE:
	case ROW_TEXT:
	case ROW_SYST:
		return true;
	default:
		return false;
	}
}

bool row_has_value(const struct row *row)
{
	switch (row->kind) {
	case CSF_MESSAGE_MATCH:
	case CSF_MESSAGE_OVERFLOW:
	case CSF_MESSAGE_FLAG:
	case ROW_TEXT:
	case ROW_SYST:
		return false;
	default:
		return true;
	}
}

static void add(char *buf, const char *word)
{
	if (*buf)
		strcat(buf, " ");
	strcat(buf, word);
}

static void add_counters(char *buf, uint64_t v)
{
	static const char *const words[] = {
		"cpi", "exception", "sleep", "lsu", "fold", "postcnt",
	};

	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (v >> i & 1)
			add(buf, words[i]);
}

const char *row_words(const struct row *row, char buf[ROW_WORDS_MAX])
{
	static const char *const exceptions[] = { "reserved", "entered", "exited", "returned" };
	static const char *const errors[] = { "", "master", "global", "channel" };
	static const char *const others[] = {
		"software", "hardware", "extension", "hardware-extension",
	};

	*buf = '\0';
	switch (row->kind) {
	case CSF_MESSAGE_COUNTERS:
		add_counters(buf, row->m.value);
		break;
	case CSF_MESSAGE_EXCEPTION:
		return exceptions[row->m.info & 3];
	case CSF_MESSAGE_NO_PC:
		return row->m.value ? "prohibited" : "sleep";
	case CSF_MESSAGE_ERROR:
		return errors[row->m.info & 3];
	case CSF_MESSAGE_OTHER:
		return others[row->m.info & 3];
	case CSF_MESSAGE_GAP:
		return csf_gap_name(row->m.info);
	case ROW_TEXT:
		return row->partial ? "partial" : "";
	case ROW_SYST:
		snprintf(buf, ROW_WORDS_MAX, "%s%s%s%s%s", row->syst->type,
			 row->syst->severity ? " " : "", row->syst->severity ?: "",
			 row->syst->status ? " " : "",
			 row->syst->status ? syst_status(row->syst->status) : "");
		break;
	default:
		break;
	}
	return buf;
}
