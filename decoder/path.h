/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Paths: sequences of steps that were made before, found again as one.
 *
 * Where execution is, and the atom packets up to the next packet of another type, determine the
 * steps that follow.  Programs repeat themselves: nine of ten such sequences of packets were seen
 * before.  A decoder looks paths up by both; the steps of a path belong to the image, where it has
 * a number.
 */
#ifndef CSF_PATH_H
#define CSF_PATH_H

#include "bytes.h"
#include "table.h"

#define PATH_MAX_N	(1u << 20)	/* maximum number of paths of an image */
#define PATH_FEW	(1u << 16)	/* paths that came once; the others come twice */
#define PATH_STEPS	16		/* steps of all paths, for each path of the maximum */
#define PATH_BYTES	7		/* maximum number of atom packets in a path */
#define PATH_OWN_MAX	(1u << 20)	/* steps that a decoder keeps for itself, at most */
#define PATH_ALIGN	4		/* its paths begin at multiples of this */

/**
 * struct path - steps that have a number
 * @first: index of the first step
 * @hash: path_hash()
 */
struct path {
	uint32_t first;
	uint32_t hash;
};

/**
 * struct path_table - all paths of an image; its contents never move
 * @step: their steps, one path after the other; NULL: no caller has asked for paths
 * @path: the paths by number, from 1; @path[@n].first is the end of the last path
 * @n: next number; less than @max
 * @steps, @paths: the memory of @step and @path
 * @cells: numbers, by path_hash()
 */
struct path_table {
	uint32_t *step;
	struct path *path;
	uint32_t n, max;
	struct table_space steps, paths;
	struct cells cells;
};

/* Reserves address space for the maximum.  Return: 0 or CSF_ERR_MEMORY. */
int path_table_init(struct path_table *t);
void path_table_fini(struct path_table *t);

/*
 * A hash of the steps that the atom packets @bytes make from @block on.  If other packets make the
 * same steps, they are another path.  This is rare, and a hash of every step would take as long as
 * making the steps.
 */
static inline uint32_t path_hash(uint32_t block, uint64_t bytes)
{
	return hash_spread(bytes + block * 0xc2b2ae3d27d4eb4full);
}

/*
 * The path of these @n steps, @n >= 1.  Return: its number; 0: there is no room for another path.
 */
uint32_t path_at(struct path_table *t, uint32_t hash, const uint32_t *step, uint32_t n);

/**
 * struct path_row - a path that a decoder remembers; two are in a cache line
 * @start: an address from the trace, with bit 0 set for T32; or path_from_block()
 * @bytes: the atom packets, followed by zeros
 * @gen: exec_gen() at that time, PATH_STAYS or-ed; 0: the row is empty
 * @path: path_of()
 * @end: @start of the next path, if no address comes first
 */
struct path_row {
	uint64_t start;
	uint64_t bytes;
	uint32_t gen;
	uint32_t path;
	uint64_t end;
};

/* No branch waits for an address at the end of the path.  Not set in any exec_gen(). */
#define PATH_STAYS	BIT(31)

/*
 * A path as rows and runs hold it: CSF_PATH, the number of its steps, and its own number.  A caller
 * that asked for paths gets it without the number of steps.
 */
#define PATH_NUMBER	((1u << 23) - 1)
#define PATH_MORE	23		/* shift of the number of steps less one: 8 bits */

/* A path of @n steps; @number: its number in the image, or where a decoder keeps its steps. */
static inline uint32_t path_of(uint32_t number, uint32_t n)
{
	return CSF_PATH | (n - 1) << PATH_MORE | number;
}

/* The number of steps, less one. */
static inline uint32_t path_more(uint32_t path)
{
	return path >> PATH_MORE & 0xff;
}

#define PATH_SEEN	65536		/* a power of two */

/**
 * struct path_memo - the paths that a decoder remembers
 * @row: the rows; two rows that belong together are in one cache line
 * @n: number of rows, a power of two
 * @mask: mask of row numbers
 * @learned: paths learned since there are @n rows
 * @missed: number of look-ups that found no path
 * @since: offset at which the misses were last checked
 * @aside: no look-up before this offset, as look-ups did not pay
 * @wait: bytes to let pass the next time that look-ups do not pay
 * @calls, @units, @steps: calls of the hot loop and what it found, since the last check
 * @cells: those of the image when a path was last remembered; only for prefetches
 * @own: its paths have no numbers of the image, but places in @step
 * @step: steps of the paths to be unfolded, each path at a multiple of PATH_ALIGN; owned
 * @n_step: number of steps in it, at most PATH_OWN_MAX
 * @seen: hashes of what was seen once and is not remembered, PATH_SEEN of them; NULL: not needed
 *        yet
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

/*
 * Keeps paths of its own from now on if @own, else those of the image.  Returns false: no memory.
 */
