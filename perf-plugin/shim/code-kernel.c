// SPDX-License-Identifier: GPL-2.0-only
/*
 * Code of kernels, by address: perf's maps say what is there, and may be replaced when perf loads
 * their dsos.
 */
#include <errno.h>
#include <stdlib.h>

#include <util/symbol.h>

#include "code-parts.h"

/* More than the size of any module. */
#define MODULE_MAX	(256 << 20)

/* ---------------------------------------------------------------- modules */

/* The maps of a kernel, held by references. */
struct held_maps {
	struct map **map;
	size_t n, size;
};

static int hold(struct map *map, void *data)
{
	struct held_maps *held = data;

	if (held->n == held->size) {
		size_t size = held->size ? 2 * held->size : 64;
		struct map **p = realloc(held->map, size * sizeof(*p));

		if (!p)
			return -ENOMEM;
		held->map = p;
		held->size = size;
	}
	held->map[held->n++] = map__get(map);
	return 0;
}

static void let_go(struct held_maps *held)
{
	for (size_t i = 0; i < held->n; i++)
		map__put(held->map[i]);
	free(held->map);
}

/* A function of the kernel, at its run-time address. */
struct code_name {
	const char *name;
	u64 addr;
};

static int by_name(const void *a, const void *b)
{
	const struct code_name *x = a, *y = b;

	return strcmp(x->name, y->name);
}

/*
 * Lists all symbols of @map; perf's own function for this needs symbols that were loaded for
 * look-ups by name.
 * Return: their number; they are in @names if that is not NULL.
 */
static size_t list_names(struct map *map, struct code_name *names)
{
	struct symbol *symbol = dso__first_symbol(map__dso(map));
	size_t n = 0;

	for (; symbol; symbol = dso__next_symbol(symbol), n++) {
		if (names)
			names[n] = (struct code_name){
				symbol->name, map__unmap_ip(map, symbol->start),
			};
	}
	return n;
}

/* Reads the symbols of a kernel, sorted, once. */
static void learn_names(struct csflow_code *code, struct machine *machine)
{
	struct map *map = machine__kernel_map(machine);

	if (code->names_of == machine || !map || map__load(map))
		return;
	free(code->name);
	code->names_of = machine;
	code->n_name = list_names(map, NULL);
	code->name = malloc(code->n_name * sizeof(*code->name) + 1);
	code->n_name = code->name ? list_names(map, code->name) : 0;
	if (code->n_name)
		qsort(code->name, code->n_name, sizeof(*code->name), by_name);
}

/* Finds the address of a symbol of another module. */
static bool find_in(struct map *map, const char *name, u64 *addr)
{
	struct symbol *symbol;

	if (map__load(map))
		return false;
	for (symbol = dso__first_symbol(map__dso(map)); symbol; symbol = dso__next_symbol(symbol)) {
		if (strcmp(symbol->name, name))
			continue;
		*addr = map__unmap_ip(map, symbol->start);
		return true;
	}
	return false;
}

/* Sources of symbols: first the kernel's names, then @held. */
struct known_symbols {
	const struct csflow_code *code;
	struct held_maps held;
};

static bool find_symbol(void *context, const char *name, uint64_t *addr)
{
	const struct known_symbols *known = context;
	const struct csflow_code *code = known->code;
	const struct code_name key = { .name = name }, *found;
	u64 there;

	found = bsearch(&key, code->name, code->n_name, sizeof(key), by_name);
	if (found) {
		*addr = found->addr;
		return true;
	}
	for (size_t i = 0; i < known->held.n; i++) {
		if (!find_in(known->held.map[i], name, &there))
			continue;
		*addr = there;
		return true;
	}
	return false;
}

/*
 * The whole file of @dso, which perf decompresses if needed.  Return: the caller frees it; or NULL.
 */
static void *whole_file(struct dso *dso, struct machine *machine, size_t *n)
{
	const off_t size = dso__data_size(dso, machine);
	void *bytes;

	if (size <= 0 || size > MODULE_MAX)
		return NULL;
	bytes = malloc(size);
	if (bytes && dso__data_read_offset(dso, machine, 0, bytes, size) != size) {
		free(bytes);
		return NULL;
	}
	*n = size;
	return bytes;
}

