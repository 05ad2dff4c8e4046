/* SPDX-License-Identifier: GPL-2.0-only */
/* Traces of ETMv3 and PTM made by dice, as far as the two are the same. */
#ifndef RANDOM_CLASSIC_H
#define RANDOM_CLASSIC_H

#include "random-case.h"

#define CLASSIC_SEEDS	1500

/* The code of a case, in A32 and T32. */
extern const char classic_code[];

/**
 * struct classic_dice - how a protocol rolls
 * @config: the line of a case that names the unit
 * @registers: those of the unit
 * @isync, @any: puts an I-sync; any packet, or bytes
 */
struct classic_dice {
	const char *config;
	void (*registers)(struct csf_config *config, struct dice *d);
	void (*isync)(struct trace_case *c, struct dice *d);
	void (*any)(struct trace_case *c, struct dice *d);
};

/* A case with a trace.  Return: false: it cannot be made. */
bool classic_make(struct trace_case *c, const struct classic_dice *own, unsigned long seed);

/* Reads a case without a trace.  Return: false: its text is wrong. */
bool classic_read_case(struct trace_case *c, const char *text);

/* Adds a packet, if there is such a packet. */
void classic_put_packet(struct trace_case *c, const struct csf_packet *pkt);

/* An address in the program, mostly one of a label. */
void classic_roll_address(const struct trace_case *c, struct dice *d, struct csf_packet *pkt);

/* The low bits of one: one of three numbers of @bits. */
void classic_roll_short(struct dice *d, const uint8_t bits[3], struct csf_packet *pkt);

/* Does the decoder say as the naive walker, however it is fed? */
bool classic_as_walker(const struct trace_case *c, unsigned long seed);

/* Does it say @want, however it is fed?  @offsets: with the offsets in the trace. */
bool classic_says(const struct trace_case *c, const struct text *want, bool offsets,
		  unsigned long seed);

/* The seeds from @from to before @to that the environment asks for; else the first @n. */
void classic_seeds(unsigned long n, unsigned long *from, unsigned long *to);

#endif /* RANDOM_CLASSIC_H */
