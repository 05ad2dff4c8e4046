/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Mappings: how much of a section is visible where it is mapped.
 *
 * Most sections are mapped whole, with nothing over any of them, and each has one mapping.  Where
 * only part is mapped, or something else is mapped over it, blocks must end and links must stop
 * where that part ends: so blocks belong to a mapping, and blocks of different mappings know
 * nothing of each other.  The same part of the same section is one mapping, however often, in
 * whatever space and at whatever time it is mapped.
 */
#ifndef CSF_MAPPING_H
#define CSF_MAPPING_H

#include "csflow.h"

/**
 * struct block_map - see block-map.h
 * @number: number of the block at each instruction of the mapping; NULL: there is no block map
 * @rule: CSF_RULE_x of these blocks
 * @tried: it was made, or must not be made
 */
struct block_map {
	uint32_t *number;
	uint8_t rule;
	bool tried;
};

/**
 * struct mapping - part of a section
 * @from: offset of its first byte
 * @to: offset after its last byte
 * @section: number
 * @next: number of another mapping of the section; 0: there is none
 * @block_map: its blocks, once there are many
 */
struct mapping {
	uint64_t from, to;
	uint32_t section;
	uint32_t next;
	struct block_map block_map;
};

/* All mappings of an image; [0] is unused: 0 means none. */
struct mapping_table {
	struct mapping *mapping;
	uint32_t n, size;
};

/**
 * struct mapping_query - an address, in some space, at some time
 * @addr: the address
 * @top: the highest possible address, of 32 bits or of 64
 * @time: the time
 * @space: address space
 */
struct mapping_query {
	uint64_t addr;
	uint64_t top;
	uint64_t time;
	int space;
};

/**
 * struct mapping_seen - a mapping at its addresses
 * @first: the address of its first byte
 * @last: the address of its last byte
 * @base: address of offset 0 of its section
 * @mapping: its number
 * @block_map: the result of mapping_block_map()
 * @code: the bytes at @first, if they are all in memory; otherwise NULL
 */
struct mapping_seen {
	uint64_t first, last;
	uint64_t base;
	uint32_t mapping;
	struct block_map block_map;
	const uint8_t *code;
};

/**
 * mapping_find() - find the mapping at an address: the visible part of a section around it
 * @seen: filled in if there is one
 *
 * Takes the image's lock.
 *
 * Return: 1; 0: nothing is mapped there; CSF_ERR_MEMORY.
 */
int mapping_find(struct csf_image *image, const struct mapping_query *query,
		 struct mapping_seen *seen);

/* Sets the block map in @seen, which may have been made since then.  Takes the image's lock. */
void mapping_block_map(struct csf_image *image, struct mapping_seen *seen);

/*
 * The code at @offset, as section_at(), but none from outside the mapping.  Call with the lock
 * held.
 */
size_t mapping_at(struct csf_image *image, const struct mapping *mapping, uint64_t offset,
		  const uint8_t **p);

#endif /* CSF_MAPPING_H */
