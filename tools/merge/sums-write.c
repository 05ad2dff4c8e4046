// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "../count/count-file.h"
#include "sums-write.h"

/* Bytes that are packed in memory before they go to a file. */
#define CHUNK	(1u << 20)

/* Bytes of the buffers for all sorted runs of one kind, and of one of them. */
#define BUFFERS		(16u << 20)
#define BUFFER_LEAST	4096u
#define BUFFER_MOST	65536u

/* ---------------------------------------------------------------- several runs as one */

/* An entry of any kind. */
union entry {
	struct sum_block block;
	struct sum_edge edge;
};

/**
 * struct way - a sorted run, or what is in memory
 * @at: @left entries in memory
 * @buffer: where @rest more are read from the file @fd, from offset @from on
 * @first: its first entry that is not taken
 */
struct way {
	const char *at;
	size_t left;
	char *buffer;
	size_t rest;
	int fd;
	uint64_t from;
	union entry first;
};

/**
 * struct ways - sorted runs that become one
 * @order, @rank: as for qsort_r()
 * @size: of an entry
 * @buffer: of the ways from files, @n_buffer entries each, one after the other
 * @way: a heap of @n ways: the first of each is not greater than those at 2i + 1 and 2i + 2
 * @err: 0 or -errno
 */
struct ways {
	int (*order)(const void *p, const void *q, void *rank);
	uint32_t *rank;
	size_t size;
	char *buffer;
	size_t n_buffer;
	struct way *way;
	size_t n;
	int err;
};

/* Reads what fits into the buffer of a way.  Return: it was read. */
static bool read_buffer(struct ways *ways, struct way *way)
{
	const size_t n = way->rest < ways->n_buffer ? way->rest : ways->n_buffer;

	for (size_t had = 0; had < n * ways->size;) {
		const ssize_t got = pread(way->fd, way->buffer + had, n * ways->size - had,
					  way->from + had);

		if (got <= 0 && (!got || errno != EINTR)) {
			ways->err = got ? -errno : -EIO;
			return false;
		}
		had += got > 0 ? got : 0;
	}
	way->at = way->buffer;
	way->left = n;
	way->rest -= n;
	way->from += n * ways->size;
	return true;
}

/* Reads the next entry of a way.  Return: there is one. */
static bool refill(struct ways *ways, struct way *way)
{
	if (!way->left && (!way->rest || !read_buffer(ways, way)))
		return false;
	memcpy(&way->first, way->at, ways->size);
	way->at += ways->size;
	way->left--;
	return true;
}

static void sift(struct ways *ways, size_t i)
{
	for (size_t k; (k = 2 * i + 1) < ways->n; i = k) {
		const struct way moved = ways->way[i];

		if (k + 1 < ways->n && ways->order(&ways->way[k + 1].first, &ways->way[k].first,
						   ways->rank) < 0)
			k++;
		if (ways->order(&moved.first, &ways->way[k].first, ways->rank) <= 0)
			return;
		ways->way[i] = ways->way[k];
		ways->way[k] = moved;
	}
}

static void add_way(struct ways *ways, struct way way)
{
	if (refill(ways, &way))
		ways->way[ways->n++] = way;
}

static void add_memory(struct ways *ways, const void *entry, size_t n)
{
	add_way(ways, (struct way){ .at = entry, .left = n });
}

/* Adds @n entries of a file, from number @first on, with the buffer number @number. */
static void add_run(struct ways *ways, FILE *f, size_t first, size_t n, size_t number)
{
	struct way way = { .rest = n, .from = first * ways->size };

	if (!n)
		return;
	way.buffer = ways->buffer + number * ways->n_buffer * ways->size;
	way.fd = fileno(f);
	add_way(ways, way);
}

/* @n_sums: in memory; @n_run: in files.  Return: 0; -ENOMEM. */
static int begin_ways(struct ways *ways, size_t n_sums, size_t n_run)
{
	const size_t bytes = n_run ? BUFFERS / n_run : 0;

	ways->n_buffer = (bytes < BUFFER_LEAST ? BUFFER_LEAST :
			  bytes > BUFFER_MOST ? BUFFER_MOST : bytes) / ways->size;
	ways->way = calloc(n_sums + n_run, sizeof(*ways->way));
	ways->buffer = n_run ? calloc(n_run, ways->n_buffer * ways->size) : NULL;
	return ways->way && (ways->buffer || !n_run) ? 0 : -ENOMEM;
}

static void end_ways(struct ways *ways)
{
	free(ways->way);
	free(ways->buffer);
}

/* The smallest entry is not needed any more. */
static void drop_first(struct ways *ways)
{
	if (!refill(ways, &ways->way[0]))
		ways->way[0] = ways->way[--ways->n];
	sift(ways, 0);
}

