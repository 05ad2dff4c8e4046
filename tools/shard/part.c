// SPDX-License-Identifier: GPL-2.0-only
#define _GNU_SOURCE	/* asprintf() */
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "../count/count-file.h"
#include "../lib/file.h"
#include "../lib/fnv.h"
#include "../lib/log.h"
#include "../lib/status.h"
#include "../merge/count-input.h"
#include "../merge/merge.h"
#include "part.h"

#define SUFFIX	".counts"

static void put(uint8_t bytes[8], uint64_t v)
{
	for (int i = 0; i < 8; i++)
		bytes[i] = v >> 8 * i;
}

static uint64_t hash_of(const struct plan *plan, uint32_t k, const void *bytes, size_t n)
{
	uint8_t head[16];

	put(head, plan->hash);
	put(head + 8, k);
	return fnv_hash(fnv_hash(FNV_START, head, sizeof(head)), bytes, n);
}

static void print_name(char name[PART_NAME_MAX], uint64_t plan, uint32_t k, uint64_t hash)
{
	snprintf(name, PART_NAME_MAX, "%016" PRIx64 "-%" PRIu32 "-%016" PRIx64 SUFFIX, plan, k,
		 hash);
}

void part_name(const struct plan *plan, uint32_t k, const void *bytes, size_t n,
	       char name[PART_NAME_MAX])
{
	print_name(name, plan->hash, k, hash_of(plan, k, bytes, n));
}

/* ---------------------------------------------------------------- finding */

/**
 * struct finder - a search of parts
 * @path: of the file that is looked at; the name is at the end
 * @input: reads it
 * @why: it is no part: room for the reason
 */
struct finder {
	struct parts *parts;
	const struct plan *plan;
	uint32_t only;
	enum part_look look;
	const char *path;
	struct count_input input;
	char why[160];
};

static void tell(const struct finder *f, const char *why)
{
	if (f->look == PART_TELL)
		log_say(LOG_INPUT, "csflow: %s: %s: not counted\n", f->path, why);
}

/* Is it a name of a part?  Then sets what the name says. */
static bool read_name(const char *name, uint64_t *plan, uint32_t *k, uint64_t *hash)
{
	char again[PART_NAME_MAX];

	if (sscanf(name, "%16" SCNx64 "-%9" SCNu32 "-%16" SCNx64, plan, k, hash) != 3)
		return false;
	print_name(again, *plan, *k, *hash);
	return !strcmp(name, again);
}

/* Return: NULL: it is part @k; or why not. */
static const char *check(struct finder *f, uint32_t k, uint64_t hash)
{
	struct packed_problem problem;
	const char *why = NULL;
	struct file file;
	int err = file_map(&file, f->path);
	uint64_t ran;

	if (err)
		return file_words(f->path, err);
	if (hash_of(f->plan, k, file.data, file.n) != hash)
		why = "damaged, incomplete or renamed: its name has another hash";
	else if (!count_file_is(file.data, file.n))
		why = "it is not a count table";
	else
		err = count_input_check(&f->input, file.data, file.n, &ran, &problem);
	file_unmap(&file);
	if (!err)
		return why;
	if (err != -EBADMSG)
		return file_words(f->path, err);
	snprintf(f->why, sizeof(f->why), "offset 0x%zx: %s", problem.offset, problem.why);
	return f->why;
}

static int keep(const struct finder *f, uint32_t k)
{
	char **path = &f->parts->path[k - 1];

	if (*path) {
		tell(f, !strcmp(strrchr(*path, '/'), strrchr(f->path, '/')) ?
		     "the same part is there twice" :
		     "the same part is there twice, with other counts");
		return 0;
	}
	*path = strdup(f->path);
	f->parts->n_there += !!*path;
	return *path ? 0 : -ENOMEM;
}

