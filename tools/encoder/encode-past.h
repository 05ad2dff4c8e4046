/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What was executed before.  A processor that guesses wrong executes what it knows: what the other
 * way of a branch led to the last time, or where an indirect branch went before.
 */
#ifndef CSF_ENCODE_PAST_H
#define CSF_ENCODE_PAST_H

#include <stdbool.h>
#include <stdint.h>

/**
 * struct past_p0 - a branch that was executed, and where
 * @from: where execution came from, behind the P0 element before
 * @to: and where this one led
 * @from_isa, @to_isa: enum enc_isa there
 * @taken: its atom was E
 * @told: the trace had to say where it led
 * @before: number of the one before from there; 0: none
 */
struct past_p0 {
	uint64_t from, to;
	uint8_t from_isa, to_isa;
	bool taken, told;
	uint32_t before;
};

struct past;

/* Return: owned by the caller; NULL: no memory. */
struct past *past_new(void);
void past_free(struct past *past);

/* One more was executed; its @before is filled in. */
void past_add(struct past *past, const struct past_p0 *p0);

/* The last one from @from, or NULL. */
const struct past_p0 *past_from(const struct past *past, uint64_t from, uint8_t isa);

/* The one that was executed next where @p0 led, or NULL. */
const struct past_p0 *past_next(const struct past *past, const struct past_p0 *p0);

/* The one before from there, or NULL. */
const struct past_p0 *past_before(const struct past *past, const struct past_p0 *p0);

#endif /* CSF_ENCODE_PAST_H */