static void open_module(struct code_section *s, struct dso *dso, u64 base)
{
	struct known_symbols known = { .code = s->code };
	const struct plugin_symbols symbols = { .base = base, .find = find_symbol,
						.context = &known };
	size_t n = 0;
	void *bytes = whole_file(dso, s->machine, &n);

	if (!bytes)
		return;
	learn_names(s->code, s->machine);
	/* hold them, as a look-up loads them, which changes the tree that perf walks */
	if (!shim_walk_maps(machine__kernel_maps(s->machine), hold, &known.held) &&
	    plugin_module_new(&s->module, bytes, n, &symbols))
		pr_debug("csflow: %s cannot be read as a module\n", dso__long_name(dso));
	let_go(&known.held);
	free(bytes);
}

/* Code at @addr in @map if its file is a module's, in which branches are not filled in. */
static struct plugin_module *module_of(struct code_section *s, const struct map *map)
{
	u8 header[64];

	if (!s->looked) {
		s->looked = true;
		if (dso__data_read_offset(map__dso(map), s->machine, 0, header, sizeof(header)) ==
		    sizeof(header) && plugin_module_is(header, sizeof(header)))
			open_module(s, map__dso(map), map__start(map));
	}
	return s->module;
}

/* ---------------------------------------------------------------- reading */

/*
 * Loading a kernel's map may replace it by others, and gives it the offsets of the file that was
 * found: so look it up again after that.
 */
static struct map *kernel_map(struct maps *maps, u64 addr)
{
	struct map *map = shim_maps_find(maps, addr);

	if (!map)
		return NULL;
	map__load(map);
	map__put(map);
	return shim_maps_find(maps, addr);
}

/*
 * Sections of vmlinux other than .text have dsos of their own, "[kernel].init.text", for which an
 * older perf does not know the file.
 */
static struct dso *dso_of(struct machine *machine, const struct map *map)
{
	struct map *kernel = machine__kernel_map(machine);
	const char *name = dso__short_name(map__dso(map));
	size_t n;

	if (!kernel || !name || map__dso(map) == map__dso(kernel))
		return map__dso(map);
	n = strlen(dso__short_name(map__dso(kernel)));
	return strncmp(name, dso__short_name(map__dso(kernel)), n) || name[n] != '.' ?
		map__dso(map) : map__dso(kernel);
}

static size_t read_kernel(void *context, uint64_t offset, void *buf, size_t n)
{
	struct code_section *s = context;
	u64 addr = s->base + offset;
	struct map *map = kernel_map(machine__kernel_maps(s->machine), addr);
	struct plugin_module *module;
	ssize_t got;

	if (!map)
		return 0;
	n = min_t(u64, n, map__end(map) - addr);
	module = module_of(s, map);
	if (module)
		got = plugin_module_read(module, addr - map__start(map), buf, n);
	else
		got = dso__data_read_offset(dso_of(s->machine, map), s->machine,
					    map__map_ip(map, addr), buf, n);
	if (got < 0)
		csflow_section_missing(s, dso__long_name(map__dso(map)));
	map__put(map);
	return got > 0 ? got : 0;
}

/* ---------------------------------------------------------------- code that changes */

/**
 * struct code_poke - code that was changed
 * @old: section of the bytes before, 0: none; @new: of the bytes from then on
 */
struct code_poke {
	struct plugin_poke is;
	int old, new;
};

static int bytes_section(struct csflow_code *code, const u8 *bytes, size_t n)
{
	return n ? csf_section_bytes(code->image, bytes, n) : 0;
}

static int add_poke(struct csflow_code *code, const struct plugin_poke *is)
{
	struct code_poke poke = { .is = *is }, *p = code->poke;
	const size_t n = code->n_poke;

	if (is->addr & 3 || !is->n_new)
		return 0;
	poke.old = bytes_section(code, is->old, is->n_old);
	poke.new = bytes_section(code, is->new, is->n_new);
	if (!(n & (n - 1)))
		p = realloc(p, (n ? 2 * n : 1) * sizeof(*p));
	if (!p || poke.old < 0 || poke.new < 0)
		return -ENOMEM;
	code->poke = p;
	p[code->n_poke++] = poke;
	return 0;
}

