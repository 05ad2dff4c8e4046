/* SPDX-License-Identifier: GPL-2.0-only */
/* Traces of a PTM with the truth, made by dice. */
#ifndef RANDOM_PTM_H
#define RANDOM_PTM_H

#include "random-case.h"

struct ptm_program;

/* A program; @text: as in a case.  Free it. */
struct ptm_program *random_ptm_program(struct dice *d, struct text *text);

/* What a PTM sends of @n instructions, with a timestamp of 64 bits; @truth: the flow, in words. */
void random_ptm_execution(struct trace_case *c, struct dice *d, const struct ptm_program *p, int n,
			  struct text *truth);

#endif /* RANDOM_PTM_H */
