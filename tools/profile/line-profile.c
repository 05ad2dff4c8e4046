// SPDX-License-Identifier: GPL-2.0-only
/*
 * Counts are first collected for instructions, because blocks may overlap.  The count of a line is
 * that of its most executed instruction, because a compiler may spread a line over several.
 */
#define _GNU_SOURCE
#include <elfutils/libdwfl.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../../perf-plugin/array.h"
#include "line-profile.h"

/* After these suffixes, compilers number copies of one source function. */
static const char *const suffixes[] = { ".llvm.", ".part." };

struct profile_name line_profile_name(const char *text)
{
	struct profile_name name = { text, strlen(text) };

	for (int i = 0; i < 2; i++) {
		const char *at = strstr(text, suffixes[i]);

		if (at && at > text && (size_t)(at - text) < name.n)
			name.n = at - text;
	}
	return name;
}

int profile_name_order(const struct profile_name *a, const struct profile_name *b)
{
	int order = memcmp(a->text, b->text, a->n < b->n ? a->n : b->n);

	return order ? order : a->n < b->n ? -1 : a->n > b->n;
}

static int order_lines(const struct profile_at *a, const struct profile_at *b)
{
	if (a->node != b->node)
		return a->node < b->node ? -1 : 1;
	if (a->line != b->line)
		return a->line < b->line ? -1 : 1;
	return a->discriminator < b->discriminator ? -1 : a->discriminator > b->discriminator;
}

/* ---------------------------------------------------------------- discriminators */

/*
 * Clang's are up to three numbers, the lowest first: the rank among several on a line, how often it
 * was copied, minus one, if it was, and the number of the copy.  1: zero; else 5 bits after a 0, or
 * 12 with a 1 among them.
 */
static uint32_t number_in(uint32_t d)
{
	if (d & 1)
		return 0;
	d >>= 1;
	return d & 0x20 ? (d >> 1 & 0xfe0) | (d & 0x1f) : d & 0x1f;
}

static uint32_t after_number(uint32_t d)
{
	return d & 1 ? d >> 1 : d >> (d & 0x40 ? 14 : 7);
}

struct profile_at line_profile_at(const struct line_profile *s, const struct frame *f)
{
	if (s->kind == LINE_PROFILE_PROBES)
		return (struct profile_at){ .line = f->line, .discriminator = f->discriminator };
	return (struct profile_at){
		.line = f->line & 0xffff,
		.discriminator = s->kind == LINE_PROFILE_CLANG ? number_in(f->discriminator) :
				 s->kind == LINE_PROFILE_FS ? f->discriminator :
				 f->discriminator & 0xffff,
	};
}

static uint64_t copies(const struct line_profile *s, const struct frame *f)
{
	uint32_t n = s->kind == LINE_PROFILE_CLANG ? number_in(after_number(f->discriminator)) : 1;

	return n ? n : 1;
}

/* ---------------------------------------------------------------- nodes */

static uint64_t hash_of(const struct profile_at *at, const struct profile_name *name)
{
	uint64_t h = hash_mix((uint64_t)at->node << 32 | at->line, at->discriminator);

	for (size_t i = 0; i < name->n; i++)
		h = hash_mix(h, (uint8_t)name->text[i]);
	return h;
}

/* Finds or makes the node of what is inlined there.  Return: 0: no memory. */
static uint32_t node_at(struct line_profile *s, const struct profile_at *at, const char *text)
{
	const struct profile_name name = line_profile_name(text);
	const struct profile_node *node;
	uint32_t *slot;

	if (!array_room(&s->node, s->n_node, &s->size_node, sizeof(*s->node)) ||
	    !HASH_ROOM(&s->by_key, s->n_node - 1, 1, i, hash_of(&s->node[i].at, &s->node[i].name)))
		return 0;
	node = s->node;
	slot = HASH_SLOT(&s->by_key, hash_of(at, &name), i, !order_lines(&node[i].at, at) &&
			 !profile_name_order(&node[i].name, &name));
	if (*slot)
		return *slot;
	s->node[s->n_node] = (struct profile_node){ .name = name, .at = *at };
	*slot = s->n_node++;
	return *slot;
}

