// SPDX-License-Identifier: GPL-2.0-only
/* Makes a part: decodes its pieces, and writes their counts. */
#define _GNU_SOURCE	/* asprintf() */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "../../perf-plugin/new-file.h"
#include "../count/count-file.h"
#include "../lib/file.h"
#include "../lib/log.h"
#include "../lib/memory.h"
#include "../lib/status.h"
#include "part.h"
#include "plan-make.h"

static int failed(const char *path, int err)
{
	log_say(LOG_FILE, "csflow: %s: %s\n", path, file_words(path, err));
	return CMD_FAILED;
}

/* Sets *@there if part @k is in @folder and whole. */
static int find(const struct plan *plan, uint32_t k, const char *folder, bool *there)
{
	const struct opt_list folders = { .value = &folder, .n = 1 };
	struct parts parts;
	int status = parts_find(&parts, plan, &folders, k, PART_WHOLE);

	*there = !status && parts.path[k - 1];
	parts_fini(&parts);
	return status;
}

/* Pieces of an input are next to each other. */
static int check_inputs(const struct plan *plan, const struct plan_part *part)
{
	int status = CMD_OK;

	for (size_t i = part->first; i < part->first + part->n; i++)
		if (i == part->first || plan->piece[i].input != plan->piece[i - 1].input)
			if (plan_check_input(&plan->input[plan->piece[i].input]))
				status = CMD_FAILED;
	return status;
}

/* Adds the counts of a piece; only the first piece of a recording counts as a recording. */
static int add_piece(struct count_table *table, const struct plan *plan,
		     const struct plan_piece *piece, struct count_load_options options)
{
	const char *path = plan->input[piece->input].path;
	struct selection part = { .spans = { .n = 1, .from = piece->from, .until = piece->until,
					     .span[0] = { piece->from, piece->until } } };
	struct count_table one = { 0 };
	int status, err;

	if (piece->from || piece->until != UINT64_MAX)
		options.part = &part;
	status = count_load(&one, path, 1, &options);
	if (piece->from) {
		one.stat[COUNT_RECORDINGS] = 0;
		one.stat[COUNT_DAMAGED] = 0;
	}
	err = count_table_merge(table, &one, 1);
	if (!err)
		err = count_table_settle(table);
	count_table_fini(&one);
	return err ? failed(path, err) : status ? CMD_POOR : CMD_OK;
}

/* The name has the hash of the bytes, so these are made first. */
static int save(const struct plan *plan, uint32_t k, const char *folder,
		const struct count_table *table)
{
	char name[PART_NAME_MAX], *bytes = NULL, *path = NULL;
	size_t n = 0;
	FILE *f = open_memstream(&bytes, &n);
	int err = f ? count_file_write(table, f) : -ENOMEM;

	if (f && fclose(f) && !err)
		err = -ENOMEM;
	if (err) {
		free(bytes);
		return failed(folder, err);
	}
	part_name(plan, k, bytes, n, name);
	if (asprintf(&path, "%s/%s", folder, name) < 0) {
		free(bytes);
		return failed(folder, -ENOMEM);
	}
	f = new_file(path);
	err = f ? new_file_close(f, fwrite(bytes, 1, n, f) == n ? 0 : -errno) : -errno;
	if (err)
		failed(path, err);
	free(path);
	free(bytes);
	return err ? CMD_FAILED : CMD_OK;
}

static int make(const struct plan *plan, uint32_t k, const char *folder,
		const struct count_load_options *options)
{
	const struct plan_part *part = &plan->part[k - 1];
	struct count_table table = { 0 };
	int status = CMD_OK, one;

	for (size_t i = part->first; i < part->first + part->n && status != CMD_FAILED; i++) {
		one = add_piece(&table, plan, &plan->piece[i], *options);
		if (one)
			status = one;
	}
	/* counts that ended for lack of memory are not those that another machine would find */
	if (memory_exceeded())
		status = CMD_FAILED;
	if (status != CMD_FAILED && count_table_full(&table)) {
		log_say(LOG_FILE, "csflow: %s: its counts are too large to be added up\n", folder);
		status = CMD_FAILED;
	}
	if (status != CMD_FAILED && save(plan, k, folder, &table))
		status = CMD_FAILED;
	count_table_fini(&table);
	return status;
}

int part_make(const struct plan *plan, uint32_t k, const char *folder,
	      const struct count_load_options *options)
{
	bool there;

	if (mkdir(folder, 0777) && errno != EEXIST)
		return failed(folder, -errno);
	if (find(plan, k, folder, &there))
		return CMD_FAILED;
	if (there) {
		log_say(LOG_NOTE, "csflow: part %" PRIu32 " is there already\n", k);
		return CMD_OK;
	}
	if (check_inputs(plan, &plan->part[k - 1]))
		return CMD_FAILED;
	return make(plan, k, folder, options);
}
