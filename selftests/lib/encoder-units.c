// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "encoder-units.h"

uint64_t units_seed(void)
{
	const char *s = getenv("CSFLOW_SEED");

	return s ? strtoull(s, NULL, 0) : 1;
}

unsigned int units_trials(unsigned int usual)
{
	const char *s = getenv("CSFLOW_TRIALS");

	return s ? atoi(s) : usual;
}

void units_save(const struct trial *t)
{
	const char *path = getenv("CSFLOW_SAVE");
	FILE *f = path ? fopen(path, "w") : NULL;

	if (!f)
		return;
	fwrite(t->trace, 1, t->n_trace, f);
	fclose(f);
}

void units_trial(struct trial *t)
{
	const int protocol = csf_config_protocol(&t->setup.config);

	if (protocol == CSF_PROTOCOL_ETE)
		t->flags |= PROGRAM_TSTART;
	else if (protocol == CSF_PROTOCOL_PTM)
		t->flags |= PROGRAM_BARRIERS | PROGRAM_STATES;
	else if (protocol == CSF_PROTOCOL_ETM3)
		t->flags |= PROGRAM_EACH | PROGRAM_OLD | PROGRAM_BARRIERS | PROGRAM_STATES;
	if (protocol == CSF_PROTOCOL_ETM3 && t->setup.config.profile == CSF_PROFILE_M)
		t->flags |= PROGRAM_M;
	trial_execute(t);
	if (!t->problem[0])
		trial_decode(t);
	if (!t->problem[0])
		trial_compare(t);
}

/* ---------------------------------------------------------------- rows */

/* One setting of each axis. */
struct row {
	uint8_t at[UNITS_AXES];
};

static unsigned int settings(const struct units *u, unsigned int axis)
{
	unsigned int n = 0;

	while (n < UNITS_SETTINGS && u->axes[axis][n])
		n++;
	return n;
}

/* Return: these go together. */
static bool setup(const struct units *u, struct trial *t, const struct row *row, char *words)
{
	char problem[ENC_PROBLEM_MAX];
	size_t n = 0;

	words[0] = 0;
	for (unsigned int i = 0; i < u->n - 2; i++) {
		const char *w = u->axes[i][row->at[i]];

		n += sprintf(words + n, "%s%s", *w && n ? "," : "", w);
	}
	sprintf(words + n, ",seed=%u", (unsigned int)t->seed);
	t->user_only = row->at[u->n - 2];
	t->kind = u->kind + row->at[u->n - 1];
	return !enc_setup_parse(&t->setup, words, problem);
}

static bool possible(const struct units *u, const struct row *row)
{
	struct trial t = { .seed = 1 };
	char words[1000];

	return setup(u, &t, row, words);
}

static void count(struct units_sum *sum, const struct trial *t)
{
	for (int i = 0; i < ENC_LOST_NR; i++)
		sum->stats.lost[i] += t->stats.lost[i];
	for (int i = 0; i < ENC_RATES; i++)
		sum->stats.injected[i] += t->stats.injected[i];
	for (int i = 0; i < CSF_PKT_NR; i++)
		sum->packets[i] += t->packets[i];
	sum->stats.blocks += t->stats.blocks;
	sum->insns += t->stats.insns;
	sum->items += t->executed.n;
	sum->joined += t->joined;
	sum->data += t->data;
	sum->late += t->late;
	sum->untraced += t->untraced;
	sum->losses += t->losses;
	sum->entries += t->entries;
	sum->cycles += t->cycles;
	sum->tried++;
	sum->ok += !t->problem[0];
}

static void row_trial(const struct units *u, struct units_sum *sum, const struct row *row,
		      uint64_t seed)
{
	struct trial t = { .seed = seed, .n = u->blocks };
	char words[1000];

	if (!setup(u, &t, row, words))
		return;
	units_trial(&t);
	count(sum, &t);
	if (t.problem[0] && !sum->problem[0]) {
		snprintf(sum->problem, sizeof(sum->problem),
			 "CSFLOW_SEED=%u CSFLOW_KIND=%u CSFLOW_UNIT=%s: %s", (unsigned int)seed,
			 t.kind + 3 * t.user_only, words, t.problem);
		units_save(&t);
	}
	trial_free(&t);
}

void units_random(const struct units *u, struct units_sum *sum, unsigned int n)
{
	struct dice dice;

	for (uint64_t seed = units_seed(); sum->tried < n; seed++) {
		struct row row;

		dice_seed(&dice, seed);
		for (unsigned int i = 0; i < u->n; i++)
			row.at[i] = dice_below(&dice, settings(u, i)) *
				    (dice_once_in(&dice, 2) || i == 0 || i >= u->n - 2);
		row_trial(u, sum, &row, seed);
	}
}

/* ---------------------------------------------------------------- pairs */

/* Which pairs of settings of different axes there were. */
struct pairs {
	const struct units *units;
	struct dice dice;
	bool seen[UNITS_AXES][UNITS_SETTINGS][UNITS_AXES][UNITS_SETTINGS];
};

static unsigned int pairs_new(const struct pairs *p, const struct row *row)
{
	unsigned int n = 0;

	for (unsigned int i = 0; i < p->units->n; i++)
		for (unsigned int j = i + 1; j < p->units->n; j++)
			n += !p->seen[i][row->at[i]][j][row->at[j]];
	return n;
}

static void pairs_add(struct pairs *p, const struct row *row)
{
	for (unsigned int i = 0; i < p->units->n; i++)
		for (unsigned int j = i + 1; j < p->units->n; j++)
			p->seen[i][row->at[i]][j][row->at[j]] = true;
}

/* Random settings of every axis but these two. */
static void fill(struct pairs *p, struct row *row, unsigned int i, unsigned int j)
{
	for (unsigned int k = 0; k < p->units->n; k++)
		if (k != i && k != j)
			row->at[k] = dice_once_in(&p->dice, 3) ? 0 :
				     dice_below(&p->dice, settings(p->units, k));
}

/* The row with this pair that has the most others.  Return: there is one. */
static bool best_row(struct pairs *p, struct row *best, unsigned int i, unsigned int j)
{
	struct row row = *best;
	unsigned int most = 0, n;

	for (int k = 0; k < 2000 && (k < 40 || !most); k++) {
		fill(p, &row, i, j);
		n = pairs_new(p, &row);
		if (n <= most || !possible(p->units, &row))
			continue;
		most = n;
		*best = row;
	}
	return most;
}

/* Setting @a of axis @i with setting @b of axis @j. */
static void pair(struct pairs *p, struct units_sum *sum, unsigned int i, unsigned int a,
		 unsigned int j, unsigned int b)
{
	struct row row = { { 0 } };

	row.at[i] = a;
	row.at[j] = b;
	if (p->seen[i][a][j][b])
		return;
	if (!best_row(p, &row, i, j)) {
		sum->impossible++;
		return;
	}
	pairs_add(p, &row);
	row_trial(p->units, sum, &row, 1000 + sum->tried);
}

void units_pairwise(const struct units *u, struct units_sum *sum)
{
	static struct pairs pairs;

	memset(&pairs, 0, sizeof(pairs));
	pairs.units = u;
	dice_seed(&pairs.dice, units_seed());
	for (unsigned int i = 0; i < u->n; i++)
		for (unsigned int a = 0; a < settings(u, i); a++)
			for (unsigned int j = i + 1; j < u->n; j++)
				for (unsigned int b = 0; b < settings(u, j); b++)
					pair(&pairs, sum, i, a, j, b);
}
