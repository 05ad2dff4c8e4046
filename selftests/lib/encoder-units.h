/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Trials of many trace units, from a table of settings.
 */
#ifndef SELFTESTS_ENCODER_UNITS_H
#define SELFTESTS_ENCODER_UNITS_H

#include "encoder-trial.h"

#define UNITS_SETTINGS	8
#define UNITS_AXES	20

/**
 * struct units - trace units
 * @axes: one setting of every axis, together a unit; NULL ends an axis.  The last two axes are not
 *	  words: "kernel" and perhaps "user": that part is traced; and the kinds of programs, in the
 *	  order of enum program_kind
 * @n: axes
 * @blocks: executed by each trial
 * @kind: the first kind of the last axis
 */
struct units {
	const char *const (*axes)[UNITS_SETTINGS];
	unsigned int n;
	uint64_t blocks;
	enum program_kind kind;
};

/**
 * struct units_sum - the sum of many trials
 * @tried: trials; @ok: those without a problem
 * @impossible: pairs of settings that exclude each other
 * @problem: the first one
 * @data and so on: those of struct trial
 */
struct units_sum {
	struct enc_stats stats;
	uint64_t packets[CSF_PKT_NR];
	uint64_t items, joined, insns;
	uint64_t data, late, untraced, losses, entries, cycles;
	unsigned int ok, tried, impossible;
	char problem[1800];
};

/* $CSFLOW_SEED, or 1; $CSFLOW_TRIALS, or @usual */
uint64_t units_seed(void);
unsigned int units_trials(unsigned int usual);

/* Writes the trace to the file $CSFLOW_SAVE, if it is set. */
void units_save(const struct trial *t);

/* Executes, decodes, compares. */
void units_trial(struct trial *t);

/* The elements that the peer lists, as decoded items.  Return: it decoded all. */
bool units_peer(struct trial *t);

/* @n random units, from $CSFLOW_SEED on. */
void units_random(const struct units *u, struct units_sum *sum, unsigned int n);

/* Every setting of an axis with every one of every other axis, if that goes together. */
void units_pairwise(const struct units *u, struct units_sum *sum);

#endif /* SELFTESTS_ENCODER_UNITS_H */
