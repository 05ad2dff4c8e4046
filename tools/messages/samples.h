/* SPDX-License-Identifier: GPL-2.0-only */
/* Samples of the program counter, counted by function. */
#ifndef CSF_MESSAGES_SAMPLES_H
#define CSF_MESSAGES_SAMPLES_H

#include "../../perf-plugin/elf.h"
#include "../../perf-plugin/hash.h"
#include "row.h"

struct sample {
	uint64_t pc, n;
};

/**
 * struct samples - zero it; set @elf, @n_elf for names of functions
 * @all: number of samples, with @asleep and @prohibited, which have no program counter
 */
struct samples {
	struct elf_file **elf;
	size_t n_elf;
	uint64_t all, asleep, prohibited;
	/* private */
	struct sample *sample;
	size_t n, size;
	struct hash_table by_pc;
};

/* Counts a row, if it is a sample.  Return: 0; -ENOMEM. */
int samples_add(struct samples *s, const struct row *row);

/* Prints a table, the function with the most samples first.  Return: 0; -ENOMEM. */
int samples_print(struct samples *s);
void samples_free(struct samples *s);

#endif /* CSF_MESSAGES_SAMPLES_H */
