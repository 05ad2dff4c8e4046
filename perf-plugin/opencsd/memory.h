/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Code from clients: in buffers, in files, or from a function of theirs.
 *
 * A buffer or file is a section of the image, mapped at its address.  A function may give other
 * bytes whenever the context has changed, and the client does not say whether it does: perf uses
 * the maps of the thread that it was last told of.  So code from a function is forgotten at each
 * context, and read again a page at a time.  But a page whose bytes were seen before, at any
 * address and in any context, is the same section as then, and its blocks are known.
 *
 * This is for A64.  In AArch32 an instruction may cross a page boundary; so one section holds
 * everything, and its pages are compared when a context comes back.
 */
#ifndef OPENCSD_MEMORY_H
#define OPENCSD_MEMORY_H

#include "../../decoder/csflow.h"
#include "abi.h"

#define MEMORY_SPACES	8	/* number of bits of ABI_SPACE_x */

/**
 * struct accessor - a source of code
 * @first: first address
 * @last: last address, inclusive
 * @spaces: ABI_SPACE_x or-ed
 * @section: section of code in memory; 0: a function gives the code
 * @bytes: bytes of a file, or bytes that were moved so that they can be mapped; owned
 * @fn: function for code, or @fn_id, with @context
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

/* A page of code that was seen: its @bytes, owned, are a section. */
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

/* Return: enum abi_err. */
int memory_add_bytes(struct memory *m, uint64_t addr, uint32_t spaces, const uint8_t *p, size_t n);
int memory_add_file(struct memory *m, const char *path, const struct abi_region *region,
		    uint32_t spaces);
int memory_add_function(struct memory *m, const struct accessor *a);
int memory_remove(struct memory *m, uint64_t first, uint32_t spaces);

/*
 * Has so much code been seen that it is better to start again?  All views must be closed for that.
 */
bool memory_full(const struct memory *m);
int memory_renew(struct memory *m);

/* A page that is mapped in a view. */
struct memory_mapped {
	uint64_t addr;
	uint32_t n;
};

/* AArch32: a section for the code of one accessor, and the pages of it that were read. */
struct memory_low {
	struct memory_view *view;
	struct accessor accessor;
	struct memory_mapped *read;	/* owned */
	uint32_t n_read;
	unsigned int bit;
	int section;
};

/**
 * struct memory_view - the code that one trace ID sees
 * @id: trace ID
 * @any_level: exception levels are not traced: code of any level of the security state counts
 * @bit: number of the current memory space; @space: the image's space for each; 0: none yet
 * @context: the context that code is known for; @visiting: there is one
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
	bool visiting, wide, any_level;
	unsigned int bit;
	int space[MEMORY_SPACES];
	struct memory_mapped *mapped;
	uint32_t n_mapped;
	uint32_t *at;
	uint32_t n_at, visit;
	struct memory_low **low;
	uint32_t n_low;
};

void memory_open(struct memory_view *view, struct memory *m, uint8_t id, bool any_level);
void memory_close(struct memory_view *view);

/*
 * Call at each context: if it is another one, or was reset, earlier code is read again.
 *
 * Return: the address space for @context; < 0: none.
 */
int memory_visit(struct memory_view *view, const struct csf_context *context);

#endif /* OPENCSD_MEMORY_H */
