// SPDX-License-Identifier: GPL-2.0-only
/*
 * A program together with the kernel below it: csflow vm runs perf record, in place of qemu-user
 * and our own recorder.
 */
#include <elf.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "record.h"
#include "../lib/log.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))
/* The most words of csflow vm and of perf record, without variables and the program. */
#define OWN_WORDS	40

static bool wrong(const char *option, const char *why)
{
	log_say(LOG_USAGE, "csflow record: %s: %s\n", option, why);
	return false;
}

/* What perf record in a virtual machine does not have. */
static bool has_all(const struct record *r)
{
	static const struct record usual = RECORD_DEFAULTS;
	static const char board[] = "a Cortex-M has no kernel: not with --kernel";
	static const char own[] = "--kernel records with the machine's own perf, which writes it";
	static const char scheduler[] = "with --kernel the kernel itself decides which thread runs";
	static const char files[] = "--kernel has Debian's libraries, and its QEMU and unit";
	const struct {
		bool given;
		const char *option, *why;
	} missing[] = {
		{ r->machine, "--machine", board },
		{ r->snapshot, "--snapshot", "--kernel writes a perf.data" },
		{ r->header != usual.header, "--header", own },
		{ r->quantum != usual.quantum, "--quantum", scheduler },
		{ r->migrate, "--migrate", scheduler },
		{ r->root, "--root", files },
		{ r->qemu, "--qemu", files },
		{ r->plugin, "--plugin", files },
	};

	for (size_t i = 0; i < ARRAY_SIZE(missing); i++)
		if (missing[i].given)
			return wrong(missing[i].option, missing[i].why);
	return true;
}

static bool check(const struct record *r, const char *program)
{
	struct record copy = *r;

	if (!has_all(r))
		return false;
	if (!record_check(&copy) || !record_check_program(&copy, program))
		return false;
	return !copy.arm || wrong(program, "--kernel is for programs of AArch64");
}

/**
 * struct words - a command line in the making
 * @word: @n of them; those that were made here are never freed
 */
struct words {
	char **word;
	int n;
};

static void add(struct words *w, const char *word)
{
	w->word[w->n++] = (char *)word;
}

static void add_value(struct words *w, const char *option, const char *value)
{
	if (!value)
		return;
	add(w, option);
	add(w, value);
}

static void add_number(struct words *w, const char *option, const char *format, uint64_t number)
{
	char text[64];

	snprintf(text, sizeof(text), format, number);
	add_value(w, option, strdup(text));
}

static void add_perf(struct words *w, const struct record *r)
{
	if (r->n_env)
		add(w, "env");
	for (size_t i = 0; i < r->n_env; i++)
		add(w, r->env[i]);
	add(w, "perf");
	add(w, "record");
	add(w, "--kcore");
	if (r->quiet)
		add(w, "-q");
	if (r->per_thread)
		add(w, "--per-thread");
	add_number(w, "-m", ",%" PRIu64 "B", r->aux_size);
	add_value(w, "-o", r->output ? r->output : RECORD_OUTPUT);
	add_value(w, "-e", "cs_etm//");
	add(w, "--");
}

/* A name without a folder is that of a file here, for csflow record; perf would look in $PATH. */
static char *with_folder(const char *program)
{
	char *path = malloc(strlen(program) + 3);

	if (path)
		sprintf(path, "%s%s", strchr(program, '/') ? "" : "./", program);
	return path;
}

int record_kernel_words(const struct record *r, char **program, char ***words)
{
	struct words w = { 0 };
	size_t n = 0;

	if (!check(r, program[0]))
		return 0;
	while (program[n])
		n++;
	w.word = calloc(OWN_WORDS + r->n_env + n, sizeof(*w.word));
	if (!w.word)
		return 0;
	add(&w, "vm");
	add_number(&w, "--cpus", "%" PRIu64, r->n_cpu);
	add_value(&w, "--unit", r->unit);
	add_value(&w, "--truth", r->truth);
	add_value(&w, "--output", r->output);
	if (r->quiet)
		add(&w, "-q");
	add(&w, "--");
	add_perf(&w, r);
	add(&w, with_folder(program[0]));
	for (size_t i = 1; i < n; i++)
		add(&w, program[i]);
	*words = w.word;
	return w.n;
}
