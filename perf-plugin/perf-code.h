/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Code of dsos as sections of the image.
 *
 * A range of a file that a record maps is one section, whatever process maps it at whatever
 * address.  Its bytes are read when they are first needed, so a file that no trace leads to is
 * never opened.  A missing file has sections, too: they tell what is missing.
 */
#ifndef PERF_CODE_H
#define PERF_CODE_H

#include "../decoder/csflow.h"
#include "dso.h"

/**
 * struct code_section - the source of a section of the image
 * @code: the perf_code that it belongs to
 * @dso: the file; borrowed
 * @offset: offset of the first byte in the file; for a loaded module, from its start; for a kernel,
 *          the address
 * @n: bytes
 * @number: number of the section
 * @poked: its bytes come from a PERF_RECORD_TEXT_POKE
 * @in_memory: an image of the kernel's memory has it, if there is one
 * @changed: the kernel changed it during the recording: it has no bytes
 */
struct code_section {
	struct perf_code *code;
	struct dso *dso;
	uint64_t offset;
	uint64_t n;
	int number;
	bool poked, in_memory, changed;
	/* private: the place in the space that is being built */
	int space;
	uint64_t base;
	uint32_t next;		/* next with the same hash */
};

/**
 * struct perf_code - all code of a recording
 * @image: borrowed
 * @dsos: all dsos
 * @section: by number of the section; NULL for sections from elsewhere
 * @n_section: size of @section
 * @refused: number of maps that could not be entered
 * @met_changed: code was needed that the kernel changed during the recording
 */
struct perf_code {
	struct csf_image *image;
	struct dso_table dsos;
	struct code_section **section;
	size_t n_section;
	uint64_t refused;
	bool met_changed;
	/* private */
	/*
	 * kernel whose symbols modules call; how far it was moved; and whether it is not known
	 * which it is
	 */
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
 * @from: time from which on it is mapped
 */
struct code_map {
	int space;
	uint32_t dso;
	uint64_t addr, n, offset;
	uint64_t from;
};

/*
 * Enters a map into the image.  All maps of a space must be entered together, in order of time.
 * Return: 0, -ENOMEM; maps that the image cannot hold are counted in @refused.
 */
int perf_code_map(struct perf_code *code, const struct code_map *map);

/* The same for a kernel: @addr is the run-time address of its symbol @symbol. */
int perf_code_map_kernel(struct perf_code *code, const struct code_map *map, const char *symbol);

/*
 * The kernel, if code of it was decoded as it was linked, although a kernel changes its code when
 * it boots: there is no image of its memory.  NULL: nothing of the kind was decoded.
 */
const struct dso *perf_code_as_linked(struct perf_code *code);

/**
 * struct code_poke - bytes of code that changed
 * @old: @n_old bytes; @new: @n_new bytes; borrowed for as long as the image is used
 */
struct code_poke {
	const uint8_t *old, *new;
	size_t n_old, n_new;
};

/*
 * The code at @map->addr is @poke->new from @map->from on, and was @poke->old before, unless
 * another change that was entered before this one says more.  @map->n and @map->offset are not
 * used.  @map->dso: the dso of the code if nothing was mapped there.
 */
int perf_code_poke(struct perf_code *code, const struct code_map *map,
		   const struct code_poke *poke);

/**
 * struct code_place - a place in code: a byte of a section
 * @dso: the file
 * @section: section of the image
 * @addr: address as in the file, if @has_addr
 * @offset: in the section
 */
struct code_place {
	struct dso *dso;
	int section;
	uint64_t addr;
	uint64_t offset;
	bool has_addr;
};

/* Finds the place of @addr.  Return: there is one. */
bool perf_code_find(struct perf_code *code, int space, uint64_t time, uint64_t addr,
		    struct code_place *place);

/* Finds the place of @offset in a section.  Return: there is one. */
bool perf_code_place(struct perf_code *code, int section, uint64_t offset,
		     struct code_place *place);

/* The function, and the line, at a place; both load the file. */
bool perf_code_symbol(struct perf_code *code, const struct code_place *place,
		      struct elf_symbol *symbol);
bool perf_code_line(struct perf_code *code, const struct code_place *place, struct elf_line *line);

/*
 * As elf_file_inlined(); the answer is the same for *@n bytes from @place on.  Loads the file, and
 * so @place may get its address.
 */
const struct elf_inlined *perf_code_inlined(struct perf_code *code, struct code_place *place,
					    uint64_t *n);

#endif /* PERF_CODE_H */
