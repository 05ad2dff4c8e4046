// SPDX-License-Identifier: GPL-2.0-only
/* Records of registers and memory. */
#include <strings.h>

#include "tarmac-parts.h"

/* Flags as letters follow the value of a status register; some are digits, too. */
static bool is_status(struct tarmac_text name)
{
	return name.n >= 4 && (!strncasecmp(name.p, "cpsr", 4) || !strncasecmp(name.p, "spsr", 4));
}

const char *tarmac_part_reg(struct lex *c, struct tarmac_record *r, struct tarmac_text word)
{
	static const char *const sysop[] = { "DC", "IC", "TLBI", "AT" };
	struct tarmac_reg *reg = &r->reg;
	uint32_t hi, lo;

	(void)word;
	r->kind = TARMAC_REG;
	*reg = (struct tarmac_reg){ 0 };
	if (!lex_word(c, &reg->name))
		return "no name of a register";
	for (size_t i = 0; i < 4; i++) {
		if (!tarmac_text_is(reg->name, sysop[i]))
			continue;
		reg->sysop = reg->name;
		if (!lex_word(c, &reg->name))
			return "no name of an operation";
		if (!lex_end(c) && !lex_value(c, &reg->value, UINT32_MAX))
			return "no value";
		return lex_end(c) ? NULL : "more than a system operation has";
	}
	lex_parens(c, &reg->extra);
	if (lex_char(c, '<')) {
		if (!lex_small(c, &hi, UINT16_MAX) || !lex_char(c, ':') ||
		    !lex_small(c, &lo, UINT16_MAX) || !lex_char(c, '>'))
			return "no range of bits";
		reg->has_range = true;
		reg->hi = hi;
		reg->lo = lo;
	}
	if (!lex_value(c, &reg->value, is_status(reg->name) ? 1 : UINT32_MAX))
		return "no value";
	reg->rest = lex_rest(c);
	return NULL;
}

bool tarmac_part_is_mem(struct tarmac_text word)
{
	if (word.n < 2 || word.p[0] != 'M')
		return false;
	for (size_t i = 1; i < word.n; i++)
		if (!strchr("RWXTLC_DIANO0123456789", word.p[i]) || !word.p[i])
			return false;
	return true;
}

static const char *tag(struct tarmac_mem *m, struct tarmac_text word)
{
	unsigned int size = 0;

	m->tag = word;
	for (size_t i = 1; i < word.n; i++) {
		char letter = word.p[i];

		m->write |= letter == 'W';
		m->exclusive |= letter == 'X';
		m->unprivileged |= letter == 'T';
		m->locked |= letter == 'L';
		if (letter >= '0' && letter <= '9')
			size = size * 10 + letter - '0';
		if (size > UINT8_MAX)
			return "no size of an access";
	}
	m->size = size;
	m->memory_order = word.n == 8 && word.p[7] == 'D';
	return NULL;
}

/* TRANSFER, or address and data. */
static const char *access_data(struct lex *c, struct tarmac_mem *m)
{
	if (lex_this(c, "TRANSFER")) {
		m->no_data = true;
		m->transfer = true;
		m->rest = lex_rest(c);
		return NULL;
	}
	if (!lex_addr(c, &m->addr))
		return "no address";
	if (lex_char(c, '(')) {
		m->no_data = lex_this(c, "ABORTED") && lex_char(c, ')');
		if (!m->no_data)
			return "neither data nor (ABORTED)";
	} else if (!lex_value(c, &m->data, 2)) {
		return "no data";
	}
	return lex_end(c) ? NULL : "more than a memory record has";
}

const char *tarmac_part_mem(struct lex *c, struct tarmac_record *r, struct tarmac_text word)
{
	struct tarmac_mem *m = &r->mem;
	const char *wrong;

	r->kind = TARMAC_MEM;
	*m = (struct tarmac_mem){ 0 };
	wrong = tag(m, word);
	if (wrong)
		return wrong;
	if (lex_this(c, "X"))
		m->exclusive = true;
	lex_parens(c, &m->extra);
	return access_data(c, m);
}

const char *tarmac_part_access(struct lex *c, struct tarmac_record *r, struct tarmac_text word)
{
	struct tarmac_mem *m = &r->mem;

	r->kind = TARMAC_MEM;
	*m = (struct tarmac_mem){ .tag = word, .write = word.p[0] == 'W', .size = word.p[2] - '0' };
	m->exclusive = lex_this(c, "X");
	if (!lex_addr(c, &m->addr))
		return "no address";
	if (!lex_value(c, &m->data, 1))
		return "no data";
	return lex_end(c) ? NULL : "more than a memory record has";
}

