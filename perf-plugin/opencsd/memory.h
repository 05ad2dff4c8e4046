/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Code, as clients give it: in buffers, in files, or by a function of theirs.
 *
 * A buffer or file is a section of the image, mapped where it belongs.  A function
 * may answer otherwise whenever the context has changed, and nobody says whether
 * it does: perf looks at the maps of the thread that it was last told of.  So what
 * came from one is forgotten at each context, and asked for again a page at a time.
 * But a page whose bytes were seen before, at whatever address, in whatever
 * context, is the section that it was then, and its blocks are known.
 *
 * That is for A64.  In AArch32 an instruction may lie across two pages; there one
 * section holds all, and its pages are compared when a context comes back.
 */
#ifndef OPENCSD_MEMORY_H
#define OPENCSD_MEMORY_H

#include "../../decoder/csflow.h"
#include "abi.h"

#define MEMORY_SPACES	8	/* bits of ABI_SPACE_x */

/**
 * struct accessor - a source of code
 * @first: address
 * @last: inclusive
 * @spaces: ABI_SPACE_x or-ed
 * @section: of code that is there; 0: it is asked for
 * @bytes: of a file, or moved so that it can be mapped; owned
 * @fn: or @fn_id, with @context
 */
struct accessor {
	uint64_t first, last;
	uint32_t spaces;
	int section;
	uint8_t *bytes;
	abi_memory_fn fn;
	abi_memory_id_fn fn_id;
	const void *context;
};

/* A page of code that was seen: @bytes, owned, are a section. */
struct page {
	uint64_t hash;
	uint8_t *bytes;
	uint32_t n;
	int section;
};

struct memory_view;

/**
 * struct memory - code of one tree
 * @image: owned
 * @page: @n_page of them, by number from 1; @slot: hash to number, open addressing
 */
struct memory {
	struct csf_image *image;
	struct accessor *accessor;
	size_t n_accessor;
	struct page *page;
	uint32_t n_page, page_size;
	uint32_t *slot;
	uint32_t slot_mask;
	struct memory_view *view;	/* a list */
};

int memory_init(struct memory *m);
void memory_fini(struct memory *m);

/* The answers are enum abi_err. */
int memory_add_bytes(struct memory *m, uint64_t addr, uint32_t spaces, const uint8_t *p, size_t n);
int memory_add_file(struct memory *m, const char *path, const struct abi_region *region,
		    uint32_t spaces);
int memory_add_function(struct memory *m, const struct accessor *a);
int memory_remove(struct memory *m, uint64_t first, uint32_t spaces);

/* So much was seen that it is better to begin anew: all views must be closed for that. */
bool memory_full(const struct memory *m);
int memory_renew(struct memory *m);

/* A page mapped in a view. */
struct memory_mapped {
	uint64_t addr;
	uint32_t n;
};

/* AArch32: a section for what one accessor answers, and the pages of it that were read. */
struct memory_low {
	struct memory_view *view;
	struct accessor accessor;
	struct memory_mapped *read;	/* owned */
	uint32_t n_read;
	unsigned int bit;
	int section;
};

/**
 * struct memory_view - code as one trace ID sees it
 * @id: trace ID
 * @bit: number of the memory space in force; @space: of the image, by that; 0: none yet
 * @context: for which code is known; @visiting: there is one
 * @wide: it is AArch64
 * @mapped: owned
 * @at: by section: the visit in which it was mapped last; owned
 * @low: owned, each
 */
struct memory_view {
	struct memory *memory;
	struct memory_view *next;
	uint8_t id;
	struct csf_context context;
	bool visiting, wide;
	unsigned int bit;
	int space[MEMORY_SPACES];
	struct memory_mapped *mapped;
	uint32_t n_mapped;
	uint32_t *at;
	uint32_t n_at, visit;
	struct memory_low **low;
	uint32_t n_low;
};

void memory_open(struct memory_view *view, struct memory *m, uint8_t id);
void memory_close(struct memory_view *view);

/*
 * If the context is another one, or was reset, what was there before is asked for again.
 *
 * Return: the address space for @context; < 0: none.
 */
int memory_visit(struct memory_view *view, const struct csf_context *context);

#endif /* OPENCSD_MEMORY_H */
