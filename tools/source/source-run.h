/* SPDX-License-Identifier: GPL-2.0-only */
/* The runs of a decoder as items of a source: what perf.data and snapshot have in common. */
#ifndef CSF_SOURCE_RUN_H
#define CSF_SOURCE_RUN_H

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
 * struct source_run - zero it, set @image
 * @code: by block number: a block is asked for once
 * @dec, @run: of the current run; @step: its next step
 * @over: the end of the run was reported
 */
struct source_run {
	struct csf_image *image;
	struct source_code *code;
	size_t n_code;
	struct csf_decoder *dec;
	const struct csf_run *run;
	size_t step;
	bool over;
};

/* Both stay valid until the last item of the run. */
static inline void source_run_begin(struct source_run *r, struct csf_decoder *dec,
				    const struct csf_run *run)
{
	r->dec = dec;
	r->run = run;
	r->step = 0;
	r->over = false;
}

/* Return: 1 and an item; 0: the run has no more items; -ENOMEM. */
int source_run_next(struct source_run *r, struct source_item *item);
void source_run_free(struct source_run *r);

#endif /* CSF_SOURCE_RUN_H */
