/* SPDX-License-Identifier: GPL-2.0-only */
/* Sections of ELF files, byte by byte: bytes after the end read as zeros, and set @bad. */
#ifndef SECTION_H
#define SECTION_H

#include <gelf.h>
#include <stdbool.h>
#include <stdint.h>

/* The rest of a section, borrowed from its file; @bad: it ended too early. */
struct section {
	const uint8_t *at, *end;
	bool bad;
};

/* Empty if there is no section of that name. */
struct section section_find(Elf *elf, const char *name);

static inline uint8_t section_byte(struct section *s)
{
	if (s->at == s->end) {
		s->bad = true;
		return 0;
	}
	return *s->at++;
}

/* Reads a number of @n bytes, 1..8, little-endian. */
static inline uint64_t section_number(struct section *s, int n)
{
	uint64_t v = 0;

	for (int i = 0; i < n; i++)
		v |= (uint64_t)section_byte(s) << 8 * i;
	return v;
}

/* Reads a ULEB128; @sign: SLEB128. */
uint64_t section_leb(struct section *s, bool sign);

/* Takes the next @n bytes as a separate section; @s goes on after them. */
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
