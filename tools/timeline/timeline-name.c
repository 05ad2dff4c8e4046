// SPDX-License-Identifier: GPL-2.0-only
/*
 * A function is a file and an address in it: that of its symbol; without a symbol, the target of a
 * call; and without a call, the file as a whole stands for it.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../perf-plugin/array.h"
#include "timeline-name.h"
#include "../lib/utf8.h"

enum key_kind { KEY_WORD, KEY_SYMBOL, KEY_CALLED, KEY_FILE, KEY_INLINED };

/* The key of a name; generated words are not looked up. */
struct timeline_key {
	const struct dso *dso;
	uint64_t addr;
	uint8_t kind;
};

/* A known answer: most addresses are needed again and again. */
struct timeline_known {
	struct timeline_where where;
	uint64_t until;
	struct timeline_function function;
};

int timeline_names_init(struct timeline_names *names, struct perf_code *code)
{
	*names = (struct timeline_names){ .code = code };
	names->recent = calloc(TIMELINE_RECENT, sizeof(*names->recent));
	/* number 0 is not used */
	if (!hash_more(&names->by_key, 0) || !names->recent || !timeline_names_add(names, "") ||
	    !timeline_names_add(names, "[unknown]"))
		return -1;
	names->unknown = 1;
	return 0;
}

void timeline_names_fini(struct timeline_names *names)
{
	for (size_t i = 0; i < names->n; i++)
		free(names->name[i].text);
	free(names->name);
	free(names->key);
	free(names->by_key.slot);
	free(names->recent);
	*names = (struct timeline_names){ 0 };
}

/* Makes a copy of any @text that is UTF-8, and not too long. */
static char *clean(const char *text)
{
	const unsigned char *s = (const unsigned char *)text;
	/* bytes that are not a character become U+FFFD, three bytes */
	char *copy = malloc(3 * strnlen(text, TIMELINE_NAME_MAX) + 8), *to = copy;

	for (int n; copy && *s && to - copy < TIMELINE_NAME_MAX; s += n ? n : 1) {
		n = utf8_size(s);
		memcpy(to, n ? (const char *)s : "\xef\xbf\xbd", n ? n : 3);
		to += n ? n : 3;
	}
	if (copy)
		*to = 0;
	return copy;
}

/* Return: its number, 1 for the second; 0 may be the first, or no memory. */
static uint32_t add(struct timeline_names *names, const struct timeline_key *key, const char *text)
{
	size_t size = names->size;
	char *copy = clean(text);

	if (!copy || !array_room(&names->name, names->n, &size, sizeof(*names->name)))
		goto no_memory;
	if (!array_room(&names->key, names->n, &names->size, sizeof(*names->key)))
		goto no_memory;
	names->key[names->n] = *key;
	names->name[names->n] = (struct timeline_name){ .text = copy, .area = names->n };
	return names->n++;

no_memory:
	free(copy);
	return 0;
}

uint32_t timeline_names_add(struct timeline_names *names, const char *text)
{
	const struct timeline_key key = { .kind = KEY_WORD };
	const bool first = !names->n;
	uint32_t number = add(names, &key, text);

	return first ? names->n : number;
}

static uint64_t hash_of(const struct timeline_key *key)
{
	return hash_mix(hash_mix((uintptr_t)key->dso, key->addr), key->kind);
}

static bool same(const struct timeline_key *a, const struct timeline_key *b)
{
	return a->dso == b->dso && a->addr == b->addr && a->kind == b->kind;
}

static uint32_t *slot_of(const struct timeline_names *names, const struct timeline_key *key)
{
	return HASH_SLOT(&names->by_key, hash_of(key), i, same(&names->key[i], key));
}

static bool grow(struct timeline_names *names)
{
	if (2 * names->n < names->by_key.n)
		return true;
	if (!hash_more(&names->by_key, 0))
		return false;
	for (uint32_t i = 1; i < names->n; i++)
		if (names->key[i].kind != KEY_WORD)
			*slot_of(names, &names->key[i]) = i;
	return true;
}

