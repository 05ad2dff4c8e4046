// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../../perf-plugin/array.h"
#include "../lib/file.h"
#include "shot.h"

static void *add(void *array, size_t *n, size_t size)
{
	void **items = array;
	char *item;

	if (!array_next(items, *n, size))
		return NULL;
	item = (char *)*items + (*n)++ * size;
	memset(item, 0, size);
	return item;
}

struct shot_core *shot_add_core(struct shot *s)
{
	return add(&s->core, &s->n_core, sizeof(*s->core));
}

struct shot_unit *shot_add_unit(struct shot *s)
{
	return add(&s->unit, &s->n_unit, sizeof(*s->unit));
}

struct shot_buffer *shot_add_buffer(struct shot *s)
{
	return add(&s->buffer, &s->n_buffer, sizeof(*s->buffer));
}

int shot_add_part(struct shot_buffer *b, const uint8_t *data, size_t n)
{
	struct shot_part *part = add(&b->part, &b->n_part, sizeof(*part));

	if (!part)
		return -ENOMEM;
	*part = (struct shot_part){ .data = data, .n = n };
	return 0;
}

int shot_add_wrote(struct shot_unit *u, size_t buffer)
{
	size_t *wrote = add(&u->buffer, &u->n_buffer, sizeof(*wrote));

	if (!wrote)
		return -ENOMEM;
	*wrote = buffer;
	return 0;
}

long shot_add_file(struct shot *s, const char *name, const uint8_t *data, uint64_t n, bool owned)
{
	struct shot_file *file = add(&s->file, &s->n_file, sizeof(*file));

	if (!file)
		return -ENOMEM;
	*file = (struct shot_file){ .data = data, .n = n, .owned = owned };
	snprintf(file->name, sizeof(file->name), "%s", name);
	return s->n_file - 1;
}

static const uint8_t *bytes_of(const struct shot *s, const struct shot_dump *d, uint64_t addr)
{
	return s->file[d->file].data + d->offset + (addr - d->addr);
}

static bool same_space(const struct shot_dump *a, const struct shot_dump *b)
{
	return !a->space || !b->space || !strcmp(a->space, b->space);
}

/* Two dumps have bytes of the same addresses: are they the same? */
static bool agree(const struct shot *s, const struct shot_dump *a, const struct shot_dump *b)
{
	const uint64_t first = a->addr > b->addr ? a->addr : b->addr;
	const uint64_t a_end = a->addr + a->n, b_end = b->addr + b->n;
	const uint64_t end = a_end < b_end ? a_end : b_end;

	return !memcmp(bytes_of(s, a, first), bytes_of(s, b, first), end - first);
}

/* The first that has memory of @dump, too. */
static const struct shot_dump *find_other(const struct shot *s, const struct shot_dump *dump)
{
	for (size_t i = 0; i < s->n_dump; i++) {
		const struct shot_dump *other = &s->dump[i];

		if (same_space(other, dump) && dump->addr < other->addr + other->n &&
		    other->addr < dump->addr + dump->n)
			return other;
	}
	return NULL;
}

/* Adds the part of @dump from @addr up to @end. */
static int add_rest(struct shot *s, const struct shot_dump *dump, uint64_t addr, uint64_t end)
{
	struct shot_dump rest = *dump;

	if (addr >= end)
		return 0;
	rest.addr = addr;
	rest.offset += addr - dump->addr;
	rest.n = end - addr;
	return shot_add_dump(s, &rest);
}

int shot_add_dump(struct shot *s, const struct shot_dump *dump)
{
	const struct shot_dump *found = find_other(s, dump);
	struct shot_dump *added, other;
	int err;

	if (!found) {
		added = add(&s->dump, &s->n_dump, sizeof(*added));
		if (!added)
			return -ENOMEM;
		*added = *dump;
		return 0;
	}
	other = *found;
	if (!agree(s, &other, dump))
		problems_warn(&s->problems, dump->from, 0,
			      "it has other bytes than %s at the addresses 0x%llx to 0x%llx, or in a part of them: those of %s are written",
			      other.from, (unsigned long long)other.addr,
			      (unsigned long long)(other.addr + other.n), other.from);
	err = add_rest(s, dump, dump->addr, other.addr);
	return err ?: add_rest(s, dump, other.addr + other.n, dump->addr + dump->n);
}

const char *shot_unit_kind(const struct csf_config *config)
{
	switch (csf_config_protocol(config)) {
	case CSF_PROTOCOL_ETE:
		return "ete";
	case CSF_PROTOCOL_PTM:
		return "ptm";
	case CSF_PROTOCOL_ITM:
		return "itm";
	case CSF_PROTOCOL_STM:
		return "stm";
	case CSF_PROTOCOL_MTB:
		return "mtb";
	default:
		return "etm";
	}
}

const char *shot_core_type(const struct csf_config *config)
{
	static const char *const older[] = { "ARMv7-A", "ARMv7-R", "ARMv7-M" };
	static const char *const newer[] = { "ARM-AA64", "ARMv8-R", "ARMv8-M" };
	const int protocol = csf_config_protocol(config);
	const uint32_t profile = protocol == CSF_PROTOCOL_MTB ? CSF_PROFILE_M :
				 config->profile < 3 ? config->profile : 0;

	return protocol == CSF_PROTOCOL_PTM || protocol == CSF_PROTOCOL_ETM3 ? older[profile] :
	       newer[profile];
}

void shot_free(struct shot *s)
{
	for (size_t i = 0; i < s->n_unit; i++)
		free(s->unit[i].buffer);
	for (size_t i = 0; i < s->n_buffer; i++)
		free(s->buffer[i].part);
	for (size_t i = 0; i < s->n_file; i++)
		if (s->file[i].owned)
			free((void *)s->file[i].data);
	for (size_t i = 0; i < s->n_reg; i++)
		free(s->reg[i].text);
	for (size_t i = 0; i < s->n_kept; i++)
		free(s->kept[i].text);
	free(s->core);
	free(s->unit);
	free(s->buffer);
	free(s->file);
	free(s->dump);
	free(s->reg);
	free(s->kept);
	problems_free(&s->problems);
	memset(s, 0, sizeof(*s));
}