int csflow_kernel_pokes(struct csflow_code *code)
{
	struct plugin_poke poke;
	int err = 0;

	for (size_t i = 0; !err && plugin_poke(code->plugin, i, &poke); i++)
		err = add_poke(code, &poke);
	return err;
}

static bool touches(const struct code_poke *poke, u64 start, u64 last)
{
	const u64 n = max(poke->is.n_old, poke->is.n_new);

	return poke->is.addr <= last && (start <= poke->is.addr || start - poke->is.addr < n);
}

/* Maps the bytes before the first change, then the bytes after each. */
static int map_pokes(struct csflow_code *code, u64 start, u64 last)
{
	const size_t n = code->n_poke;
	int err = 0;

	for (size_t i = n; i--;) {
		const struct code_poke *p = &code->poke[i];

		if (p->old && p->is.time && touches(p, start, last))
			err |= csf_map_span(code->image, CSF_SPACE_ALL, p->is.addr, p->is.n_old,
					    p->old, 0, 0, p->is.time) == CSF_ERR_MEMORY;
	}
	for (size_t i = 0; i < n; i++) {
		const struct code_poke *p = &code->poke[i];

		if (touches(p, start, last))
			err |= csf_map_span(code->image, CSF_SPACE_ALL, p->is.addr, p->is.n_new,
					    p->new, 0, p->is.time, UINT64_MAX) == CSF_ERR_MEMORY;
	}
	return err ? -ENOMEM : 0;
}

void csflow_kernel_poked(struct csflow_code *code, u64 addr)
{
	for (const struct code_section *s = code->kernel; s && addr & 3; s = s->next) {
		if (addr - s->base < s->n)
			csf_section_stale(code->image, s->number);
	}
}

/* ---------------------------------------------------------------- maps */

/* Where something changed in a kernel's space. */
struct kernel_change {
	struct csflow_code *code;
	struct machine *machine;
	int space;
	u64 start, last;
};

/* The part of the space that was the same before, when all of it is read again. */
static struct code_section *same_kernel(const struct kernel_change *change,
					const struct code_section *as)
{
	struct code_section *s = change->code->kernel;

	if (change->start || change->last != ~0ULL)
		return NULL;
	while (s && (s->machine != as->machine || s->base != as->base || s->n != as->n))
		s = s->next;
	return s;
}

static int enter_kernel(struct map *map, void *data)
{
	const struct kernel_change *change = data;
	struct code_section as = {
		.code = change->code, .machine = change->machine, .base = map__start(map),
		.n = min_t(u64, map__end(map) - map__start(map), SECTION_MAX),
	};
	struct code_section *s;

	if (map__end(map) <= map__start(map) || map__start(map) > change->last ||
	    map__end(map) <= change->start || as.base & 3)
		return 0;
	s = same_kernel(change, &as);
	if (!s)
		s = csflow_section_new(&as, read_kernel, &change->code->kernel);
	if (!s)
		return -ENOMEM;
	return csf_map(change->code->image, change->space, s->base, s->n, s->number, 0) ==
		CSF_ERR_MEMORY ? -ENOMEM : 0;
}

int csflow_kernel_changed(struct csflow_code *code, struct machine *machine, int space, u64 start,
			  u64 n)
{
	struct kernel_change change = {
		.code = code, .machine = machine, .space = space, .start = start,
		.last = start + n - 1 < start ? ~0ULL : start + n - 1,
	};
	int err;

	if (!n || !machine__kernel_maps(machine))
		return 0;
	if (!start && n == ~0ULL)
		change.last = ~0ULL;
	csf_unmap(code->image, space, start, n);
	err = shim_walk_maps(machine__kernel_maps(machine), enter_kernel, &change);
	if (!err && space == CSF_SPACE_ALL)
		err = csflow_hide_changes(code, start, change.last);
	/* A record tells of these changes, so they are known. */
	if (!err && space == CSF_SPACE_ALL)
		err = map_pokes(code, start, change.last);
	return err;
}