/* The number of @key, with @text if it is new; 0: no memory. */
static uint32_t number_of(struct timeline_names *names, const struct timeline_key *key,
			  const char *text)
{
	uint32_t *slot = slot_of(names, key);
	uint32_t number;

	if (*slot)
		return *slot;
	if (names->n >= TIMELINE_NAMES_MAX)
		return names->unknown;
	number = add(names, key, text);
	if (!number || !grow(names))
		return 0;
	*slot_of(names, key) = number;
	return number;
}

static const char *file_name(const struct dso *dso)
{
	const char *slash = dso ? strrchr(dso->name, '/') : NULL;

	return !dso ? NULL : slash && slash[1] ? slash + 1 : dso->name;
}

/* Without a symbol: the file, and the target of a call in it. */
static uint32_t nameless(struct timeline_names *names, const struct code_place *at,
			 const struct timeline_where *where)
{
	struct timeline_key key = { .dso = at->dso, .kind = KEY_FILE };
	const char *file = file_name(at->dso);
	char text[256];
	uint32_t area, number;

	snprintf(text, sizeof(text), file ? "[%.200s]" : "[unknown]", file);
	area = number_of(names, &key, text);
	if (!area || !where->called)
		return area;
	key.kind = KEY_CALLED;
	key.addr = !at->dso ? where->addr : at->has_addr ? at->addr : at->offset;
	snprintf(text, sizeof(text), "%.200s%s0x%" PRIx64, file ? file : "", file ? "+" : "",
		 key.addr);
	number = number_of(names, &key, text);
	if (number != names->unknown)
		names->name[number].area = area;
	return number;
}

static bool is_chosen(const struct timeline_names *names, const struct code_place *at)
{
	const struct selection *part = names->part;

	if (!part || (!part->dsos.n && !part->symbols.n))
		return true;
	return at->dso && selection_has_place(part, names->code, at);
}

static int look(struct timeline_names *names, const struct timeline_where *where,
		struct timeline_function *function)
{
	struct code_place at = { 0 };
	struct elf_symbol symbol;

	perf_code_find(names->code, where->space, where->time, where->addr, &at);
	if (at.dso && perf_code_symbol(names->code, &at, &symbol)) {
		struct timeline_key key = { at.dso, symbol.addr, KEY_SYMBOL };

		/* has_addr may come with the symbol */
		perf_code_place(names->code, at.section, at.offset, &at);
		function->entry = at.addr == symbol.addr;
		function->name = number_of(names, &key, symbol.name);
	} else {
		function->entry = where->called;
		function->name = nameless(names, &at, where);
	}
	if (function->name)
		names->name[function->name].left_out = !is_chosen(names, &at);
	return function->name ? 0 : -1;
}

int timeline_function(struct timeline_names *names, const struct timeline_where *where,
		      uint64_t until, struct timeline_function *function)
{
	size_t slot = (where->addr >> 2 ^ where->addr >> 15 ^ where->called) % TIMELINE_RECENT;
	struct timeline_known *k = &names->recent[slot];

	if (k->function.name && k->where.addr == where->addr && k->where.space == where->space &&
	    k->where.called == where->called && k->until == until &&
	    (until || k->where.time == where->time)) {
		*function = k->function;
		return 0;
	}
	if (look(names, where, function))
		return -1;
	*k = (struct timeline_known){ .where = *where, .until = until, .function = *function };
	return 0;
}

uint32_t timeline_inlined(struct timeline_names *names, const struct elf_function *function)
{
	const struct timeline_key key = { .addr = function->id, .kind = KEY_INLINED };

	return number_of(names, &key, function->marked);
}

const struct elf_inlined *timeline_find_inlined(struct timeline_names *names,
						const struct timeline_where *where)
{
	struct code_place at = { 0 };
	uint64_t n;

	perf_code_find(names->code, where->space, where->time, where->addr, &at);
	return at.dso && is_chosen(names, &at) ? perf_code_inlined(names->code, &at, &n) : NULL;
}
