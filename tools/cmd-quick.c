// SPDX-License-Identifier: GPL-2.0-only
/* csflow quick: addresses and atoms, without code: hot places, and atom runs for later profiles. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../perf-plugin/hold.h"
#include "cmd.h"
#include "lib/failed.h"
#include "lib/log.h"
#include "lib/operands.h"
#include "lib/terminal.h"
#include "quick/quick-print.h"

static const char usage[] = "quick [OPTIONS] [PERF.DATA|SNAPSHOT|LOG|ATOM-RUNS]...";

/* The memory of an atom run: itself, its places in the hash, and both again while sorting. */
#define BYTES	(2 * (sizeof(struct atom_run) + 4 * sizeof(uint32_t)))

#define MEM_DEFAULT	1024
#define MEM_MAX		(1u << 20)
#define LIMIT_DEFAULT	30

/* @save: write atom runs to @out, and no table */
static int work(struct quick_print *print, struct quick_load *load, bool save, const char *out,
		const struct operands *files)
{
	const char *what = "adding up atom runs";
	size_t bad = 0;
	int err;

	for (size_t i = 0; i < files->n; i++)
		bad += !!quick_load(load, files->path[i]);
	/* a damaged recording still gives some atom runs */
	if (bad == files->n && !load->quick->n)
		return CMD_FAILED;
	err = quick_settle(load->quick);
	if (!err)
		quick_print_sum(load->quick);
	if (!err && save) {
		bad += !!quick_save(load->quick, out);
	} else if (!err) {
		what = "listing atom runs";
		err = quick_print(print);
	}
	if (err)
		failed_while(files->path, files->n, what, err);
	return bad || err || load->quick->full ? CMD_FAILED : CMD_OK;
}

int cmd_quick(int argc, char **argv)
{
	uint64_t mib = MEM_DEFAULT;
	struct quick quick = { 0 };
	struct quick_load load = { .quick = &quick, .progress = true };
	struct quick_print print = { .load = &load, .limit = LIMIT_DEFAULT };
	struct operands files = { .otherwise = "perf.data" };
	const char *out = NULL;
	bool save = false;
	const struct opt table[] = {
		OPT_INPUT(&files.inputs),
		OPT_OUTPUT_SEEN('o', "output", &out, &save, "FILE",
				"write atom runs for csflow profile and quick, and no table"),
		OPT_U64(0, "limit", &print.limit, "N", "lines of each table, 0: all (default: 30)"),
		OPT_U64(0, "mem", &mib, "MIB",
			"memory for atom runs; further ones are lost (default: 1024)"),
		OPT_PROGRESS(&load.progress),
		OPT_GROUP("Finding files for names of functions:"),
		OPT_SNAPSHOT(&load.snapshot),
		OPT_FILES(&print.dso),
		OPT_NO_CPUS("atom runs have no CPUs; csflow profile has it"),
		OPT_NO_THREADS("atom runs have no threads; csflow profile has it"),
		OPT_NO_TIME("atom runs have no times; csflow profile has it"),
		OPT_NO_CODE("atom runs have no files; csflow profile has it"),
		OPT_END
	};
	int n = options_parse(argc, argv, table, usage), status = CMD_USAGE;

	if (!mib || mib > MEM_MAX) {
		log_say(LOG_USAGE, "csflow: --mem: 1 to %u MiB\n", MEM_MAX);
	} else if (!save || terminal_takes_binary(out)) {
		quick.max = (mib << 20) / BYTES;
		if (mib < MEM_DEFAULT)
			hold_limit(0);
		status = operands_take(&files, n, argv, usage);
		if (!status)
			status = work(&print, &load, save, out, &files);
	}
	operands_free(&files);
	for (size_t i = 0; i < load.n_thread; i++)
		free(load.thread[i].comm);
	free(load.thread);
	free(load.snapshot.elf.value);
	quick_fini(&quick);
	return status;
}