bool path_memo_use(struct path_memo *memo, bool own);

/* Forgets all paths; but the paths that a run already holds can still be unfolded. */
void path_memo_clear(struct path_memo *memo);

/* Call this when no run holds any of its paths: it forgets all if it has too many steps. */
void path_memo_begin(struct path_memo *memo);

/* Offsets now count from @offset. */
void path_memo_restart(struct path_memo *memo, uint64_t offset);

/* The reverse: what was offset 0 is now @offset. */
void path_memo_resume(struct path_memo *memo, uint64_t offset);

/* Returns true if this was seen before, and remembers that it was seen. */
bool path_seen(struct path_memo *memo, uint64_t start, uint64_t bytes, uint32_t gen);

/*
 * Prefetches for a path of the steps that @bytes make from @block on.  Must be inlined, or gcc
 * drops it.
 */
static __always_inline void path_look_ahead(const struct path_memo *memo, uint32_t block,
					    uint64_t bytes)
{
	if (memo->cells.cell)
		__builtin_prefetch(&memo->cells.cell[path_hash(block, bytes) & memo->cells.mask]);
}

/* The place for the next @n steps to keep; NULL: there is no room. */
static inline uint32_t *path_room(const struct path_memo *memo, uint32_t n)
{
	return memo->own && n <= PATH_OWN_MAX - memo->n_step ? memo->step + memo->n_step : NULL;
}

/* Keeps the @n steps at path_room().  Return: path_of() them. */
static inline uint32_t path_keep(struct path_memo *memo, uint32_t n)
{
	const uint32_t first = memo->n_step;

	memo->n_step = (first + n + PATH_ALIGN - 1) / PATH_ALIGN * PATH_ALIGN;
	return path_of(first / PATH_ALIGN, n);
}

/*
 * Turns @n steps and paths of its @own at @step into steps, in place; there are @more afterwards.
 */
void path_unfold(const struct path_memo *memo, uint32_t *step, size_t n, size_t more);

/* The row to remember a path for @bytes from @start on; the caller fills in all of it. */
struct path_row *path_learn(struct path_memo *memo, uint64_t start, uint64_t bytes);

/* Misses are checked in groups of this many. */
#define PATH_MISS_WINDOW	256

bool path_miss_often(struct path_memo *memo, uint64_t offset);

/* Counts a miss at @offset.  Returns true if further look-ups are worthwhile. */
static inline bool path_miss(struct path_memo *memo, uint64_t offset)
{
	return ++memo->missed % PATH_MISS_WINDOW || path_miss_often(memo, offset);
}

/*
 * The hot loop ended at @offset after @units runs of atoms and @steps steps: decides whether paths
 * are worthwhile.
 */
void path_judge(struct path_memo *memo, uint64_t offset, uint32_t units, uint64_t steps);

/* @start of a path that begins at block @number and not at an address. */
static inline uint64_t path_from_block(uint32_t number)
{
	return (uint64_t)number << 2 | 2;
}

/* Bits 1:0 of an instruction address are never 2. */
static inline bool path_is_block(uint64_t start)
{
	return (start & 3) == 2;
}

static inline uint32_t path_block(uint64_t start)
{
	return start >> 2;
}

/* The first choice of row.  The low bits of an address differ most. */
static __always_inline struct path_row *path_slot(const struct path_memo *memo, uint64_t start,
						  uint64_t bytes)
{
	const uint64_t h = ((start << 40 | start >> 24) ^ bytes) * 0x9e3779b97f4a7c15ull;

	return &memo->row[(h >> 46) & memo->mask];
}

/* The row beside @row: the second choice, if a younger path has the first. */
static __always_inline struct path_row *path_other(const struct path_row *row)
{
	return (struct path_row *)((uintptr_t)row ^ sizeof(*row));
}

#endif /* CSF_PATH_H */
