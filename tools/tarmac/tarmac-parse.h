/* SPDX-License-Identifier: GPL-2.0-only */
/* Parses a line of Tarmac into a record. */
#ifndef CSF_TARMAC_PARSE_H
#define CSF_TARMAC_PARSE_H

#include "tarmac.h"

/* The most processors; further names are those of the last one. */
#define TARMAC_CPU_MAX	1024

/* Most digits of a time after the point */
#define TARMAC_FRACTION_MAX	24

/**
 * struct tarmac_parser - the state that lines inherit from earlier ones; zero it
 * @implicit_thumb: an instruction that names no instruction set is T32
 * @crowded: there were names of more than TARMAC_CPU_MAX processors
 * @more: the rest of the line, another record for the next call; n 0: nothing
 */
struct tarmac_parser {
	bool implicit_thumb, crowded;
	struct tarmac_text more;
	/* private */
	char **cpu;
	uint32_t n_cpu, last_cpu;
	uint16_t slot[2 * TARMAC_CPU_MAX];
	uint64_t time;
	uint8_t unit;
	char fraction[TARMAC_FRACTION_MAX];
	uint8_t n_fraction;
	size_t column;		/* of the address in the previous diagram; 0: none */
	bool store, note;
	bool indents;		/* an indented record without stamp was seen */
};

void tarmac_parser_free(struct tarmac_parser *p);

/**
 * tarmac_parse() - parse a line
 * @line: without its end, or the earlier @more; the record points into it
 *
 * Return: 1; 0: an empty line, and no record; -ENOMEM.
 */
int tarmac_parse(struct tarmac_parser *p, const char *line, size_t n, struct tarmac_record *r);

/* The name of a processor; they are numbered in the order of appearance; "" before the first. */
const char *tarmac_cpu_name(const struct tarmac_parser *p, uint32_t cpu);

/* "cpu12", "12", "cluster0.cpu12": 12; names without a number: that of tarmac_cpu_name(). */
uint32_t tarmac_cpu_number(const struct tarmac_parser *p, uint32_t cpu);

#endif /* CSF_TARMAC_PARSE_H */
