// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../../perf-plugin/elf.h"
#include "encode-code.h"

void encode_code_fini(struct encode_code *code)
{
	for (size_t i = 0; i < code->n_page; i++)
		free(code->page[i]);
	free(code->page);
	free(code->slot);
	memset(code, 0, sizeof(*code));
}

/* The slot of a page, or the empty slot for it. */
static struct code_page **find(const struct encode_code *code, uint32_t pid, uint64_t addr)
{
	size_t i = (addr / CODE_PAGE * 0x9e3779b97f4a7c15ull ^ pid) & (code->n_slot - 1);

	while (code->slot[i] && (code->slot[i]->addr != addr || code->slot[i]->pid != pid))
		i = (i + 1) & (code->n_slot - 1);
	return &code->slot[i];
}

static int grow(struct encode_code *code)
{
	size_t n = code->n_slot ? 2 * code->n_slot : 1024;
	struct code_page **slot = calloc(n, sizeof(*slot));
	struct code_page **page = realloc(code->page, n / 2 * sizeof(*page));

	if (page)
		code->page = page;
	if (!slot || !page) {
		free(slot);
		return -ENOMEM;
	}
	free(code->slot);
	code->slot = slot;
	code->n_slot = n;
	/* Only the newest version of a page, which is the older one of no other. */
	for (size_t i = 0; i < code->n_page; i++)
		if (code->page[i]->until == UINT64_MAX)
			*find(code, code->page[i]->pid, code->page[i]->addr) = code->page[i];
	return 0;
}

static struct code_page *new_page(struct encode_code *code)
{
	struct code_page *page;

	if (code->n_page >= code->n_slot / 2 && grow(code))
		return NULL;
	page = calloc(1, sizeof(*page));
	if (page)
		code->page[code->n_page++] = page;
	return page;
}

static struct code_page *first_version(struct encode_code *code, uint32_t pid, uint64_t addr)
{
	struct code_page *page = new_page(code);

	if (!page)
		return NULL;
	page->addr = addr;
	page->pid = pid;
	page->until = UINT64_MAX;
	*find(code, pid, addr) = page;
	return page;
}

/* The version at that time.  @make: make it if there is none.  NULL: none, or no memory. */
static struct code_page *page_at(struct encode_code *code, const struct encode_addr *where,
				 bool make)
{
	struct code_page *page = code->last;
	uint64_t addr = where->addr - where->addr % CODE_PAGE;

	if (!page || page->addr != addr || page->pid != where->pid || where->time < page->from ||
	    where->time >= page->until) {
		page = code->n_slot ? *find(code, where->pid, addr) : NULL;
		while (page && where->time < page->from)
			page = page->older;
	}
	if (!page && make)
		page = first_version(code, where->pid, addr);
	if (page)
		code->last = page;
	return page;
}

/* Makes a version from @time on: the same as before, until other bytes are seen. */
static struct code_page *next_version(struct encode_code *code, struct code_page *old,
				      uint64_t time)
{
	struct code_page *page = new_page(code), **slot;

	if (!page)
		return NULL;
	*page = *old;
	memset(page->sure, 0, sizeof(page->sure));
	page->from = time;
	page->older = old;
	old->until = time;
	slot = find(code, old->pid, old->addr);
	if (*slot == old) {
		*slot = page;
	} else {
		struct code_page *newer = *slot;

		while (newer->older != old)
			newer = newer->older;
		newer->older = page;
	}
	code->last = page;
	return page;
}

static bool has(const uint8_t *bits, size_t at)
{
	return bits[at / 8] >> at % 8 & 1;
}

/* Adds one byte.  Return: the version that has it; NULL: no memory. */
static struct code_page *add(struct encode_code *code, const struct encode_addr *where,
			     uint8_t byte)
{
	struct code_page *page = page_at(code, where, true);
	size_t at = where->addr % CODE_PAGE;

	if (!page)
		return NULL;
	if (has(page->known, at) && page->bytes[at] != byte) {
		/* A version that began just now was not executed differently before. */
		if (has(page->sure, at) && page->from != where->time)
			page = next_version(code, page, where->time);
		if (!page)
			return NULL;
		if (!code->changed++)
			code->changed_at = where->addr;
	}
	page->known[at / 8] |= 1 << at % 8;
	page->sure[at / 8] |= 1 << at % 8;
	page->bytes[at] = byte;
	return page;
}

/* Return: 0, -ENOMEM. */
static int add_all(struct encode_code *code, const struct encode_addr *where,
		   const uint8_t *bytes, size_t n, uint64_t *newest)
{
	struct encode_addr at = *where;

	for (size_t i = 0; i < n; i++, at.addr++) {
		const struct code_page *page = add(code, &at, bytes[i]);

		if (!page)
			return -ENOMEM;
		if (page->from > *newest)
			*newest = page->from;
	}
	return 0;
}

int encode_code_add(struct encode_code *code, const struct encode_addr *where, const void *bytes,
		    size_t n, uint64_t *from)
{
	uint64_t newest = 0, changed = code->changed;
	int err = add_all(code, where, bytes, n, &newest);

	/* All of it is certain in a version that began in the middle. */
	if (!err && code->changed > changed) {
		code->changed = changed + 1;
		err = add_all(code, where, bytes, n, &newest);
	}
	if (from)
		*from = newest;
	return err;
}

size_t encode_code_read(struct encode_code *code, const struct encode_addr *where, void *bytes,
			size_t n)
{
	struct encode_addr at = *where;
	uint8_t *p = bytes;

	for (size_t i = 0; i < n; i++, at.addr++) {
		const struct code_page *page = page_at(code, &at, false);

		if (!page || !has(page->known, at.addr % CODE_PAGE))
			return i;
		p[i] = page->bytes[at.addr % CODE_PAGE];
	}
	return n;
}

static int compare(uint64_t x, uint64_t y)
{
	return x < y ? -1 : x > y;
}

static int by_address(const void *a, const void *b)
{
	const struct code_page *x = *(struct code_page *const *)a;
	const struct code_page *y = *(struct code_page *const *)b;

	return compare(x->pid, y->pid) ?: compare(x->from, y->from) ?: compare(x->addr, y->addr);
}

void encode_code_sort(struct encode_code *code)
{
	if (code->n_page)
		qsort(code->page, code->n_page, sizeof(*code->page), by_address);
}

size_t encode_code_run(const struct encode_code *code, size_t first)
{
	struct code_page *const *page = code->page + first;
	size_t n = 1;

	while (first + n < code->n_page && page[n]->pid == page[0]->pid &&
	       page[n]->from == page[0]->from && page[n]->addr == page[n - 1]->addr + CODE_PAGE)
		n++;
	return n;
}

int encode_code_elf(struct encode_code *code, uint32_t pid, const char *path, uint64_t offset)
{
	struct elf_file *file;
	int err = elf_file_open(&file, path);

	if (err)
		return err;
	if (!file->is_elf || !file->is_arm)
		err = -ENOEXEC;
	for (size_t i = 0; !err && i < file->n_segment; i++) {
		const struct elf_segment *s = &file->segment[i];
		const struct encode_addr where = { s->addr + offset, 0, pid };

		if (s->exec)
			err = encode_code_add(code, &where, file->bytes + s->offset, s->size,
					      NULL);
	}
	elf_file_close(file);
	return err;
}
