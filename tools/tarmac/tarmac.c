// SPDX-License-Identifier: GPL-2.0-only
#include "tarmac-lex.h"

static const char *const kind_name[TARMAC_NR] = {
	[TARMAC_TEXT] = "text", [TARMAC_HEADER] = "header", [TARMAC_INST] = "inst",
	[TARMAC_FLOW] = "flow", [TARMAC_REG] = "reg", [TARMAC_MEM] = "mem",
	[TARMAC_UPDATE] = "update", [TARMAC_DIAGRAM] = "diagram", [TARMAC_BUS] = "bus",
	[TARMAC_EVENT] = "event", [TARMAC_MAINTENANCE] = "maintenance", [TARMAC_LINE] = "line",
	[TARMAC_WALK] = "walk", [TARMAC_TLB] = "tlb", [TARMAC_SIGNAL] = "signal",
	[TARMAC_EXCEPTION] = "exception", [TARMAC_NOTE] = "note",
};

const char *const tarmac_unit_name[TARMAC_UNIT_NR] = {
	"", "clk", "ns", "us", "ps", "cs", "cyc", "tic"
};

const char *const tarmac_isa_name[TARMAC_ISA_NR] = { "", "A", "T", "T16", "T32", "X", "O" };

const char *const tarmac_how_name[] = { "IT", "IS", "IF", "ES" };

const char *tarmac_kind_name(enum tarmac_kind kind)
{
	return kind_name[kind];
}

size_t tarmac_value_digits(const struct tarmac_value *value, char *buf, size_t max)
{
	size_t n = 0;

	for (size_t i = 0; i < value->text.n && n < max; i++) {
		uint8_t class = lex_class[(uint8_t)value->text.p[i]];

		if (class & LEX_DIGIT)
			buf[n++] = "0123456789abcdef"[class & 15];
		else if (class & LEX_VALUE && (class & 15) != LEX_JOINT)
			buf[n++] = (class & 15) == LEX_KEPT ? '-' : 'x';
	}
	return n;
}

bool tarmac_attr(struct tarmac_text *rest, struct tarmac_text *name, struct tarmac_text *value)
{
	struct lex c = { rest->p, rest->p + rest->n };

	if (!lex_word(&c, name) || !lex_char(&c, '=') || !lex_word(&c, value))
		return false;
	rest->p = c.p;
	rest->n = c.end - c.p;
	return true;
}