/* The line of the innermost frame.  Adds @bytes to all totals.  Return: false: no memory. */
static bool line_at(struct line_profile *s, const struct frame *frame, int n, struct profile_at *at,
		    uint64_t bytes)
{
	*at = (struct profile_at){ 0 };
	for (int i = 0; i < n; i++) {
		uint32_t node = node_at(s, at, frame[i].name);

		if (!node)
			return false;
		s->node[node].total = count_sum(s->node[node].total, bytes);
		s->node[node].checksum = frame[i].checksum;
		*at = line_profile_at(s, &frame[i]);
		at->node = node;
	}
	return true;
}

/* ---------------------------------------------------------------- lines */

static int add_insn(struct line_profile *s, uint64_t addr, uint64_t count, uint32_t bytes)
{
	struct frame frame[FRAME_MAX];
	struct profile_line_counts line = { .count = count };
	int n = frames_at(&s->frames, addr, frame);

	if (n <= 0)
		return n;
	if (!line_at(s, frame, n, &line.at, count_times(count, bytes)))
		return -ENOMEM;
	line.count = count_times(count, copies(s, &frame[n - 1]));
	if (!array_room(&s->line, s->n_line, &s->size_line, sizeof(line)))
		return -ENOMEM;
	s->line[s->n_line++] = line;
	return 0;
}

/* ---------------------------------------------------------------- probes */

/* The first probe of a function that is not inlined tells how often it was called. */
static int add_probe(struct line_profile *s, const struct probe *probe, uint64_t count)
{
	struct frame frame[FRAME_MAX];
	struct profile_line_counts line = { .count = count };
	int n = probe->kind == PROBE_BLOCK ? probes_frames(&s->probes, probe, frame) : 0;

	if (!n)
		return 0;
	if (!line_at(s, frame, n, &line.at, count) ||
	    !array_room(&s->line, s->n_line, &s->size_line, sizeof(line)))
		return -ENOMEM;
	s->line[s->n_line++] = line;
	if (probe->number == PROBE_ENTRY)
		s->node[line.at.node].head = count_sum(s->node[line.at.node].head, count);
	return 0;
}

/* Adds probes from @start to @end, which ran @count times. */
static int add_probes(struct line_profile *s, uint64_t start, uint64_t end, uint64_t count)
{
	int err = 0;

	for (size_t i = probes_from(&s->probes, start);
	     i < s->probes.n && s->probes.probe[i].addr < end && !err; i++)
		err = add_probe(s, &s->probes.probe[i], count);
	return err;
}

/* ---------------------------------------------------------------- counts */

/* From @addr on counts are higher or lower by @count, for instructions of @bytes. */
struct step {
	uint64_t addr, count;
	uint8_t bytes;
};

