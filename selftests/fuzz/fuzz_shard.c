// SPDX-License-Identifier: GPL-2.0-only
/*
 * Any bytes as a plan of shards, as they are and with the hash that they should have: a plan that
 * is taken is written as it was read, and each input is in its parts once.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "../../tools/lib/fnv.h"
#include "../../tools/shard/plan.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

static void check(bool holds)
{
	if (!holds)
		abort();
}

static void check_parts(const struct plan *plan)
{
	uint64_t *whole = calloc(plan->n_input, sizeof(*whole));
	size_t at = 0;

	check(whole && plan->n_part && plan->n_input);
	for (size_t k = 0; k < plan->n_part; k++) {
		check(plan->part[k].n && plan->part[k].first == at);
		at += plan->part[k].n;
	}
	check(at == plan->n_piece);
	/* lengths of spans that do not overlap add up to 2^64 */
	for (size_t i = 0; i < plan->n_piece; i++) {
		check(plan->piece[i].input < plan->n_input);
		whole[plan->piece[i].input] += plan->piece[i].until - plan->piece[i].from + 1;
	}
	for (size_t i = 0; i < plan->n_input; i++)
		check(!whole[i] && *plan->input[i].path == '/');
	free(whole);
}

static void check_written(struct plan *plan, const char *text, size_t n)
{
	char *again = NULL;
	size_t n_again = 0;
	FILE *f = open_memstream(&again, &n_again);

	check(f && !plan_write(plan, f) && !fclose(f));
	check(n_again == n && !memcmp(again, text, n));
	free(again);
}

static void try(const char *text, size_t n)
{
	struct plan_problem problem;
	struct plan plan = { 0 };
	const int err = plan_parse(&plan, text, n, &problem);

	check(!err == !problem.why);
	if (!err) {
		check_parts(&plan);
		check_written(&plan, text, n);
	}
	plan_fini(&plan);
}

/* The third line and all after it, with a head that is right. */
static void try_with_hash(const char *text, size_t n)
{
	const char *line = memchr(text, '\n', n), *body;
	char *right = malloc(n + 64);
	size_t n_head;

	line = line ? memchr(line + 1, '\n', text + n - line - 1) : NULL;
	body = line ? line + 1 : text;
	check(right);
	n_head = sprintf(right, PLAN_MAGIC "hash %016" PRIx64 "\n",
			 fnv_hash(FNV_START, body, text + n - body));
	memcpy(right + n_head, body, text + n - body);
	try(right, n_head + (text + n - body));
	free(right);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	const char *text = n ? (const char *)bytes : "";

	try(text, n);
	try_with_hash(text, n);
	return 0;
}