const char *tarmac_part_update(struct lex *c, struct tarmac_record *r, struct tarmac_text word)
{
	struct tarmac_update *u = &r->update;
	unsigned int size = 0;
	size_t i = 2;

	r->kind = TARMAC_UPDATE;
	*u = (struct tarmac_update){ 0 };
	while (i < word.n && word.p[i] >= '0' && word.p[i] <= '9' && size < 26)
		size = size * 10 + word.p[i++] - '0';
	if (i == 2 || i + 1 >= word.n || word.p[i] != '_')
		return "neither size nor operation";
	u->size = size;
	u->op.p = word.p + i + 1;
	u->op.n = word.n - i - 1;
	if (!lex_addr(c, &u->addr))
		return "no address";
	if (!lex_value(c, &u->data, 2))
		return "no data";
	return lex_end(c) ? NULL : "more than a memory update has";
}

/* Reads two characters as a byte. */
static bool cell(struct tarmac_diagram *d, unsigned int at, const char text[2])
{
	uint8_t high = lex_class[(uint8_t)text[0]], low = lex_class[(uint8_t)text[1]];

	if (high & low & LEX_DIGIT) {
		d->state[at] = TARMAC_BYTE;
		d->byte[at] = (high & 15) << 4 | (low & 15);
	} else if (text[0] == '#' && text[1] == '#') {
		d->state[at] = TARMAC_BYTE_HIDDEN;
	} else if (text[0] != '.' || text[1] != '.') {
		return false;
	}
	return true;
}

const char *tarmac_part_diagram(struct lex *c, struct tarmac_record *r, struct tarmac_text word)
{
	struct tarmac_diagram *d = &r->diagram;
	char text[32];
	unsigned int n = 0;

	r->kind = TARMAC_DIAGRAM;
	*d = (struct tarmac_diagram){ .store = word.p[0] == 'S' };
	if (!lex_addr(c, &d->addr))
		return "no address";
	while (n < sizeof(text) && !lex_end(c)) {
		if (!lex_at_digit(c) && *c->p != '.' && *c->p != '#')
			break;
		text[n++] = *c->p++;
	}
	if (n < sizeof(text) || lex_at_word(c))
		return "not 32 characters for 16 bytes";
	/* The highest address comes first. */
	for (unsigned int i = 0; i < 16; i++)
		if (!cell(d, 15 - i, text + 2 * i))
			return "a byte that is half there";
	d->rest = lex_rest(c);
	return NULL;
}

bool tarmac_part_is_bus(struct tarmac_text word)
{
	return word.n > 2 && word.p[0] == 'B' && (word.p[1] == 'R' || word.p[1] == 'W') &&
	       word.p[2] >= '0' && word.p[2] <= '9';
}

/* I or O, and five letters of which any may be missing. */
static bool attributes(struct lex *c, char which, struct tarmac_text *text)
{
	if (!lex_word(c, text) || text->n != 6 || text->p[0] != which)
		return false;
	for (int i = 0; i < 5; i++)
		if (text->p[i + 1] != '_' && text->p[i + 1] != "WRCBS"[i])
			return false;
	text->p++;
	text->n--;
	return true;
}

static bool bus_letters(struct tarmac_bus *b, struct tarmac_text word)
{
	size_t i = 2;
	unsigned int size = 0;

	while (i < word.n && word.p[i] >= '0' && word.p[i] <= '9' && size < 26)
		size = size * 10 + word.p[i++] - '0';
	if (i + 4 != word.n)
		return false;
	b->size = size;
	b->write = word.p[1] == 'W';
	b->fetch = word.p[i] == 'I';
	b->lock = word.p[i + 1];
	b->privileged = word.p[i + 2] == 'P';
	b->nonsecure = word.p[i + 3] == 'N';
	return (b->fetch || word.p[i] == 'D') && memchr("LX_", b->lock, 3) &&
	       (b->privileged || word.p[i + 2] == '_') && (b->nonsecure || word.p[i + 3] == 'S');
}

const char *tarmac_part_bus(struct lex *c, struct tarmac_record *r, struct tarmac_text word)
{
	struct tarmac_bus *b = &r->bus;

	r->kind = TARMAC_BUS;
	*b = (struct tarmac_bus){ 0 };
	if (!bus_letters(b, word))
		return "letters that no access to a bus has";
	if (!attributes(c, 'I', &b->inner))
		return "no inner cache attributes";
	if (!attributes(c, 'O', &b->outer))
		return "no outer cache attributes";
	if (!lex_word(c, &b->master))
		return "no bus master";
	if (!lex_hex(c, &b->addr))
		return "no address";
	if (!lex_value(c, &b->data, UINT32_MAX))
		return "no data";
	return lex_end(c) ? NULL : "more than a bus record has";
}