static int by_addr(const void *a, const void *b)
{
	const struct step *x = a, *y = b;

	return x->addr < y->addr ? -1 : x->addr > y->addr;
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Keeps probes of functions that ran. */
static int keep_probes(struct line_profile *s, const struct step *step, size_t n)
{
	const char **name = calloc(s->frames.bodies.n + 1, sizeof(*name));
	struct frame frame[FRAME_MAX];
	uint64_t count = 0;
	size_t n_name = 0;
	int err = name ? 0 : -ENOMEM;

	for (size_t i = 0; i + 1 < n && err >= 0; i++) {
		count += step[i].count;
		if (count && step[i].addr < step[i + 1].addr)
			err = frames_at(&s->frames, step[i].addr, frame);
	}
	for (size_t i = 0; i < s->frames.bodies.n && err >= 0; i++)
		if (frames_asked(&s->frames, i))
			name[n_name++] = s->frames.bodies.body[i].name;
	if (n_name)
		qsort(name, n_name, sizeof(*name), by_text);
	if (err >= 0)
		probes_keep(&s->probes, name, n_name);
	free(name);
	return err < 0 ? err : 0;
}

/* Adds instructions from @step to @end, each of which ran @count times. */
static int add_straight(struct line_profile *s, const struct step *step, uint64_t end,
			uint64_t count)
{
	int err = 0;

	/* where several end, only the last one goes on */
	if (step->addr == end)
		return 0;
	if (s->kind == LINE_PROFILE_PROBES)
		return add_probes(s, step->addr, end, count);
	for (uint64_t a = step->addr; a < end && !err; a += step->bytes)
		err = add_insn(s, a, count, step->bytes);
	return err;
}

static int add_lines(struct line_profile *s)
{
	const struct count_dso *d = &s->p->table->dso[s->p->dso];
	struct step *step = calloc(2 * d->n_block + 1, sizeof(*step));
	uint64_t count = 0;
	size_t n = 0;
	int err = step ? 0 : -ENOMEM;

	for (size_t i = 0; i < d->n_block && step; i++) {
		const struct count_block *b = &d->block[i];
		uint64_t addr = profile_address(s->p, b->start);
		uint8_t bytes = b->isa == CSF_T32 ? 2 : 4;

		/* a forged table may have one that wraps around */
		if (addr > UINT64_MAX - b->size)
			continue;
		step[n++] = (struct step){ addr, count_ran(b), bytes };
		step[n++] = (struct step){ addr + b->size, -count_ran(b), bytes };
	}
	if (step)
		qsort(step, n, sizeof(*step), by_addr);
	if (step && s->kind == LINE_PROFILE_PROBES)
		err = keep_probes(s, step, n);
	for (size_t i = 0; i + 1 < n && !err; i++) {
		count += step[i].count;
		if (!count)
			continue;
		err = add_straight(s, &step[i], step[i + 1].addr, count);
	}
	free(step);
	return err;
}

/* Code that did not run, in functions that did, gets zeros, which mark it as cold. */
static int add_zeros(struct line_profile *s)
{
	const struct count_dso *d = &s->p->table->dso[s->p->dso];
	uint8_t step = d->n_block && d->block[0].isa == CSF_T32 ? 2 : 4;
	/* functions do not overlap, unless the file is forged */
	uint64_t room = s->p->elf->size;
	int err = 0;

	for (size_t i = 0; i < s->frames.bodies.n && !err; i++) {
		const struct elf_body *f = &s->frames.bodies.body[i];

		if (!frames_asked(&s->frames, i) || f->end - f->start > room)
			continue;
		room -= f->end - f->start;
		if (s->kind == LINE_PROFILE_PROBES) {
			err = add_probes(s, f->start, f->end, 0);
			continue;
		}
		for (uint64_t a = f->start; a < f->end && !err; a += step)
			err = add_insn(s, a, 0, 0);
	}
	return err;
}

/* ---------------------------------------------------------------- calls */

/* Adds a branch to the beginning of a function. */
static int add_call(struct line_profile *s, const struct count_edge *e, bool entry)
{
	const char *name = frames_entry(&s->frames, profile_address(s->p, e->to));
	const struct profile_at outside = { 0 };
	struct frame frame[FRAME_MAX];
	struct profile_target target = { .count = e->count };
	uint32_t node;
	int n;

	if (!name)
		return 0;
	node = node_at(s, &outside, name);
	if (!node)
		return -ENOMEM;
	s->node[node].head = count_sum(s->node[node].head, e->count);
	n = entry ? 0 : frames_at(&s->frames, profile_address(s->p, e->from), frame);
	if (n <= 0)
		return n;
	target.name = s->node[node].name;
	if (!line_at(s, frame, n, &target.at, 0) ||
	    !array_room(&s->target, s->n_target, &s->size_target, sizeof(target)))
		return -ENOMEM;
	s->target[s->n_target++] = target;
	return 0;
}

static int add_calls(struct line_profile *s)
{
	for (int entries = 0; entries < 2; entries++) {
		struct count_edge *edge = NULL;
		size_t n = 0;
		int err = entries ? count_entries(s->p->table, s->p->dso, &edge, &n) :
				    count_edges(s->p->table, s->p->dso, &edge, &n);

		for (size_t i = 0; i < n && !err; i++)
			if (entries || edge[i].dso == s->p->dso)
				err = add_call(s, &edge[i], entries);
		free(edge);
		if (err)
			return err;
	}
	return 0;
}

/* ---------------------------------------------------------------- order */

static int by_line(const void *a, const void *b)
{
	const struct profile_line_counts *x = a, *y = b;

	return order_lines(&x->at, &y->at);
}

static int by_callee(const void *a, const void *b)
{
	const struct profile_target *x = a, *y = b;
	int order = order_lines(&x->at, &y->at);

	return order ? order : profile_name_order(&x->name, &y->name);
}

static int by_count(const void *a, const void *b)
{
	const struct profile_target *x = a, *y = b;
	int order = order_lines(&x->at, &y->at);

	if (order)
		return order;
	if (x->count != y->count)
		return x->count > y->count ? -1 : 1;
	return profile_name_order(&x->name, &y->name);
}

static void settle_targets(struct line_profile *s)
{
	size_t n = 0;

	if (s->n_target)
		qsort(s->target, s->n_target, sizeof(*s->target), by_callee);
	for (size_t i = 0; i < s->n_target; i++) {
		struct profile_target *t = &s->target[i];

		if (n && !by_callee(&s->target[n - 1], t))
			s->target[n - 1].count = count_sum(s->target[n - 1].count, t->count);
		else
			s->target[n++] = *t;
	}
	s->n_target = n;
	if (n)
		qsort(s->target, n, sizeof(*s->target), by_count);
}

/* As in llvm-profgen: in code that is not inlined, a line ran at least as often as it called. */
static void settle_calls(const struct line_profile *s, struct profile_line_counts *l)
{
	const bool inlined = s->node[l->at.node].at.node;
	uint64_t sum = 0;

	for (size_t i = 0; i < l->n_target; i++)
		sum = count_sum(sum, s->target[l->target + i].count);
	if (s->kind != LINE_PROFILE_GCC && !inlined && l->count < sum)
		l->count = sum;
}

/* Keeps the largest count of each line, for probes the sum, and adds its targets. */
static void settle_lines(struct line_profile *s)
{
	size_t n = 0, k = 0;

	if (s->n_line)
		qsort(s->line, s->n_line, sizeof(*s->line), by_line);
	for (size_t i = 0; i < s->n_line; i++) {
		struct profile_line_counts *l = &s->line[i];

		if (!n || by_line(&s->line[n - 1], l))
			s->line[n++] = *l;
		else if (s->kind == LINE_PROFILE_PROBES)
			s->line[n - 1].count = count_sum(s->line[n - 1].count, l->count);
		else if (s->line[n - 1].count < l->count)
			s->line[n - 1].count = l->count;
	}
	s->n_line = n;
	for (size_t i = 0; i < n; i++) {
		struct profile_line_counts *l = &s->line[i];
		struct profile_node *node = &s->node[l->at.node];

		node->line = node->n_line++ ? node->line : i;
		while (k < s->n_target && order_lines(&s->target[k].at, &l->at) < 0)
			k++;
		for (l->target = k; k < s->n_target && !order_lines(&s->target[k].at, &l->at); k++)
			l->n_target++;
		settle_calls(s, l);
	}
}

/* Functions by total, the largest first; inlined ones by line; then both by name. */
static int by_rank(const void *a, const void *b, void *samples)
{
	const struct line_profile *s = samples;
	const struct profile_node *x = &s->node[*(const uint32_t *)a];
	const struct profile_node *y = &s->node[*(const uint32_t *)b];
	int order = order_lines(&x->at, &y->at);

	if (order)
		return order;
	if (!x->at.node && x->total != y->total)
		return x->total > y->total ? -1 : 1;
	return profile_name_order(&x->name, &y->name);
}

/* Links each node to the previous one in the same function. */
static int settle_nodes(struct line_profile *s)
{
	uint32_t *rank = calloc(s->n_node + 1, sizeof(*rank));

	if (!rank)
		return -ENOMEM;
	for (size_t i = 1; i < s->n_node; i++)
		rank[i - 1] = i;
	qsort_r(rank, s->n_node - 1, sizeof(*rank), by_rank, s);
	for (size_t i = s->n_node - 1; i-- > 0;) {
		struct profile_node *node = &s->node[rank[i]];

		node->next = s->node[node->at.node].inner;
		s->node[node->at.node].inner = rank[i];
	}
	free(rank);
	return 0;
}

/* ---------------------------------------------------------------- all of it */

static bool has_symbol(const struct functions *file, const char *name)
{
	int n = file->module ? dwfl_module_getsymtab(file->module) : 0;

	for (int i = 0; i < n; i++) {
		GElf_Addr addr;
		GElf_Sym sym;
		const char *own = dwfl_module_getsym_info(file->module, i, &sym, &addr, NULL, NULL,
							  NULL);

		if (own && !strcmp(own, name))
			return true;
	}
	return false;
}

int line_profile_open(struct line_profile *s, const struct profile *p, enum line_profile_kind kind)
{
	int err;

	*s = (struct line_profile){ .p = p, .kind = kind };
	err = functions_read(&s->file, p->elf);
	if (kind == LINE_PROFILE_CLANG && has_symbol(&s->file, "__llvm_fs_discriminator__"))
		s->kind = LINE_PROFILE_FS;
	return err && err != -ENODATA ? err : frames_read(&s->frames, p->elf);
}

/* @zeros: include the whole program, with zeros for code that did not run. */
static int take(struct line_profile *s, const struct profile *p, bool zeros)
{
	int err;

	s->p = p;
	s->n_node = 0;
	s->n_line = 0;
	s->n_target = 0;
	free(s->by_key.slot);
	s->by_key = (struct hash_table){ 0 };
	/* node 0 */
	if (!array_room(&s->node, 0, &s->size_node, sizeof(*s->node)))
		return -ENOMEM;
	s->node[s->n_node++] = (struct profile_node){ 0 };
	err = add_lines(s);
	if (!err && zeros)
		err = add_zeros(s);
	/* there are no probes of calls on Arm */
	if (!err && s->kind != LINE_PROFILE_PROBES)
		err = add_calls(s);
	if (err)
		return err;
	settle_targets(s);
	settle_lines(s);
	return s->n_line ? settle_nodes(s) : -ENODATA;
}

int line_profile_take(struct line_profile *s, const struct profile *p)
{
	return take(s, p, false);
}

int line_profile_read(struct line_profile *s, const struct profile *p, enum line_profile_kind kind)
{
	int err = line_profile_open(s, p, kind);

	if (!err && kind == LINE_PROFILE_CLANG)
		err = probes_read(&s->probes, &s->file);
	if (s->probes.n)
		s->kind = LINE_PROFILE_PROBES;
	return err ? err : take(s, p, true);
}

void line_profile_fini(struct line_profile *s)
{
	frames_fini(&s->frames);
	probes_fini(&s->probes);
	functions_fini(&s->file);
	free(s->node);
	free(s->line);
	free(s->target);
	free(s->by_key.slot);
	*s = (struct line_profile){ 0 };
}

static int by_name(const void *a, const void *b)
{
	return profile_name_order(a, b);
}

/* Called functions have their own nodes, so nodes have all names. */
int line_profile_names(const struct line_profile *s, struct profile_name **out, size_t *n_out)
{
	struct profile_name *name = calloc(s->n_node, sizeof(*name));
	size_t n = 0;

	*out = name;
	if (!name)
		return -ENOMEM;
	for (size_t i = 1; i < s->n_node; i++)
		name[i - 1] = s->node[i].name;
	qsort(name, s->n_node - 1, sizeof(*name), by_name);
	for (size_t i = 0; i + 1 < s->n_node; i++)
		if (!n || profile_name_order(&name[n - 1], &name[i]))
			name[n++] = name[i];
	*n_out = n;
	return 0;
}
