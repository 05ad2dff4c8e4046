/* SPDX-License-Identifier: GPL-2.0-only */
/* Sections of ELF files, byte by byte: what ends too early reads as zeros, and says so. */
#ifndef SECTION_H
#define SECTION_H

#include <gelf.h>
#include <stdbool.h>
#include <stdint.h>

/* What is left of a section, borrowed from its file; @bad: it ended too early. */
struct section {
	const uint8_t *at, *end;
	bool bad;
};

/* Empty if there is none of that name. */
struct section section_find(Elf *elf, const char *name);

static inline uint8_t section_byte(struct section *s)
{
	if (s->at == s->end) {
		s->bad = true;
		return 0;
	}
	return *s->at++;
}

/* Of @n bytes, 1..8, the lowest first. */
static inline uint64_t section_number(struct section *s, int n)
{
	uint64_t v = 0;

	for (int i = 0; i < n; i++)
		v |= (uint64_t)section_byte(s) << 8 * i;
	return v;
}

/* ULEB128; @sign: SLEB128. */
uint64_t section_leb(struct section *s, bool sign);

/* The next @n bytes, as a section by themselves; @s goes on behind them. */
static inline struct section section_part(struct section *s, uint64_t n)
{
	struct section part = { s->at, s->at, false };

	if (n > (uint64_t)(s->end - s->at)) {
		s->bad = true;
		n = s->end - s->at;
	}
	part.end += n;
	s->at += n;
	return part;
}

#endif /* SECTION_H */
