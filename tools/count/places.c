// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../../perf-plugin/demangle.h"
#include "places.h"
#include "../input/unchecked.h"

int places_init(struct places *p, const struct count_table *table,
		const struct dso_options *options)
{
	int err;

	*p = (struct places){ .table = table };
	err = dso_table_init(&p->dsos, options);
	if (err)
		return err;
	p->file = calloc(table->n + 1, sizeof(*p->file));
	if (!p->file)
		return -ENOMEM;
	for (size_t i = 0; i < table->n; i++) {
		const struct count_dso *dso = &table->dso[i];
		const struct dso_key key = {
			.name = dso->name, .kind = dso->kind, .build_id = dso->build_id,
			.n_build_id = dso->n_build_id,
		};
		long number = dso_add(&p->dsos, &key);

		if (number < 0)
			return number;
		p->file[i].number = number;
	}
	return 0;
}

void places_fini(struct places *p)
{
	for (size_t i = 0; p->file && i < p->table->n; i++)
		functions_fini(&p->file[i].functions);
	free(p->file);
	unchecked_tell(&p->dsos);
	if (p->dsos.hash)
		dso_table_fini(&p->dsos);
	*p = (struct places){ 0 };
}

static struct dso *dso_of(const struct places *p, size_t dso)
{
	return p->dsos.dso[p->file[dso].number];
}

struct elf_file *places_elf(struct places *p, size_t dso)
{
	struct dso *d = dso_of(p, dso);

	return dso_load(&p->dsos, d) ? d->elf : NULL;
}

const struct elf_file *places_memory(struct places *p, size_t dso, uint64_t *distance)
{
	return dso_memory(&p->dsos, dso_of(p, dso), distance);
}

const struct dso *places_dso(const struct places *p, size_t dso)
{
	return dso_of(p, dso);
}

/* ---------------------------------------------------------------- addresses */

/* Offsets of kernels and modules are addresses already. */
static bool is_address(const struct places *p, size_t dso, const struct elf_file *elf)
{
	return !elf || elf->is_module || p->table->dso[dso].kind == DSO_KERNEL;
}

uint64_t places_address(struct places *p, size_t dso, uint64_t offset)
{
	const struct elf_file *elf = places_elf(p, dso);
	const struct elf_segment *s;

	if (is_address(p, dso, elf))
		return offset;
	s = elf_segment_at(elf, offset);
	return s ? s->addr + (offset - s->offset) : offset;
}

bool places_offset(struct places *p, size_t dso, uint64_t addr, uint64_t *offset)
{
	const struct elf_file *elf = places_elf(p, dso);
	const struct elf_segment *s = elf ? elf_segment_find(elf, addr) : NULL;

	*offset = addr;
	if (!s)
		return false;
	if (!is_address(p, dso, elf))
		*offset = s->offset + (addr - s->addr);
	return true;
}

/* ---------------------------------------------------------------- functions */

bool places_symbol(struct places *p, size_t dso, uint64_t offset, struct place_symbol *symbol)
{
	const struct count_dso *d = &p->table->dso[dso];
	uint64_t addr = places_address(p, dso, offset), distance = 0;
	struct dso_place at = { .dso = dso_of(p, dso), .addr = addr };
	struct elf_symbol s;

	if (d->kind == DSO_SYMBOL) {
		*symbol = (struct place_symbol){ .name = d->name, .size = UINT64_MAX };
		return true;
	}
	at.in_file = places_elf(p, dso);
	/* offsets of a kernel without an image of its memory are addresses at run time */
	places_memory(p, dso, &distance);
	at.run = addr + distance;
	if (!dso_symbol(&p->dsos, &at, &s))
		return false;
	*symbol = (struct place_symbol){ .name = s.name, .start = offset - (addr - s.addr),
					 .size = s.size, .made = s.made };
	return true;
}

bool places_line(struct places *p, size_t dso, uint64_t offset, struct elf_line *line)
{
	struct elf_file *elf = places_elf(p, dso);

	return elf && elf_file_line(elf, places_address(p, dso, offset), line);
}

const struct elf_inlined *places_inlined(struct places *p, size_t dso, uint64_t offset,
					 uint64_t *end)
{
	struct elf_file *elf = places_elf(p, dso);
	const uint64_t addr = places_address(p, dso, offset);
	struct elf_range range = { addr, UINT64_MAX };
	const struct elf_inlined *found = elf ? elf_file_inlined(elf, addr, &range) : NULL;

	*end = range.end - addr > UINT64_MAX - offset ? UINT64_MAX : offset + (range.end - addr);
	return found;
}

static bool is_named(const char *symbol, const char *name)
{
	char *plain = strcmp(symbol, name) ? demangle(symbol) : NULL;
	bool is = plain ? demangle_is(plain, name) : !strcmp(symbol, name);

	free(plain);
	return is;
}

/* Symbols of a debug file, with the linker's names. */
static const struct functions *debug_functions(struct places *p, size_t dso)
{
	struct place_file *f = &p->file[dso];
	const struct elf_file *elf = places_elf(p, dso);

	if (!f->asked && elf && elf->is_elf)
		functions_read(&f->functions, elf);
	f->asked = true;
	return &f->functions;
}

size_t places_named(struct places *p, size_t dso, const char *name, uint64_t *offset, size_t max)
{
	const struct functions *f = debug_functions(p, dso);
	struct elf_file *elf = places_elf(p, dso);
	size_t n = 0;
	uint64_t at, addr;

	for (size_t i = 0; i < f->n; i++)
		if (is_named(f->function[i].name, name) &&
		    places_offset(p, dso, f->function[i].addr, &at) && n++ < max)
			offset[n - 1] = at;
	/* of several symbols at one address the list has one */
	if (!n && elf && elf->is_elf && elf_file_address(elf, name, &addr) &&
	    places_offset(p, dso, addr, &at) && n++ < max)
		*offset = at;
	return n;
}
