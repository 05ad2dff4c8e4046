/* SPDX-License-Identifier: GPL-2.0-only */
/* Which instruction of a function is which one in another build of it. */
#ifndef CSF_CARRY_MATCH_H
#define CSF_CARRY_MATCH_H

#include "carry-function.h"

/**
 * struct carry_match - two builds of a function
 * @a, @b: the old one and the new one
 * @to: for each instruction of @a, that of @b, or CARRY_NONE; @from: the reverse
 * @pair: for each piece of @a, the piece of @b that is like it, or CARRY_NONE; @back: the reverse
 */
struct carry_match {
	const struct carry_function *a, *b;
	uint32_t *to, *from;
	uint32_t *pair, *back;
};

/**
 * carry_match() - match two builds of a function
 *
 * Pieces that are alike are anchors, the surest first; what they lead to and what lies between them
 * is matched next, instruction by instruction, in order.
 *
 * Return: 0 or -ENOMEM.  Call carry_match_fini() in any case.
 */
int carry_match(struct carry_match *m, const struct carry_function *a,
		const struct carry_function *b);
void carry_match_fini(struct carry_match *m);

/* carry-align.c */

/**
 * struct carry_gap - what is to be matched in order: @n instructions of each, from @first on
 * [0]: of the old function; [1]: of the new one
 */
struct carry_gap {
	uint32_t first[2], n[2];
};

/* Matches the most like instructions of a gap that have no partner.  Return: 0 or -ENOMEM. */
int carry_align(struct carry_match *m, const struct carry_gap *gap);

#endif /* CSF_CARRY_MATCH_H */