static int look_at(struct finder *f, const char *name)
{
	const size_t n = strlen(name), n_suffix = strlen(SUFFIX);
	const char *why = NULL;
	uint64_t plan, hash;
	uint32_t k;

	if (n < n_suffix || strcmp(name + n - n_suffix, SUFFIX))
		return 0;
	if (!read_name(name, &plan, &k, &hash)) {
		tell(f, "not a part: it has not the name of one");
		return 0;
	}
	if (f->only && f->only != k)
		return 0;
	if (plan != f->plan->hash)
		why = "a part of another plan";
	else if (!k || k > f->parts->n)
		why = "the plan has no part of this number";
	else if (f->look != PART_NAMES)
		why = check(f, k, hash);
	if (!why)
		return keep(f, k);
	tell(f, why);
	return 0;
}

static int look_in(struct finder *f, const char *folder)
{
	struct dirent **entry;
	/* in order, so that what is said is always the same */
	int n = scandir(folder, &entry, NULL, alphasort), err = 0;

	if (n < 0 && errno == ENOENT)
		return CMD_OK;
	if (n < 0) {
		log_say(LOG_FILE, "csflow: %s: %s\n", folder, strerror(errno));
		return CMD_FAILED;
	}
	for (int i = 0; i < n; i++) {
		char *path = NULL;

		if (!err && asprintf(&path, "%s/%s", folder, entry[i]->d_name) < 0)
			err = -ENOMEM;
		if (!err) {
			f->path = path;
			err = look_at(f, entry[i]->d_name);
			free(path);
		}
		free(entry[i]);
	}
	free(entry);
	if (err)
		log_say(LOG_MEMORY, "csflow: %s: no memory\n", folder);
	return err ? CMD_FAILED : CMD_OK;
}

int parts_find(struct parts *parts, const struct plan *plan, const struct opt_list *folders,
	       uint32_t only, enum part_look look)
{
	struct finder f = { .parts = parts, .plan = plan, .only = only, .look = look };
	int status = CMD_OK;

	*parts = (struct parts){ .n = plan->n_part };
	parts->path = calloc(parts->n, sizeof(*parts->path));
	if (!parts->path) {
		log_say(LOG_MEMORY, "csflow shard: no memory\n");
		return CMD_FAILED;
	}
	for (size_t i = 0; i < folders->n && !status; i++)
		status = look_in(&f, folders->value[i]);
	count_input_fini(&f.input);
	return status;
}

void parts_fini(struct parts *parts)
{
	for (size_t i = 0; parts->path && i < parts->n; i++)
		free(parts->path[i]);
	free(parts->path);
	*parts = (struct parts){ 0 };
}

char *parts_missing(const struct parts *parts, size_t before, size_t n)
{
	char *const *const path = parts->path + before;
	char *text = NULL;
	size_t size, end;
	FILE *f = open_memstream(&text, &size);

	if (!f)
		return NULL;
	for (size_t k = 0; k < n; k = end + 1) {
		for (end = k; end < n && !path[end];)
			end++;
		if (end == k)
			continue;
		fprintf(f, "%s%zu", ftell(f) ? "," : "", k + 1);
		if (end > k + 1)
			fprintf(f, "-%zu", end);
	}
	if (fclose(f)) {
		free(text);
		return NULL;
	}
	return text;
}

/* ---------------------------------------------------------------- joining */

/* With a weight, so that no name is taken for a list.  Return: 0 or -ENOMEM. */
static int add_operand(char **operand, size_t *n, const char *path)
{
	if (asprintf(&operand[*n], "1:%s", path) < 0)
		return -ENOMEM;
	++*n;
	return 0;
}

int parts_join(const struct parts *parts, const char *out, uint32_t n_threads)
{
	char **operand = calloc(parts->n_there + 1, sizeof(*operand));
	struct merge_options options = { .operand = operand, .command = "shard join",
					 .n_threads = n_threads, .whole = true };
	int err = operand ? 0 : -ENOMEM, status = CMD_FAILED;

	for (size_t k = 0; k < parts->n && !err; k++)
		if (parts->path[k])
			err = add_operand(operand, &options.n_operand, parts->path[k]);
	if (err)
		log_say(LOG_MEMORY, "csflow shard: no memory\n");
	else
		status = merge(&options, out);
	for (size_t i = 0; i < options.n_operand; i++)
		free(operand[i]);
	free(operand);
	return status;
}
