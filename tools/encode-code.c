// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../perf-plugin/elf.h"
#include "encode-code.h"

void encode_code_fini(struct encode_code *code)
{
	for (size_t i = 0; i < code->n_page; i++)
		free(code->page[i]);
	free(code->page);
	free(code->slot);
	memset(code, 0, sizeof(*code));
}

/* The slot of a page, or the empty one where it would be. */
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
	for (size_t i = 0; i < code->n_page; i++)
		*find(code, code->page[i]->pid, code->page[i]->addr) = code->page[i];
	return 0;
}

/* @make: if it is not there yet.  NULL: it is not, or no memory. */
static struct code_page *page_at(struct encode_code *code, uint32_t pid, uint64_t addr, bool make)
{
	struct code_page *page = code->last, **slot;

	addr -= addr % CODE_PAGE;
	if (page && page->addr == addr && page->pid == pid)
		return page;
	if (!code->n_slot || (make && code->n_page >= code->n_slot / 2))
		if (!make || grow(code))
			return NULL;
	slot = find(code, pid, addr);
	if (!*slot && make) {
		*slot = calloc(1, sizeof(**slot));
		if (!*slot)
			return NULL;
		(*slot)->addr = addr;
		(*slot)->pid = pid;
		code->page[code->n_page++] = *slot;
	}
	if (*slot)
		code->last = *slot;
	return *slot;
}

static bool is_known(const struct code_page *page, size_t at)
{
	return page->known[at / 8] >> at % 8 & 1;
}

int encode_code_add(struct encode_code *code, uint32_t pid, uint64_t addr, const void *bytes,
		    size_t n)
{
	const uint8_t *p = bytes;
	bool changed = false;

	for (size_t i = 0; i < n; i++) {
		struct code_page *page = page_at(code, pid, addr + i, true);
		size_t at = (addr + i) % CODE_PAGE;

		if (!page)
			return -ENOMEM;
		if (!is_known(page, at)) {
			page->known[at / 8] |= 1 << at % 8;
			page->bytes[at] = p[i];
		}
		changed |= page->bytes[at] != p[i];
	}
	if (changed && !code->changed++)
		code->changed_at = addr;
	return 0;
}

size_t encode_code_read(struct encode_code *code, uint32_t pid, uint64_t addr, void *bytes,
			size_t n)
{
	uint8_t *p = bytes;

	for (size_t i = 0; i < n; i++) {
		struct code_page *page = page_at(code, pid, addr + i, false);
		size_t at = (addr + i) % CODE_PAGE;

		if (!page || !is_known(page, at))
			return i;
		p[i] = page->bytes[at];
	}
	return n;
}

static int by_address(const void *a, const void *b)
{
	const struct code_page *x = *(struct code_page *const *)a;
	const struct code_page *y = *(struct code_page *const *)b;

	if (x->pid != y->pid)
		return x->pid < y->pid ? -1 : 1;
	return x->addr < y->addr ? -1 : x->addr > y->addr;
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
	       page[n]->addr == page[n - 1]->addr + CODE_PAGE)
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

		if (s->exec)
			err = encode_code_add(code, pid, s->addr + offset,
					      file->bytes + s->offset, s->size);
	}
	elf_file_close(file);
	return err;
}
