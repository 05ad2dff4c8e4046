/* SPDX-License-Identifier: GPL-2.0-only */
/* The runs of a decoder as items of a source: what perf.data and snapshot have in common. */
#ifndef CSF_SOURCE_RUN_H
#define CSF_SOURCE_RUN_H

#include "../lib/access-words.h"
#include "source-private.h"

/**
 * struct source_code - code of a block
 * @bytes: NULL: it cannot be read
 * @branch: an atom tells whether its last instruction was taken
 */
struct source_code {
	const uint8_t *bytes;
	uint32_t size;
	uint16_t n_insn;
	uint8_t isa;
	bool branch;
	bool known;
};

/**
 * struct source_data - a data access of a run
 * @access: number in csf_run.access
 * @step: it comes before this step of the run; a mark that comes later may have an earlier step
 * @late: its instruction was in an earlier run
 */
struct source_data {
	uint32_t access;
	uint32_t step;
	bool late;
};

/**
 * struct source_run - zero it, set @image
 * @code: by block number: a block is asked for once
 * @dec, @run: of the current run; @step: its next step
 * @over: the end of the run was reported
 * @data: marks of data accesses, in the order of their instructions; @n_data of them, and the next
 *        is @next_data.  An instruction in a run before is too late for its access
 */
struct source_run {
	struct csf_image *image;
	struct source_code *code;
	size_t n_code;
	struct csf_decoder *dec;
	const struct csf_run *run;
	size_t step;
	bool over;
	struct source_data *data;
	size_t n_data, size_data, next_data;
	char words[ACCESS_WORDS_MAX + 8];
	char digits[16];
};

/* Both stay valid until the last item of the run.  Return: 0 or -ENOMEM. */
int source_run_begin(struct source_run *r, struct csf_decoder *dec, const struct csf_run *run);

/* Return: 1 and an item; 0: the run has no more items; -ENOMEM. */
int source_run_next(struct source_run *r, struct source_item *item);
void source_run_free(struct source_run *r);

#endif /* CSF_SOURCE_RUN_H */