/* Return: an entry with the sum of all that are equal to it. */
static union entry take_sum(struct ways *ways)
{
	union entry sum = ways->way[0].first;
	const bool blocks = ways->size == sizeof(sum.block);

	for (drop_first(ways); ways->n; drop_first(ways)) {
		const union entry *e = &ways->way[0].first;

		if (ways->order(&sum, e, ways->rank))
			break;
		if (blocks)
			count_block_sum(&sum.block.block, &e->block.block);
		else
			count_edge_sum(&sum.edge.edge, &e->edge.edge);
	}
	return sum;
}

/* ---------------------------------------------------------------- what is written */

/**
 * struct spooled - bytes to be read again, once
 * @mem: the last of them; the @n_rest before these are in @rest
 * @err: 0, -ENOMEM or -errno
 */
struct spooled {
	struct packed_out mem;
	FILE *rest;
	uint64_t n_rest;
	int err;
};

static int file_error(FILE *f)
{
	return f && !ferror(f) ? 0 : errno ? -errno : -EIO;
}

/* After bytes were added to @s->mem. */
static void spool_added(struct spooled *s)
{
	if (s->mem.err && !s->err)
		s->err = s->mem.err;
	if (s->mem.n < CHUNK)
		return;
	if (!s->rest)
		s->rest = tmpfile();
	if (!s->rest || fwrite(s->mem.p, 1, s->mem.n, s->rest) != s->mem.n)
		s->err = s->err ? s->err : file_error(s->rest);
	s->n_rest += s->mem.n;
	s->mem.n = 0;
}

/* Gives all bytes to @put; then there are none. */
static void spool_empty(struct spooled *s, void *owner,
			void (*put)(void *owner, const void *bytes, size_t n))
{
	uint8_t bytes[4096];

	if (s->n_rest)
		rewind(s->rest);
	while (s->n_rest && !s->err) {
		const size_t n = s->n_rest < sizeof(bytes) ? s->n_rest : sizeof(bytes);

		if (fread(bytes, 1, n, s->rest) == n)
			put(owner, bytes, n);
		else
			s->err = -EIO;
		s->n_rest -= n;
	}
	if (s->rest)
		rewind(s->rest);
	if (s->mem.n)
		put(owner, s->mem.p, s->mem.n);
	s->mem.n = 0;
}

static void spool_free(struct spooled *s)
{
	free(s->mem.p);
	if (s->rest)
		fclose(s->rest);
}

/**
 * struct writing - a count table
 * @body: all after its head; @crc of that
 * @list: entries of one file that are packed, @n of them
 * @out: where the table goes; @err of that
 */
struct writing {
	struct ways blocks, edges;
	struct spooled body, list;
	uint32_t crc;
	uint64_t n;
	bool full;
	FILE *out;
	int err;
};

static void put_bytes(void *writing, const void *bytes, size_t n)
{
	struct writing *w = writing;

	w->crc = crc32_z(w->crc, bytes, n);
	packed_bytes(&w->body.mem, bytes, n);
	spool_added(&w->body);
}

/* Writes what is packed, and frees it. */
static void put_packed(struct writing *w, struct packed_out *out)
{
	if (out->err && !w->err)
		w->err = out->err;
	if (out->n)
		put_bytes(w, out->p, out->n);
	free(out->p);
}

/* After an entry was packed. */
static void listed(struct writing *w)
{
	w->n++;
	spool_added(&w->list);
}

/* The number of entries, and these; then the list is empty. */
static void put_list(struct writing *w)
{
	struct packed_out number = { 0 };

	packed_put(&number, w->n);
	put_packed(w, &number);
	spool_empty(&w->list, w, put_bytes);
	w->n = 0;
}

static void put_blocks(struct writing *w, uint32_t file)
{
	uint64_t last = 0;

	while (w->blocks.n && w->blocks.way[0].first.block.file == file) {
		const struct count_block b = take_sum(&w->blocks).block.block;

		w->full |= b.taken == UINT64_MAX || b.passed == UINT64_MAX;
		count_file_put_block(&w->list.mem, &b, &last);
		listed(w);
	}
	put_list(w);
}

static void put_edges(struct writing *w, uint32_t file)
{
	uint64_t last = 0;

	while (w->edges.n && w->edges.way[0].first.edge.file == file) {
		struct count_edge e = take_sum(&w->edges).edge.edge;

		w->full |= e.count == UINT64_MAX;
		if (e.dso != COUNT_OUTSIDE)
			e.dso = w->edges.rank[e.dso];
		count_file_put_edge(&w->list.mem, &e, &last);
		listed(w);
	}
	put_list(w);
}

