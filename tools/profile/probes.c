// SPDX-License-Identifier: GPL-2.0-only
#include <elfutils/libdwfl.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../../perf-plugin/lower-bound.h"
#include "../../perf-plugin/array.h"
#include "probes.h"
#include "line-profile.h"
#include "../../perf-plugin/section.h"

#define ATTRIBUTE_SENTINEL	2
#define ATTRIBUTE_DISCRIMINATOR	4

/* ---------------------------------------------------------------- names */

static int by_guid(const void *a, const void *b)
{
	const struct probe_name *x = a, *y = b;

	return x->guid < y->guid ? -1 : x->guid > y->guid;
}

static int read_names(struct probes *p, struct section b)
{
	while (b.at < b.end) {
		struct probe_name name = { .guid = section_number(&b, 8),
					   .checksum = section_number(&b, 8) };
		uint64_t n = section_leb(&b, false);

		if (b.bad || n > (uint64_t)(b.end - b.at))
			return -EBADMSG;
		name.text = strndup((const char *)b.at, n);
		if (!name.text ||
		    !array_room(&p->name, p->n_name, &p->size_name, sizeof(name))) {
			free(name.text);
			return -ENOMEM;
		}
		p->name[p->n_name++] = name;
		b.at += n;
	}
	if (p->n_name)
		qsort(p->name, p->n_name, sizeof(*p->name), by_guid);
	return 0;
}

static const struct probe_name *name_of(const struct probes *p, uint64_t guid)
{
	const struct probe_name key = { .guid = guid };

	return p->n_name ? bsearch(&key, p->name, p->n_name, sizeof(key), by_guid) : NULL;
}

/* ---------------------------------------------------------------- probes */

/* Where a function begins. */
struct start {
	struct profile_name name;
	uint64_t addr;
};

/**
 * struct reader - of the probes
 * @start: @n_start of them, by name
 * @addr: of the previous probe
 * @absolute: addresses continue from function to function, as in clang before 17; then the first
 *            of a file is complete.  Else each function's addresses begin at its beginning
 * @known: the beginning of the function is known; otherwise probes are not kept
 */
struct reader {
	struct probes *p;
	struct start *start;
	size_t n_start;
	struct section b;
	uint64_t addr;
	bool absolute;
	bool known;
};

/* The shortest of several with one name, the one without a suffix, comes first. */
static int by_name(const void *a, const void *b)
{
	const struct start *x = a, *y = b;
	int order = profile_name_order(&x->name, &y->name);

	return order ? order : strcmp(x->name.text, y->name.text);
}

static int read_starts(struct reader *r, const struct functions *file)
{
	r->start = calloc(file->n + 1, sizeof(*r->start));
	if (!r->start)
		return -ENOMEM;
	for (size_t i = 0; i < file->n; i++)
		r->start[r->n_start++] = (struct start){ line_profile_name(file->function[i].name),
							 file->function[i].addr };
	qsort(r->start, r->n_start, sizeof(*r->start), by_name);
	return 0;
}

static bool find_start(struct reader *r, const struct probe_name *name)
{
	const struct profile_name wanted = line_profile_name(name ? name->text : "");
	size_t first = LOWER_BOUND(r->n_start, i,
				   profile_name_order(&r->start[i].name, &wanted) < 0);

	if (first == r->n_start || profile_name_order(&r->start[first].name, &wanted))
		return false;
	r->addr = r->start[first].addr;
	return true;
}

/* Then the beginning of the function is not needed. */
static void read_whole(struct reader *r, uint32_t frame)
{
	r->addr = section_number(&r->b, 8);
	r->absolute = true;
	r->known = r->p->frame[frame].name;
}

static int read_probe(struct reader *r, uint32_t frame)
{
	struct probe probe = { .frame = frame, .number = section_leb(&r->b, false) };
	uint8_t flags = section_byte(&r->b);

	if (flags & 0x80)
		r->addr += section_leb(&r->b, true);
	else if (flags >> 4 & ATTRIBUTE_SENTINEL)
		r->known &= find_start(r, name_of(r->p, section_number(&r->b, 8)));
	else
		read_whole(r, frame);
	if (flags >> 4 & ATTRIBUTE_DISCRIMINATOR)
		probe.discriminator = section_leb(&r->b, false);
	if (r->b.bad)
		return -EBADMSG;
	if (!r->known || flags >> 4 & ATTRIBUTE_SENTINEL)
		return 0;
	probe.kind = flags & 0xf;
	probe.addr = r->addr;
	if (!array_room(&r->p->probe, r->p->n, &r->p->size, sizeof(probe)))
		return -ENOMEM;
	r->p->probe[r->p->n++] = probe;
	return 0;
}

