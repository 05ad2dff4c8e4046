/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The contents of trace without the code that was executed: atom runs.  An atom run is an address,
 * the atoms after it up to the next address, exception or loss, and what ended it.  For each atom
 * run it is counted how often it came.
 *
 *	struct quick quick = { .max = QUICK_MAX };
 *
 *	section = quick_section(&quick, &key, &range);
 *	part = quick_part(&quick, &atom_run);
 *	err = quick_count(&quick, &atom_run, half, times);
 *
 * Places are (section, offset); a section is a mapped part of a file, so places do not depend on
 * the process or the run.  Counts add up and saturate at UINT64_MAX: the order in which atom runs
 * come, or are merged, does not matter.
 */
#ifndef CSF_QUICK_H
#define CSF_QUICK_H

#include "../../perf-plugin/hash.h"
#include "../count/count.h"

/* Atom runs and parts that are kept by default: 1 GiB. */
#define QUICK_MAX	(16u << 20)

/* Atoms of a part.  An atom run has as many parts as it needs; the last may be shorter. */
#define QUICK_ATOMS	64

/* The most parts of an atom run: no code runs that long without an indirect branch. */
#define QUICK_DEEP	(1u << 14)

/* Section 0: an address in no known file. */
#define QUICK_NOWHERE	0

#define QUICK_UNITS	256

/* In TRCCONFIGR: a return stack; which loads and stores take atoms. */
#define QUICK_RS	(1u << 12)
#define QUICK_INSTP0	0x6u

/* Of a PTM: in ETMCR a return stack; in ETMCCER the same, and whether barriers take atoms. */
#define QUICK_CR_RS	(1u << 29)
#define QUICK_CCER	(3u << 23)

#define QUICK_SECTIONS	(1u << 16)

/**
 * enum quick_end - what ended an atom run
 * @QUICK_PART: nothing: it has more atoms than fit
 * @QUICK_STOP: a loss, the end of trace, or an exception without an address; only code may tell
 *              where the last branch went
 * @QUICK_NEXT: execution went on at @to, given by an address: mostly as another atom run
 * @QUICK_EXCEPTION: an exception; @to is its preferred return address
 * @QUICK_NEAR: as QUICK_EXCEPTION, but the address is not reliable
 * @QUICK_LED: as QUICK_NEXT, but nothing was executed at @to
 * @QUICK_REACH: nothing: execution came to @to without an atom, and trace says so.  Only of ETMv3
 *               and PTM, and a part, as QUICK_PART; so is the next one
 * @QUICK_OVER: the same, and the instruction at @to was executed
 */
enum quick_end {
	QUICK_PART,
	QUICK_STOP,
	QUICK_NEXT,
	QUICK_EXCEPTION,
	QUICK_NEAR,
	QUICK_LED,
	QUICK_REACH,
	QUICK_OVER,
	QUICK_END_NR
};

/* Does another part follow? */
static inline bool quick_is_part(enum quick_end end)
{
	return end == QUICK_PART || end >= QUICK_REACH;
}

/* struct atom_run.flags: bits 0-1 are the instruction set, enum csf_isa, of a first part */
#define QUICK_ISA	0x03
/* QUICK_REACH, QUICK_OVER; of PTM QUICK_NEXT, QUICK_LED: @to is T32 */
#define QUICK_TO_T32	0x04
#define QUICK_FRESH	0x08	/* the code before it is unknown */

/**
 * struct atom_run - an atom run, or a part of one
 * @atoms: @n of them, oldest in bit 0, 1 is E; those above are 0
 * @from: for a first part, the offset in @section; else both are 0
 * @to: offset in @to_section if @end has a target; else both are 0
 * @count: how often, in the first and the second half of the trace; 0 if quick_is_part()
 * @parent: the part before: its index + 1; 0: there is none
 * @n: atoms
 * @end: enum quick_end
 * @flags: QUICK_x
 * @unit: index of the trace unit's configuration
 */
struct atom_run {
	uint64_t atoms, from, to;
	uint64_t count[2];
	uint32_t section, to_section;
	uint32_t parent;
	uint8_t n, end, flags, unit;
};

/**
 * struct quick_section - a mapped range of a file
 * @dso: index in the table
 * @offset: as in struct code_section
 * @n: bytes
 * @addr: its address; the lowest of several
 * @symbol: for a kernel, the distance of its first symbol from @addr
 * @moved: there were several addresses
 */
struct quick_section {
	uint32_t dso;
	bool moved;
	uint64_t offset, n, symbol, addr;
};

/**
 * struct quick - zero it, and set @max
 * @max: the most atom runs and parts to keep
 * @table: statistics and files; without blocks
 * @unit: trace units, as far as replay needs them
 * @section: [0] is QUICK_NOWHERE
 * @atom_run: parents before their children
 * @full: atoms of those for which there was no room
 */
struct quick {
	size_t max;
	struct count_table table;
	struct csf_config *unit;
	size_t n_unit, size_unit;
	struct quick_section *section;
	size_t n_section, size_section;
	struct atom_run *atom_run;
	size_t n, size;
	uint64_t full;
	/* private */
	struct hash_table by_key;	/* atom runs: index + 1 */
};

void quick_fini(struct quick *quick);

/* Is it a unit of ETMv3 or PTM? */
static inline bool quick_is_older(const struct csf_config *unit)
{
	return unit->protocol == CSF_PROTOCOL_ETM3 || unit->protocol == CSF_PROTOCOL_PTM;
}

/* The index of a trace unit.  Return: -ENOMEM; -E2BIG: there are too many. */
long quick_unit(struct quick *quick, const struct csf_config *config);

/* The index of a section, of the file @key.  Return: -ENOMEM; -E2BIG: there are too many. */
long quick_section(struct quick *quick, const struct dso_key *key,
		   const struct quick_section *range);

/**
 * quick_part() - find or make an atom run or part
 *
 * Return: its index; UINT32_MAX: there are too many, and then nothing may follow it.
 */
uint32_t quick_part(struct quick *quick, const struct atom_run *key);

/* Counts it.  Return: there was room. */
static inline bool quick_count(struct quick *quick, const struct atom_run *key, int half,
			       uint64_t times)
{
	uint32_t i = quick_part(quick, key);

	if (i == UINT32_MAX)
		return false;
	quick->atom_run[i].count[half] = count_sum(quick->atom_run[i].count[half], times);
	return true;
}

/* The number of parts before it, and their atoms with its own. */
uint64_t quick_atoms(const struct quick *quick, uint32_t atom_run);

/* The first part, which has the address. */
const struct atom_run *quick_first(const struct quick *quick, uint32_t atom_run);

/* Sorts everything: the same atom runs give the same arrays.  Return: 0, -ENOMEM. */
int quick_settle(struct quick *quick);

/* Adds settled @from, @weight times.  Return: 0, -ENOMEM, -E2BIG. */
int quick_merge(struct quick *quick, const struct quick *from, uint64_t weight);

#endif /* CSF_QUICK_H */