static void put_dso(struct writing *w, const struct count_dso *dso, uint32_t number)
{
	struct packed_out head = { 0 };

	count_file_put_dso(&head, dso);
	packed_put(&head, dso->lost);
	put_packed(w, &head);
	w->full |= dso->lost == UINT64_MAX;
	put_blocks(w, number);
	put_edges(w, number);
}

static void put_head(struct writing *w, const struct sums *sums, size_t n_sums, uint32_t n_file)
{
	struct packed_out head = { 0 };

	packed_put(&head, COUNT_STAT_NR);
	for (int i = 0; i < COUNT_STAT_NR; i++) {
		uint64_t sum = 0;

		for (size_t k = 0; k < n_sums; k++)
			sum = count_sum(sum, sums[k].stat[i]);
		w->full |= sum == UINT64_MAX;
		packed_put(&head, sum);
	}
	packed_put(&head, n_file);
	put_packed(w, &head);
}

static void put_out(void *writing, const void *bytes, size_t n)
{
	struct writing *w = writing;

	errno = 0;
	if (!w->err && fwrite(bytes, 1, n, w->out) != n)
		w->err = file_error(w->out);
}

/* The head of the file, and then the body.  Return: 0; -ENOMEM; -errno. */
static int copy_body(struct writing *w)
{
	struct packed_out head = { 0 };

	packed_bytes(&head, COUNT_MAGIC, 8);
	packed_u32(&head, COUNT_VERSION);
	packed_u32(&head, w->crc);
	if (head.err)
		w->err = head.err;
	else
		put_out(w, head.p, head.n);
	free(head.p);
	spool_empty(&w->body, w, put_out);
	return w->err ? w->err : w->body.err;
}

/* The files in their order, and the head.  Return: 0; -ENOMEM. */
static int put_all(struct writing *w, const struct sums *sums, size_t n, const uint32_t *rank,
		   size_t n_file)
{
	const struct merge_files *files = sums[0].files;
	uint32_t *number = calloc(n_file + 1, sizeof(*number));

	if (!number)
		return -ENOMEM;
	for (size_t i = 0; i < n_file; i++)
		number[rank[i]] = i;
	put_head(w, sums, n, n_file);
	for (size_t i = 0; i < n_file && !w->err; i++)
		put_dso(w, &files->file[number[i]], number[i]);
	free(number);
	return 0;
}

/* Makes a heap of all ways. */
static void order_ways(struct ways *ways)
{
	for (size_t i = ways->n; i--;)
		sift(ways, i);
}

/* Return: 0; -ENOMEM. */
static int begin(struct writing *w, const struct sums *sums, size_t n, uint32_t *rank)
{
	size_t n_run = 0, number = 0;

	for (size_t i = 0; i < n; i++)
		n_run += sums[i].n_run;
	w->blocks = (struct ways){ .order = sum_block_order, .size = sizeof(struct sum_block) };
	w->edges = (struct ways){ .order = sum_edge_order, .size = sizeof(struct sum_edge) };
	w->blocks.rank = rank;
	w->edges.rank = rank;
	if (begin_ways(&w->blocks, n, n_run) || begin_ways(&w->edges, n, n_run))
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		const struct sums *s = &sums[i];

		add_memory(&w->blocks, s->block, s->n_block);
		add_memory(&w->edges, s->edge, s->n_edge);
		for (size_t k = 0; k < s->n_run; k++, number++) {
			const struct sum_run *r = &s->run[k];

			add_run(&w->blocks, s->blocks, r->first_block, r->n_block, number);
			add_run(&w->edges, s->edges, r->first_edge, r->n_edge, number);
		}
	}
	order_ways(&w->blocks);
	order_ways(&w->edges);
	return 0;
}

int sums_write(const struct sums *sums, size_t n, FILE *out, bool *full)
{
	struct writing w = { .crc = crc32_z(0, NULL, 0), .out = out };
	size_t n_file;
	uint32_t *rank = merge_files_ranks(sums[0].files, &n_file);
	int err = rank ? begin(&w, sums, n, rank) : -ENOMEM;

	if (!err)
		err = put_all(&w, sums, n, rank, n_file);
	if (!err)
		err = w.err ?: w.list.err ?: w.blocks.err ?: w.edges.err;
	if (!err && w.full && !full)
		err = -EOVERFLOW;
	if (!err)
		err = copy_body(&w);
	if (full)
		*full |= w.full;
	spool_free(&w.body);
	spool_free(&w.list);
	end_ways(&w.blocks);
	end_ways(&w.edges);
	free(rank);
	return err;
}