/* Reads a function and its probes.  @inlined: how many inlined ones follow; @frame: its number. */
static int read_frame(struct reader *r, struct probe_frame own, uint64_t *inlined, uint32_t *frame)
{
	uint64_t guid = section_number(&r->b, 8), n = section_leb(&r->b, false);
	int err = 0;

	*inlined = section_leb(&r->b, false);
	*frame = r->p->n_frame;
	own.name = name_of(r->p, guid);
	if (!own.outer)
		r->known = r->absolute || find_start(r, own.name);
	r->known &= !!own.name;
	if (!array_room(&r->p->frame, r->p->n_frame, &r->p->size_frame, sizeof(own)))
		return -ENOMEM;
	r->p->frame[r->p->n_frame++] = own;
	while (n-- && !err && !r->b.bad)
		err = read_probe(r, *frame);
	return r->b.bad ? -EBADMSG : err;
}

/* Reads a function of the program, with everything inlined in it. */
static int read_function(struct reader *r)
{
	struct { uint64_t left; uint32_t frame; } open[FRAME_MAX];
	int depth = 1, err;

	err = read_frame(r, (struct probe_frame){ 0 }, &open[0].left, &open[0].frame);
	while (!err && depth) {
		struct probe_frame own = { .outer = open[depth - 1].frame };

		if (!open[depth - 1].left) {
			depth--;
			continue;
		}
		if (depth == FRAME_MAX)
			return -EBADMSG;
		open[depth - 1].left--;
		own.site = section_leb(&r->b, false);
		err = read_frame(r, own, &open[depth].left, &open[depth].frame);
		depth++;
	}
	return err;
}

static int by_addr(const void *a, const void *b)
{
	const struct probe *x = a, *y = b;

	return x->addr < y->addr ? -1 : x->addr > y->addr;
}

static int read_probes(struct probes *p, const struct functions *file, struct section b)
{
	struct reader r = { .p = p, .b = b };
	int err = read_starts(&r, file);

	/* frame 0 */
	if (!array_room(&p->frame, 0, &p->size_frame, sizeof(*p->frame)))
		err = -ENOMEM;
	else
		p->frame[p->n_frame++] = (struct probe_frame){ 0 };
	while (r.b.at < r.b.end && !err)
		err = read_function(&r);
	free(r.start);
	if (p->n)
		qsort(p->probe, p->n, sizeof(*p->probe), by_addr);
	return err;
}

/* ---------------------------------------------------------------- all of it */

static struct section section(const struct functions *file, const char *name)
{
	Dwarf_Addr bias;

	return section_find(file->module ? dwfl_module_getelf(file->module, &bias) : NULL, name);
}

int probes_read(struct probes *p, const struct functions *file)
{
	int err;

	*p = (struct probes){ 0 };
	err = read_names(p, section(file, ".pseudo_probe_desc"));
	return err ? err : read_probes(p, file, section(file, ".pseudo_probe"));
}

void probes_fini(struct probes *p)
{
	for (size_t i = 0; i < p->n_name; i++)
		free(p->name[i].text);
	free(p->name);
	free(p->probe);
	free(p->frame);
	*p = (struct probes){ 0 };
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

void probes_keep(struct probes *p, const char *const *name, size_t n)
{
	size_t kept = 0;

	for (size_t i = 0; i < p->n && n; i++) {
		const struct probe_frame *f = &p->frame[p->probe[i].frame];

		while (f->outer)
			f = &p->frame[f->outer];
		if (bsearch(&f->name->text, name, n, sizeof(*name), by_text))
			p->probe[kept++] = p->probe[i];
	}
	p->n = kept;
}

size_t probes_from(const struct probes *p, uint64_t addr)
{
	return LOWER_BOUND(p->n, i, p->probe[i].addr < addr);
}

/* If it is unknown where a function is inlined, it counts as a function by itself. */
int probes_frames(const struct probes *p, const struct probe *probe, struct frame frame[FRAME_MAX])
{
	const struct probe_frame *f = &p->frame[probe->frame];
	struct frame at = { NULL, probe->number, probe->discriminator, 0 };
	struct frame reversed[FRAME_MAX];
	int n = 0;

	for (;; f = &p->frame[f->outer]) {
		if (n == FRAME_MAX)
			return 0;
		at.name = f->name->text;
		at.checksum = f->name->checksum;
		reversed[n++] = at;
		if (!f->outer || !f->site)
			break;
		at = (struct frame){ .line = f->site };
	}
	for (int i = 0; i < n; i++)
		frame[i] = reversed[n - 1 - i];
	return n;
}
