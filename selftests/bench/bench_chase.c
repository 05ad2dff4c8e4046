// SPDX-License-Identifier: GPL-2.0-only
/*
 * bench_chase N...   nanoseconds a step of a pointer chase, in a random circle of N cache lines
 *
 * A decoder that must look at a line for each block, in an order that it learns last, cannot be
 * faster.
 */
#include <stdio.h>
#include <stdlib.h>

#include "../../tools/encoder/encode-dice.h"
#include "speed.h"

#define LINE	64
#define STEPS	5000000

struct line {
	struct line *next;
	char rest[LINE - sizeof(struct line *)];
};

static struct line *start;

/* Sattolo's way of making one circle of all of them. */
static void make_circle(struct line *line, size_t n)
{
	struct dice dice;

	dice_seed(&dice, 1);
	for (size_t i = 0; i < n; i++)
		line[i].next = &line[i];
	for (size_t i = n - 1; i; i--) {
		struct line *other = &line[dice_below(&dice, i)], *next = other->next;

		other->next = line[i].next;
		line[i].next = next;
	}
	start = line;
}

static double chase(void)
{
	double from = speed_clock();

	for (int i = 0; i < STEPS; i++)
		start = start->next;
	return (speed_clock() - from) * 1e9 / STEPS;
}

int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		size_t n = strtoul(argv[i], NULL, 10);
		struct line *line = n ? aligned_alloc(LINE, n * LINE) : NULL;

		if (!line)
			return 1;
		make_circle(line, n);
		chase();
		/* The printed value depends on the way, so that the compiler leaves out no load. */
		printf("%.2f%s\n", chase(), start ? "" : "?");
		free(line);
	}
	return 0;
}
