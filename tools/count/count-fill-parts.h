/* SPDX-License-Identifier: GPL-2.0-only */
/* Shared by count-runs.c, which passes runs on, count-fill.c, which counts, and count-fold.c. */
#ifndef CSF_COUNT_FILL_PARTS_H
#define CSF_COUNT_FILL_PARTS_H

#include "count-fill.h"

/**
 * enum fill_look - does the edge of a taken block need the hash?
 * @FILL_TOLD: no: the block has the target
 * @FILL_INDIRECT: yes
 * @FILL_FAR: yes, and code has the target
 */
enum fill_look { FILL_TOLD, FILL_INDIRECT, FILL_FAR };

/* A new block; @look: enum fill_look. */
struct fill_block {
	struct fill_place place;
	uint8_t look;
};

/**
 * enum fill_leads - what the end of a run tells about the target of the last branch
 * @FILL_NOWHERE: nothing
 * @FILL_BY_CODE: it is valid only if the code confirms it
 * @FILL_LEADS: the target
 */
enum fill_leads { FILL_NOWHERE, FILL_BY_CODE, FILL_LEADS };

/**
 * struct fill_run - a run without its steps
 * @stream: number
 * @n: steps and paths
 * @to: where the last branch went, see enum fill_leads @leads
 * @value, @end, @in_transaction: as in struct csf_run; @starts: as in struct perf_run
 * @second_half: the end of the run is in the second half of the stream
 * @goes_on: the run ends with a gap in which nothing is missing
 */
struct fill_run {
	size_t stream, n;
	struct fill_place to;
	uint64_t value;
	uint8_t end, leads;
	bool starts, in_transaction, second_half, goes_on;
};

/* Batch by batch, in the order of runs, by one thread at a time.  Return: 0 or -ENOMEM. */
int fill_learn(struct count_fill *fill, const struct fill_batch *batch);
int fill_count(struct count_fill *fill, const struct fill_run *run, const uint32_t *steps);

/* Counts that the last branch of a stream went to @to.  Return: likewise. */
int fill_lead(struct count_fill *fill, size_t stream, const struct fill_place *to);

/* Call this when all runs are counted.  Return: likewise. */
int fill_finish(struct count_fill *fill);
void fill_free_counters(struct count_fill *fill);

/**
 * struct fill_edge - a branch and where it went
 * @from: number of the block
 * @section, @offset: of the target; section 0: in none
 */
struct fill_edge {
	int64_t offset;
	uint64_t count;
	uint32_t section;
	uint32_t from;
};

/**
 * struct fill_path - a path, counted as one until the end; a cache line holds two
 * @ran: times in the first and in the second half
 * @same: times that it came after the step @from, which are not yet counted with its edge
 * @open: its last step, if the target of that is needed; else 0
 */
struct fill_path {
	uint64_t ran[2];
	uint64_t same;
	uint32_t from;
	uint32_t open;
};

/* fill_path.open: the target of another step is needed, too: the path is walked. */
#define FILL_WALKED	UINT32_MAX

/**
 * struct fill_turn - a path after one of the steps that it came after before
 * @n: times that are not yet counted with its edge
 * @from: the step
 * @path: number; 0: none
 */
struct fill_turn {
	uint64_t n;
	uint32_t from, path;
};

/* So many are kept, which is 256 KiB: an interpreter has some for each pair of its instructions. */
#define FILL_TURN_BITS	14
#define FILL_TURNS	(1u << FILL_TURN_BITS)

/* Counts with edges what came before paths.  Return: 0 or -ENOMEM. */
int fill_settle_paths(struct count_fill *fill);

/* NULL: no known section. */
static inline const struct code_section *section_of(const struct count_fill *fill, uint32_t section)
{
	const struct perf_code *code = fill->code;

	return section < code->n_section ? code->section[section] : NULL;
}

#endif /* CSF_COUNT_FILL_PARTS_H */
