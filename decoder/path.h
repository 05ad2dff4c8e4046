/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Paths: steps that were made one behind the other before, and are found as one.
 *
 * Where execution is, and the atom packets up to the next packet that is none, say which steps
 * follow.  Programs do the same things again: of ten such runs of packets nine were seen before.
 * A decoder remembers them by both; the steps that belong to them are the image's, and have a
 * number there.
 */
#ifndef CSF_PATH_H
#define CSF_PATH_H

#include "bytes.h"
#include "table.h"

#define PATH_MAX_N	(1u << 20)	/* paths of an image */
#define PATH_FEW	(1u << 16)	/* of what comes once; the others come twice */
#define PATH_STEPS	16		/* steps of all of them, for each that there may be */
#define PATH_BYTES	7		/* atom packets that a path is made of, at most */
#define PATH_OWN_MAX	(1u << 20)	/* steps of what a decoder keeps for itself */
#define PATH_ALIGN	4		/* its paths begin at multiples: numbers are shorter */

/**
 * struct path - steps that have a number
 * @first: index of the first of them
 * @hash: path_hash()
 */
struct path {
	uint32_t first;
	uint32_t hash;
};

/**
 * struct path_table - all paths of an image; nothing in it ever moves
 * @step: their steps, one path behind the other; NULL: nobody has asked for any
 * @path: by number, from 1; that of @n begins behind the last path
 * @n: next number, below @max
 * @steps, @paths: where @step and @path are
 * @cells: numbers, by path_hash()
 */
struct path_table {
	uint32_t *step;
	struct path *path;
	uint32_t n, max;
	struct table_space steps, paths;
	struct cells cells;
};

/* Address space for all.  Return: 0 or CSF_ERR_MEMORY. */
int path_table_init(struct path_table *t);
void path_table_fini(struct path_table *t);

/*
 * A hash of the steps from @block on that the atom packets @bytes make.  Other packets may make the
 * same steps, and then they are another path, too: that is seldom, and to look at each step takes
 * as long as to make it.
 */
static inline uint32_t path_hash(uint32_t block, uint64_t bytes)
{
	return hash_spread(bytes + block * 0xc2b2ae3d27d4eb4full);
}

/* The path of @n steps, 1 at least.  Return: its number; 0: there is no room for another. */
uint32_t path_at(struct path_table *t, uint32_t hash, const uint32_t *step, uint32_t n);

/**
 * struct path_row - a path that a decoder remembers; two are in a cache line
 * @start: an address as the trace has it, with bit 0 set for T32; or path_from_block()
 * @bytes: of the atom packets; zeros follow them
 * @gen: exec_gen() of that time; 0: nothing is remembered here
 * @path: path_of()
 * @end: where the next one begins, if no address comes first
 */
struct path_row {
	uint64_t start;
	uint64_t bytes;
	uint32_t gen;
	uint32_t path;
	uint64_t end;
};

/*
 * A path as rows and runs have it: how many steps it has, and above all CSF_PATH.  Whoever asked
 * for paths is handed out all of it but how many they are.
 */
#define PATH_NUMBER	((1u << 23) - 1)
#define PATH_MORE	23		/* shift of steps, less one: 8 bits */

/* Of @n steps; @number: of the image's, or where a decoder keeps them. */
static inline uint32_t path_of(uint32_t number, uint32_t n)
{
	return CSF_PATH | (n - 1) << PATH_MORE | number;
}

/* Steps, less one. */
static inline uint32_t path_more(uint32_t path)
{
	return path >> PATH_MORE & 0xff;
}

#define PATH_SEEN	65536		/* a power of two */

/**
 * struct path_memo - what a decoder remembers
 * @row: @n of them; two that belong together are in one cache line
 * @n: so many
 * @mask: of the number of a row
 * @learned: since there are that many
 * @missed: how often nothing was remembered
 * @since: offset at which that was last looked at
 * @aside: up to this offset nothing is asked, for it was in vain before
 * @wait: the next time it is in vain so many bytes pass
 * @calls, @units, @steps: of the hot loop, and what it found, since they were last looked at
 * @cells: those of the image when a path was last remembered: where to look ahead, not at
 * @own: its paths are not numbers of the image's, but where in @step their steps are
 * @step: of paths that are to be unfolded, each path from a multiple of four on; owned
 * @n_step: so many, PATH_OWN_MAX at most
 * @seen: of what was seen once, and is not remembered, by hash: PATH_SEEN; NULL: not wanted yet
 */
