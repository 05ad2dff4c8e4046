/* SPDX-License-Identifier: GPL-2.0-only */
/* A line of Tarmac to a record. */
#ifndef CSF_TARMAC_PARSE_H
#define CSF_TARMAC_PARSE_H

#include "tarmac.h"

/* The names of more processors than this are that of the last one. */
#define TARMAC_CPU_MAX	1024

/* Most digits of a time behind the point */
#define TARMAC_FRACTION_MAX	24

/**
 * struct tarmac_parser - what lines inherit from those before; zero it
 * @implicit_thumb: an instruction that names no instruction set is T32
 * @crowded: there were names of more than TARMAC_CPU_MAX processors
 * @more: what is left of the line: another record, for the next call; n 0: nothing
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
	size_t column;		/* of the address of the diagram before; 0: there is none */
	bool store, note;
	bool indents;		/* a record without a stamp was indented: others are records, too */
};

void tarmac_parser_free(struct tarmac_parser *p);

/**
 * tarmac_parse() - take a line apart
 * @line: without its end, or what @more was; the record points into it
 *
 * Return: 1; 0: an empty line, and no record; -ENOMEM.
 */
int tarmac_parse(struct tarmac_parser *p, const char *line, size_t n, struct tarmac_record *r);

/* Processors have numbers in the order in which they appear; "" before the first. */
const char *tarmac_cpu_name(const struct tarmac_parser *p, uint32_t cpu);

/* "cpu12", "12", "cluster0.cpu12": 12; names without a number: that of tarmac_cpu_name(). */
uint32_t tarmac_cpu_number(const struct tarmac_parser *p, uint32_t cpu);

#endif /* CSF_TARMAC_PARSE_H */
