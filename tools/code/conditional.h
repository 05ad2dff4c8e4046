/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The conditional instructions of A32 and T32, as conditional instruction trace counts them.
 *
 * The trace gives the place of one in its block; the code gives its address and its condition.
 */
#ifndef CSF_CONDITIONAL_H
#define CSF_CONDITIONAL_H

#include <stdbool.h>
#include <stdint.h>

#include "../../decoder/csflow.h"

/* TRCCONFIGR.COND: which are traced: a set of the first two, or all. */
enum conditional_mode {
	CONDITIONAL_LOADS = 1,
	CONDITIONAL_STORES = 2,
	CONDITIONAL_ALL = 7,
};

/**
 * struct conditional_code - where to look
 * @rule: CSF_RULE_x: what ends a block
 * @mode: TRCCONFIGR.COND
 */
struct conditional_code {
	struct csf_image *image;
	uint64_t time;
	int space;
	uint32_t rule;
	uint32_t mode;
};

/**
 * struct conditional - a conditional instruction
 * @condition: 0 (EQ) .. 13 (LE)
 */
struct conditional {
	uint64_t addr;
	uint8_t condition;
};

/* The fields of @c that the registers decide; the others stay. */
void conditional_configure(struct conditional_code *c, const struct csf_config *config);

/**
 * conditional_find() - a traced conditional instruction by its place
 * @block: where its block was entered, with bit 0 set in T32
 * @number: traced conditional instructions before it in the block
 *
 * An IT before @block is not seen: what it makes conditional there is not found.
 *
 * Return: it is there.
 */
bool conditional_find(const struct conditional_code *c, uint64_t block, uint32_t number,
		      struct conditional *found);

/* Does @condition hold with these flags?  @flags: N, Z, C, V, with V in bit 0. */
bool condition_holds(unsigned int condition, unsigned int flags);

#endif /* CSF_CONDITIONAL_H */
