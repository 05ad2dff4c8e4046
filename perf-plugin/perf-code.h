/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Code of dsos as sections of the image.
 *
 * What a record maps, a range of a file, is one section, whichever process
 * maps it and wherever.  Its bytes are read when they are first needed, so a
 * file that no trace leads to is never opened.  A file that is missing has
 * sections too: they say what is missing.
 */
#ifndef PERF_CODE_H
#define PERF_CODE_H

#include "../decoder/csflow.h"
#include "dso.h"

/**
 * struct code_section - what a section of the image is
 * @code: whose it is
 * @dso: the file; borrowed
 * @offset: of the first byte: in the file; in a loaded module, from its start; of a kernel: address
 * @n: bytes
 * @number: of the section
 * @poked: its bytes are those of a PERF_RECORD_TEXT_POKE
 */
struct code_section {
	struct perf_code *code;
	struct dso *dso;
	uint64_t offset;
	uint64_t n;
	int number;
	bool poked;
	/* private: the place in the space that is being built */
	int space;
	uint64_t base;
	uint32_t next;		/* of the same hash */
};

/**
 * struct perf_code - all code of a recording
 * @image: borrowed
 * @dsos: all dsos
 * @section: by number of the section; NULL for those that others made
 * @n_section: size of that
 * @refused: maps that could not be entered
 */
struct perf_code {
	struct csf_image *image;
	struct dso_table dsos;
	struct code_section **section;
	size_t n_section;
	uint64_t refused;
	/* private */
	/* whose symbols modules call, by how much it was moved, and if it is not known which */
	struct elf_file *kernel;
	uint64_t bias;
	bool several;
	uint32_t *hash;
	size_t n_hash, n_used;
};

int perf_code_init(struct perf_code *code, struct csf_image *image,
		   const struct dso_options *options);
void perf_code_fini(struct perf_code *code);

/**
 * struct code_map - a range of a file, mapped
 * @dso: number of the dso
 * @offset: see struct code_section
 * @from: time from which it is there
 */
struct code_map {
	int space;
	uint32_t dso;
	uint64_t addr, n, offset;
	uint64_t from;
};

/*
 * Enters a map into the image.  All maps of a space must come together, in order
 * of time.  Return: 0, -ENOMEM; what the image cannot hold is counted in @refused.
 */
int perf_code_map(struct perf_code *code, const struct code_map *map);

/* The same for a kernel: @addr is where its symbol @symbol was at run time. */
int perf_code_map_kernel(struct perf_code *code, const struct code_map *map, const char *symbol);

/**
 * struct code_poke - bytes of code that became others
 * @old: @n_old bytes; @new: @n_new bytes; borrowed for as long as the image is used
 */
struct code_poke {
	const uint8_t *old, *new;
	size_t n_old, n_new;
};

/*
 * Code at @map->addr is @poke->new from @map->from on, and was @poke->old before, unless another
 * change, which was entered before this one, says more.  @map->n and @map->offset are not used.
 * @map->dso: whose it is where nothing was mapped.
 */
int perf_code_poke(struct perf_code *code, const struct code_map *map,
		   const struct code_poke *poke);

/**
 * struct code_place - an address seen as a place in a file
 * @dso: the file
 * @section: of the image
 * @addr: address in the file's own terms, if @has_addr
 * @offset: in the section
 */
struct code_place {
	struct dso *dso;
	int section;
	uint64_t addr;
	uint64_t offset;
	bool has_addr;
};

/* What is at @addr.  Return: something is. */
bool perf_code_find(struct perf_code *code, int space, uint64_t time, uint64_t addr,
		    struct code_place *place);

/* The place of @offset in a section; likewise. */
bool perf_code_place(struct perf_code *code, int section, uint64_t offset,
		     struct code_place *place);

/* The function, and the line, at a place; they load the file. */
bool perf_code_symbol(struct perf_code *code, const struct code_place *place,
		      struct elf_symbol *symbol);
bool perf_code_line(struct perf_code *code, const struct code_place *place, struct elf_line *line);

#endif /* PERF_CODE_H */
