// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <stdlib.h>

#include "image.h"

#define ROW_MIN		256		/* 8 KiB; powers of two */
#define ROW_MAX		(1u << 17)	/* 4 MiB */
#define CELLS_MIN	8192

/* Number of steps copied at once, and of unused steps before those of the first path. */
#define AT_ONCE		16

/* As for blocks: bytes in small pages. */
#define FEW_STEPS	(64ul << 10)
#define FEW_PATHS	(256ul << 10)

/* Bytes of trace for each miss, on average: with fewer, paths are not worthwhile. */
#define MISS_BYTES	8

/*
 * Calls of the hot loop, or runs of atoms, that are judged together.  On average a call should have
 * CALL_UNITS runs, and a run UNIT_STEPS steps: with fewer it is faster to step.
 */
#define CALL_WINDOW	16
#define UNIT_WINDOW	256
#define CALL_UNITS	8
#define UNIT_STEPS	3

/*
 * If not, this many bytes pass until the next try, and twice as many after each try that fails, as
 * the settings of the trace unit will not change.
 */
#define ASIDE_MIN	(8u << 10)
#define ASIDE_MAX	(8u << 20)

/* ---------------------------------------------------------------- paths of an image */

int path_table_init(struct path_table *t)
{
	const size_t each = PATH_STEPS * sizeof(*t->step) + sizeof(*t->path);

	*t = (struct path_table){ .n = 1, .max = table_space_share(PATH_MAX_N, each) };
	if (table_space_init(&t->steps, PATH_STEPS * t->max * sizeof(*t->step), FEW_STEPS) &&
	    table_space_init(&t->paths, (t->max + 1) * sizeof(*t->path), FEW_PATHS) &&
	    table_space_grow(&t->paths, FEW_PATHS) && cells_init(&t->cells, CELLS_MIN)) {
		t->step = (uint32_t *)t->steps.at;
		t->path = (struct path *)t->paths.at;
		return 0;
	}
	path_table_fini(t);
	return CSF_ERR_MEMORY;
}

void path_table_fini(struct path_table *t)
{
	table_space_fini(&t->steps);
	table_space_fini(&t->paths);
	cells_fini(&t->cells);
	*t = (struct path_table){ 0 };
}

/* Is there room for a path of @n steps? */
static bool has_room(struct path_table *t, uint32_t n)
{
	const size_t end = (size_t)t->path[t->n].first + n;

	return t->n < t->max && end <= (size_t)PATH_STEPS * t->max &&
	       table_space_has(&t->steps, end * sizeof(*t->step)) &&
	       table_space_has(&t->paths, (t->n + 2ul) * sizeof(*t->path));
}

static uint32_t n_of(const struct path_table *t, uint32_t number)
{
	return t->path[number + 1].first - t->path[number].first;
}

static bool same(const struct path_table *t, uint32_t number, const uint32_t *step, uint32_t n)
{
	return n_of(t, number) == n &&
	       !memcmp(t->step + t->path[number].first, step, n * sizeof(*step));
}

/* The cell that has its number, or will have it. */
static uint32_t *slot(const struct path_table *t, const uint32_t *step, uint32_t n, uint32_t hash)
{
	uint32_t *cell = cells_first(&t->cells, hash);

	while (*cell && !same(t, *cell & CELL_NUMBER, step, n))
		cell = cells_next(&t->cells, cell, hash);
	return cell;
}

static uint32_t hash_of(const void *table, uint32_t number)
{
	return ((const struct path_table *)table)->path[number].hash;
}

uint32_t path_at(struct path_table *t, uint32_t hash, const uint32_t *step, uint32_t n)
{
	const uint32_t first = t->path[t->n].first;
	uint32_t *cell = slot(t, step, n, hash);

	if (*cell)
		return *cell & CELL_NUMBER;
	if (!has_room(t, n))
		return 0;
	if (!cells_has_room(&t->cells, t->n)) {
		if (!cells_grow(&t->cells, t, hash_of))
			return 0;
		cell = slot(t, step, n, hash);
	}
	memcpy(t->step + first, step, n * sizeof(*step));
	t->path[t->n].hash = hash;
	t->path[t->n + 1].first = first + n;
	cells_put(cell, hash, t->n);
	__atomic_store_n(&t->n, t->n + 1, __ATOMIC_RELEASE);
	return t->n - 1;
}

/* ---------------------------------------------------------------- paths of a decoder */

struct path_memo *path_memo_new(void)
{
	struct path_memo *memo = calloc(1, sizeof(*memo));

	if (!memo)
		return NULL;
	memo->row = table_new(ROW_MIN * sizeof(*memo->row));
	memo->n = ROW_MIN;
	memo->wait = ASIDE_MIN;
	memo->mask = ROW_MIN - 1;
	if (memo->row)
		return memo;
	free(memo);
	return NULL;
}

void path_memo_free(struct path_memo *memo)
{
	if (!memo)
		return;
	table_free(memo->row, memo->n * sizeof(*memo->row));
	table_release(memo->step, PATH_OWN_MAX * sizeof(*memo->step));
	free(memo->seen);
	free(memo);
}

void path_memo_clear(struct path_memo *memo)
{
	memset(memo->row, 0, memo->n * sizeof(*memo->row));
}

bool path_memo_use(struct path_memo *memo, bool own)
{
	if (memo->own == own)
		return true;
	if (own && !memo->step)
		memo->step = table_reserve(PATH_OWN_MAX * sizeof(*memo->step), FEW_STEPS);
	if (own && !memo->step)
		return false;
	path_memo_clear(memo);
	memo->own = own;
	memo->n_step = AT_ONCE;
	memo->cells.cell = NULL;
	return true;
}

