// SPDX-License-Identifier: GPL-2.0-only
/* Source: nm(1) for the letters of types; perf-record(1), "--kcore", for the places of copies. */
#define _GNU_SOURCE	/* getline() */
#include "lower-bound.h"
#include "kallsyms.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Size of a function without another one after it. */
#define LAST_SIZE	4096

/* No kernel has more; a file may. */
#define SYMBOLS_MAX	(1u << 23)

/**
 * struct kallsyms - functions sorted by address
 * @symbol: @n of them; their names are offsets in @names until all are read
 * @vdso: where the kernel keeps the vDSO, which is no function; 0: not known
 */
struct kallsyms {
	struct elf_symbol *symbol;
	size_t n, size;
	char *names;
	size_t n_names, size_names;
	uint64_t vdso;
};

static bool room(void **array, size_t n, size_t *size, size_t element)
{
	size_t more = *size ? 2 * *size : 4096;
	void *p;

	if (n <= *size)
		return true;
	while (more < n)
		more *= 2;
	p = realloc(*array, more * element);
	if (!p)
		return false;
	*array = p;
	*size = more;
	return true;
}

/* "ffff800008010000 T _stext", for a module with "\t[name]" after it */
static int take_line(struct kallsyms *k, char *line, const char **why)
{
	char *end, *name, *stop;
	uint64_t addr = strtoull(line, &end, 16);
	size_t n;

		*why = "not an address, a letter and a name";
	if (end == line || *end != ' ' || !isalpha((unsigned char)end[1]) || end[2] != ' ')
		return -EINVAL;
	name = end + 3;
	stop = name + strcspn(name, " \t\r\n");
	*stop = 0;
	if (!strcmp(name, "vdso_start"))
		k->vdso = addr;
	if (!addr || !strchr("tTwW", end[1]) || *name == '$')
		return 0;
	n = stop + 1 - name;
	*why = "more functions than any kernel has";
	if (k->n == SYMBOLS_MAX)
		return -EINVAL;
	if (!room((void **)&k->symbol, k->n + 1, &k->size, sizeof(*k->symbol)) ||
	    !room((void **)&k->names, k->n_names + n, &k->size_names, 1))
		return -ENOMEM;
	memcpy(k->names + k->n_names, name, n);
	k->symbol[k->n++] = (struct elf_symbol){ .addr = addr, .size = k->n_names };
	k->n_names += n;
	return 0;
}

/* Of several names for one address, the first of the table stays first. */
static int compare(const void *a, const void *b)
{
	const struct elf_symbol *x = a, *y = b;

	if (x->addr != y->addr)
		return x->addr < y->addr ? -1 : 1;
	return x->size < y->size ? -1 : x->size > y->size;
}

static void tidy(struct kallsyms *k)
{
	size_t n = 0;

	qsort(k->symbol, k->n, sizeof(*k->symbol), compare);
	for (size_t i = 0; i < k->n; i++)
		if (!n || k->symbol[i].addr != k->symbol[n - 1].addr)
			k->symbol[n++] = k->symbol[i];
	k->n = n;
	for (size_t i = 0; i < n; i++) {
		struct elf_symbol *symbol = &k->symbol[i];

		symbol->name = k->names + symbol->size;
		symbol->size = i + 1 < n ? symbol[1].addr - symbol->addr : LAST_SIZE;
	}
}

static int read_lines(struct kallsyms *k, FILE *f, struct kallsyms_problem *problem)
{
	char *line = NULL;
	size_t size = 0;
	int err = 0;

	while (!err && getline(&line, &size, f) > 0) {
		problem->line++;
		err = take_line(k, line, &problem->why);
	}
	free(line);
	if (!err && !k->n) {
		problem->why = "no function has an address: its reader had no right to see them";
		problem->line = 0;
		err = -EINVAL;
	}
	if (!err)
		tidy(k);
	return err;
}

int kallsyms_open(struct kallsyms **out, const char *path, struct kallsyms_problem *problem)
{
	FILE *f = fopen(path, "re");
	struct kallsyms *k;
	int err = -ENOMEM;

	*out = NULL;
	*problem = (struct kallsyms_problem){ NULL };
	if (!f)
		return -errno;
	k = calloc(1, sizeof(*k));
	if (k)
		err = read_lines(k, f, problem);
	fclose(f);
	if (err)
		kallsyms_close(k);
	else
		*out = k;
	return err;
}

void kallsyms_close(struct kallsyms *k)
{
	if (!k)
		return;
	free(k->symbol);
	free(k->names);
	free(k);
}

bool kallsyms_find(const struct kallsyms *k, uint64_t addr, struct elf_symbol *symbol)
{
	size_t next = LOWER_BOUND(k->n, i, k->symbol[i].addr <= addr);

	if (!next || addr - k->symbol[next - 1].addr >= k->symbol[next - 1].size)
		return false;
	*symbol = k->symbol[next - 1];
	return true;
}

bool kallsyms_address(const struct kallsyms *k, const char *name, uint64_t *addr)
{
	for (size_t i = 0; i < k->n; i++)
		if (!strcmp(k->symbol[i].name, name)) {
			*addr = k->symbol[i].addr;
			return true;
		}
	return false;
}

uint64_t kallsyms_vdso(const struct kallsyms *k)
{
	return k->vdso;
}
