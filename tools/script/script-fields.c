// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>
#include <string.h>

#include "../lib/near.h"
#include "script-print.h"

/* Each where its bit is. */
const char *const script_field_names[] = {
	"comm", "tid", "pid", "time", "cpu", "event", "ip", "sym", "dso", "addr", "symoff",
	"srcline", "period", "flags", "insn", "insnlen", "ipc", "brstack", "brstacksym",
	"callindent", "brstackinsn", "disasm", NULL
};

static uint32_t field_bit(const char *word, size_t n)
{
	for (size_t i = 0; script_field_names[i]; i++)
		if (!strncmp(script_field_names[i], word, n) && !script_field_names[i][n])
			return 1u << i;
	return 0;
}

/* Says which field may be meant, or lists all. */
static const char *unknown(struct script_fields *fields, const char *word, size_t n)
{
	char *s = fields->unknown, typed[64];
	struct near near = { .typed = typed };
	const size_t size = sizeof(fields->unknown);
	size_t at;

	snprintf(typed, sizeof(typed), "%.*s", (int)(n < sizeof(typed) ? n : sizeof(typed)), word);
	for (size_t i = 0; script_field_names[i]; i++)
		near_try(&near, script_field_names[i]);
	at = snprintf(s, size, "unknown field '%s'; ", typed);
	if (near.name) {
		snprintf(s + at, size - at, "did you mean '%s'?", near.name);
		return s;
	}
	at += snprintf(s + at, size - at, "there are");
	for (size_t i = 0; script_field_names[i] && at < size; i++)
		at += snprintf(s + at, size - at, "%s %s", i ? "," : "", script_field_names[i]);
	return s;
}

const char *script_fields_parse(struct script_fields *fields, const char *text)
{
	uint32_t exact = 0, plus = 0, minus = 0;

	for (const char *p = text;; p++) {
		char sign = *p == '+' || *p == '-' ? *p++ : 0;
		size_t n = strcspn(p, ",");
		uint32_t bit = field_bit(p, n);

		if (!bit)
			return unknown(fields, p, n);
		if (sign == '+')
			plus |= bit;
		else if (sign == '-')
			minus |= bit;
		else
			exact |= bit;
		p += n;
		if (!*p)
			break;
	}
	if (exact && (plus | minus))
		return "fields with and without + or -";
	/* perf forgets that branches have a target if fields are changed one by one */
	fields->insn = exact ? exact : (fields->insn | plus) & ~minus;
	fields->branch = fields->insn;
	if (fields->branch & SCRIPT_SYMOFF && !(fields->branch & SCRIPT_SYM))
		return "symoff without sym";
	if (fields->branch & SCRIPT_SRCLINE && !(fields->branch & SCRIPT_IP))
		return "srcline without ip";
	return NULL;
}