void path_memo_begin(struct path_memo *memo)
{
	if (likely(memo->n_step <= PATH_OWN_MAX / 4 * 3))
		return;
	memo->n_step = AT_ONCE;
	path_memo_clear(memo);
}

void path_memo_restart(struct path_memo *memo, uint64_t offset)
{
	memo->since = 0;
	memo->aside = memo->aside > offset ? memo->aside - offset : 0;
}

void path_memo_resume(struct path_memo *memo, uint64_t offset)
{
	memo->since += offset;
	memo->aside += offset;
}

bool path_seen(struct path_memo *memo, uint64_t start, uint64_t bytes, uint32_t gen)
{
	const uint32_t hash = hash_spread((start ^ (uint64_t)gen << 48) +
					  bytes * 0xc2b2ae3d27d4eb4full);
	uint16_t *seen;

	if (!memo->seen)
		memo->seen = calloc(PATH_SEEN, sizeof(*memo->seen));
	if (!memo->seen)
		return false;
	seen = &memo->seen[hash % PATH_SEEN];
	if (*seen == hash >> 16)
		return true;
	*seen = hash >> 16;
	return false;
}

/*
 * The younger of two paths for one row gets it; the older moves to the row beside it, or is
 * dropped.
 */
static __always_inline struct path_row *row_for(struct path_memo *memo, uint64_t start,
						uint64_t bytes)
{
	struct path_row *slot = path_slot(memo, start, bytes);
	struct path_row *other = path_other(slot);

	if (slot->gen && (slot->start != start || slot->bytes != bytes) &&
	    (!other->gen || path_slot(memo, other->start, other->bytes) != other))
		*other = *slot;
	return slot;
}

/* Without memory the table stays as it is, which is only slower. */
static noinline void grow(struct path_memo *memo)
{
	const size_t size = table_larger(memo->n * sizeof(*memo->row));
	struct path_row *old = memo->row, *row = table_new(size);
	const uint32_t n = memo->n;

	memo->learned = 0;
	if (!row)
		return;
	memo->row = row;
	memo->n = size / sizeof(*row);
	memo->mask = memo->n - 1;
	for (uint32_t i = 0; i < n; i++)
		if (old[i].gen)
			*row_for(memo, old[i].start, old[i].bytes) = old[i];
	table_free(old, n * sizeof(*old));
}

struct path_row *path_learn(struct path_memo *memo, uint64_t start, uint64_t bytes)
{
	if (unlikely(memo->learned++ > memo->n / 4) && memo->n < ROW_MAX)
		grow(memo);
	return row_for(memo, start, bytes);
}

static void step_aside(struct path_memo *memo, uint64_t offset)
{
	memo->aside = offset + memo->wait;
	if (memo->wait < ASIDE_MAX)
		memo->wait *= 2;
}

bool path_miss_often(struct path_memo *memo, uint64_t offset)
{
	if (offset - memo->since < PATH_MISS_WINDOW * MISS_BYTES)
		step_aside(memo, offset);
	memo->since = offset;
	return memo->aside <= offset;
}

void path_judge(struct path_memo *memo, uint64_t offset, uint32_t units, uint64_t steps)
{
	memo->units += units;
	memo->steps += steps;
	if (++memo->calls < CALL_WINDOW && memo->units < UNIT_WINDOW)
		return;
	if (memo->units < memo->calls * CALL_UNITS || memo->steps < UNIT_STEPS * memo->units)
		step_aside(memo, offset);
	else
		memo->wait = ASIDE_MIN;
	memo->calls = 0;
	memo->units = 0;
	memo->steps = 0;
}

/* ---------------------------------------------------------------- paths to steps */

/* Also overwrites up to AT_ONCE steps before @to, and reads as many before @from. */
static __always_inline void copy_back(uint32_t *to, const uint32_t *from, size_t n)
{
	uint32_t *at = to + n;

	from += n;
	do {
		at -= AT_ONCE;
		from -= AT_ONCE;
		memcpy(at, from, AT_ONCE * sizeof(*at));
	} while (at > to);
}

/* Works from the last to the first, so that nothing is overwritten before it is read. */
void path_unfold(const struct path_memo *memo, uint32_t *step, size_t n, size_t more)
{
	const uint32_t *const kept = memo->step, *from;
	uint32_t *to = step + n + more;

	while (n--) {
		const uint32_t path = step[n];
		size_t k;

		if (unlikely(!(path & CSF_PATH))) {
			*--to = path;
			continue;
		}
		from = kept + PATH_ALIGN * (size_t)(path & PATH_NUMBER);
		k = path_more(path) + 1;
		to -= k;
		if (likely(to >= step + n + AT_ONCE))
			copy_back(to, from, k);
		else
			memcpy(to, from, k * sizeof(*to));
	}
}

CSF_API uint32_t csf_path_count(const struct csf_image *image)
{
	/* a caller that asks for blocks next finds those of all these paths */
	return image->paths.step ? __atomic_load_n(&image->paths.n, __ATOMIC_ACQUIRE) - 1 : 0;
}

CSF_API size_t csf_path(const struct csf_image *image, uint32_t step, const uint32_t **steps)
{
	const struct path_table *t = &image->paths;
	const uint32_t number = step & ~CSF_PATH;

	if (!number || number > csf_path_count(image))
		return 0;
	*steps = t->step + t->path[number].first;
	return t->path[number + 1].first - t->path[number].first;
}