struct path_memo {
	struct path_row *row;
	uint32_t n, mask;
	uint32_t learned;
	uint32_t missed;
	uint64_t since;
	uint64_t aside;
	uint32_t wait;
	uint32_t calls, units;
	uint64_t steps;
	struct cells cells;
	bool own;
	uint32_t *step;
	uint32_t n_step;
	uint16_t *seen;
};

struct path_memo *path_memo_new(void);
void path_memo_free(struct path_memo *memo);

/* Paths are its @own from now on, or the image's.  Returns false if there is no memory. */
bool path_memo_use(struct path_memo *memo, bool own);

/* Nothing that was remembered holds any more; but what a run has of it can be unfolded. */
void path_memo_clear(struct path_memo *memo);

/* No run has any of its paths: if it has too many steps it forgets all. */
void path_memo_begin(struct path_memo *memo);

/* @offset is 0 from now on. */
void path_memo_restart(struct path_memo *memo, uint64_t offset);

/* And back: what was 0 is @offset. */
void path_memo_resume(struct path_memo *memo, uint64_t offset);

/* Was it seen before?  From now on it was. */
bool path_seen(struct path_memo *memo, uint64_t start, uint64_t bytes, uint32_t gen);

/* The steps from @block on that @bytes make are to be a path.  Inlined, or gcc leaves it out. */
static __always_inline void path_look_ahead(const struct path_memo *memo, uint32_t block,
					    uint64_t bytes)
{
	if (memo->cells.cell)
		__builtin_prefetch(&memo->cells.cell[path_hash(block, bytes) & memo->cells.mask]);
}

/* Where steps are that are kept next, if there is room for @n.  NULL: there is not. */
static inline uint32_t *path_room(const struct path_memo *memo, uint32_t n)
{
	return memo->own && n <= PATH_OWN_MAX - memo->n_step ? memo->step + memo->n_step : NULL;
}

/* Keeps the @n steps that are there.  Return: path_of() them. */
static inline uint32_t path_keep(struct path_memo *memo, uint32_t n)
{
	const uint32_t first = memo->n_step;

	memo->n_step = (first + n + PATH_ALIGN - 1) / PATH_ALIGN * PATH_ALIGN;
	return path_of(first / PATH_ALIGN, n);
}

/* @n steps and paths at @step, @own, become steps, in place: @more than there were. */
void path_unfold(const struct path_memo *memo, uint32_t *step, size_t n, size_t more);

/* Where to remember what follows when @bytes begin at @start: all of it is to be filled in. */
struct path_row *path_learn(struct path_memo *memo, uint64_t start, uint64_t bytes);

/* So many misses are looked at together. */
#define PATH_MISS_WINDOW	256

bool path_miss_often(struct path_memo *memo, uint64_t offset);

/* One more that is not remembered, at @offset.  Returns whether to ask is worth the while. */
static inline bool path_miss(struct path_memo *memo, uint64_t offset)
{
	return ++memo->missed % PATH_MISS_WINDOW || path_miss_often(memo, offset);
}

/* The hot loop was left at @offset, behind @units runs of atoms, @steps: is it worth the while? */
void path_judge(struct path_memo *memo, uint64_t offset, uint32_t units, uint64_t steps);

/* Where a path begins that begins at no address, but at block @number. */
static inline uint64_t path_from_block(uint32_t number)
{
	return (uint64_t)number << 2 | 2;
}

/* Addresses of instructions never have bits 1:0 of 2. */
static inline bool path_is_block(uint64_t start)
{
	return (start & 3) == 2;
}

static inline uint32_t path_block(uint64_t start)
{
	return start >> 2;
}

/* The row where it belongs.  Of an address the low bits tell most. */
static __always_inline struct path_row *path_slot(const struct path_memo *memo, uint64_t start,
						  uint64_t bytes)
{
	const uint64_t h = ((start << 40 | start >> 24) ^ bytes) * 0x9e3779b97f4a7c15ull;

	return &memo->row[(h >> 46) & memo->mask];
}

/* The one beside @row, where what belongs there may be if something younger does, too. */
static __always_inline struct path_row *path_other(const struct path_row *row)
{
	return (struct path_row *)((uintptr_t)row ^ sizeof(*row));
}

#endif /* CSF_PATH_H */
