// SPDX-License-Identifier: GPL-2.0-only
#include <string.h>

#include "script-print.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

static const struct field {
	const char *name;
	uint32_t bit;
} field_names[] = {
	{ "comm", SCRIPT_COMM },	{ "tid", SCRIPT_TID },		{ "pid", SCRIPT_PID },
	{ "time", SCRIPT_TIME },	{ "cpu", SCRIPT_CPU },		{ "event", SCRIPT_EVENT },
	{ "ip", SCRIPT_IP },		{ "sym", SCRIPT_SYM },		{ "dso", SCRIPT_DSO },
	{ "addr", SCRIPT_ADDR },	{ "symoff", SCRIPT_SYMOFF },
	{ "srcline", SCRIPT_SRCLINE },	{ "period", SCRIPT_PERIOD },
	{ "flags", SCRIPT_FLAGS },	{ "insn", SCRIPT_INSN },
	{ "insnlen", SCRIPT_INSNLEN },	{ "ipc", SCRIPT_IPC },
	{ "brstack", SCRIPT_BRSTACK },	{ "brstacksym", SCRIPT_BRSTACKSYM },
	{ "brstackinsn", SCRIPT_BRSTACKINSN },
	{ "callindent", SCRIPT_CALLINDENT },
};

static uint32_t field_bit(const char *word, size_t n)
{
	for (size_t i = 0; i < ARRAY_SIZE(field_names); i++)
		if (strlen(field_names[i].name) == n && !strncmp(field_names[i].name, word, n))
			return field_names[i].bit;
	return 0;
}

const char *script_fields_parse(struct script_fields *fields, const char *text)
{
	uint32_t exact = 0, plus = 0, minus = 0;

	for (const char *p = text;; p++) {
		char sign = *p == '+' || *p == '-' ? *p++ : 0;
		size_t n = strcspn(p, ",");
		uint32_t bit = field_bit(p, n);

		if (!bit)
			return "there is no such field";
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
