// SPDX-License-Identifier: GPL-2.0-only
/* asprintf() */
#define _GNU_SOURCE
#include <ctype.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../perf-plugin/array.h"
#include "../../perf-plugin/jitdump.h"
#include "unchecked.h"
#include "../lib/build-id.h"
#include "../lib/log.h"

/* The most names in a line, or lines with a name. */
#define NAMES_MAX	4

/* Reported: paths; or a recording, a name and a build-id. */
static struct told {
	pthread_mutex_t lock;
	char **path;
	size_t n, size;
} told = { .lock = PTHREAD_MUTEX_INITIALIZER };

/* Return: it is new. */
static bool remember(const char *path)
{
	for (size_t i = 0; i < told.n; i++)
		if (!strcmp(told.path[i], path))
			return false;
	if (!array_room(&told.path, told.n, &told.size, sizeof(*told.path)))
		return true;
	told.path[told.n] = strdup(path);
	told.n += !!told.path[told.n];
	return true;
}

static const char *why(const struct dso *dso)
{
	if (!dso->n_build_id)
		return "no build-id was recorded";
	return dso->elf->n_build_id ? "its build-id differs, but it was requested" :
	       "it has no build-id";
}

/* Names from a recording go to a terminal. */
static void print_name(enum log_code code, const char *name)
{
	for (; *name; name++)
		log_say(code, "%c", iscntrl((unsigned char)*name) ? '?' : *name);
}

static void tell_names(const struct dso_table *dsos)
{
	const struct kallsyms_problem *problem = &dsos->kallsyms_problem;

	if (dsos->bad_kcore && remember(dsos->bad_kcore)) {
		log_say(LOG_UNCHECKED, "csflow: ");
		print_name(LOG_UNCHECKED, dsos->bad_kcore);
		log_say(LOG_UNCHECKED, ": %s: it is not used\n", dsos->kcore_problem);
	}
	if (dsos->bad_second && remember(dsos->bad_second)) {
		log_say(LOG_UNCHECKED, "csflow: ");
		print_name(LOG_UNCHECKED, dsos->bad_second);
		log_say(LOG_UNCHECKED, ": not the memory of the kernel that was recorded: code that it "
			"changed is not known\n");
	}
	if (!dsos->bad_kallsyms || !remember(dsos->bad_kallsyms))
		return;
	log_say(LOG_UNCHECKED, "csflow: ");
	print_name(LOG_UNCHECKED, dsos->bad_kallsyms);
	if (problem->line)
		log_say(LOG_UNCHECKED, ":%zu", problem->line);
	log_say(LOG_UNCHECKED, ": %s: names of the kernel's functions are not taken from it\n",
		problem->why);
}

void unchecked_tell(const struct dso_table *dsos)
{
	uint32_t pid;
	size_t n = 0;

	pthread_mutex_lock(&told.lock);
	tell_names(dsos);
	for (size_t i = 1; i <= dsos->n; i++) {
		const struct dso *dso = dsos->dso[i];

		if (dso->state != DSO_UNCHECKED || !dso->elf || !dso->path ||
		    jitdump_name(dso->path, &pid) || !remember(dso->path))
			continue;
		if (++n > NAMES_MAX)
			continue;
		log_say(LOG_UNCHECKED, n == 1 ? "csflow: not checked: " : ", ");
		print_name(LOG_UNCHECKED, dso->path);
		log_say(LOG_UNCHECKED, " (%s)", why(dso));
	}
	if (n > NAMES_MAX)
		log_say(LOG_UNCHECKED, " and %zu others", n - NAMES_MAX);
	if (n)
		log_say(LOG_UNCHECKED, "\n");
	pthread_mutex_unlock(&told.lock);
}

/* ---------------------------------------------------------------- missing */

/* The options that say where the file is. */
static const char *way(const struct dso *dso)
{
	return dso->kind == DSO_KERNEL ? "name its vmlinux with -k" :
	       "name a folder that has it with --symfs or --buildid-dir";
}

/* Code that the kernel gives to programs, or that is made at run time, is in no file. */
static bool is_file(const struct dso *dso)
{
	return dso->kind == DSO_KERNEL || dso->kind == DSO_MODULE ||
	       (dso->kind == DSO_FILE && *dso->name != '[');
}

/* Return: it was not said before. */
static bool say(const char *recording, const struct dso *dso)
{
	const struct build_id id = build_id_name(dso->build_id, dso->n_build_id);
	char *key = NULL;
	bool new;

	if (asprintf(&key, "%s %s %s", recording ?: "", dso->name, id.text) < 0)
		return false;
	new = remember(key);
	free(key);
	if (!new)
		return false;
	if (recording)
		log_say(LOG_ROUGH, "csflow: %s: ", recording);
	else
		log_say(LOG_ROUGH, "csflow: ");
	print_name(LOG_ROUGH, dso->name);
	log_say(LOG_ROUGH, ", build-id %s: %s", id.text, dso_state_name(dso->state));
	if (dso->path) {
		log_say(LOG_ROUGH, " (");
		print_name(LOG_ROUGH, dso->path);
		log_say(LOG_ROUGH, ")");
	}
	log_say(LOG_ROUGH, ": what ran in it is not known; %s\n", way(dso));
	return true;
}

void missing_say(const char *recording, const struct dso *dso)
{
	pthread_mutex_lock(&told.lock);
	say(recording, dso);
	pthread_mutex_unlock(&told.lock);
}

void missing_tell(const char *recording, const struct dso_table *dsos)
{
	size_t n = 0;

	pthread_mutex_lock(&told.lock);
	for (size_t i = 1; i <= dsos->n; i++) {
		const struct dso *dso = dsos->dso[i];

		if (!dso->wanted || dso->elf || !is_file(dso))
			continue;
		if (n >= NAMES_MAX || say(recording, dso))
			n++;
	}
	if (n > NAMES_MAX)
		log_say(LOG_ROUGH, "csflow: %s: %zu more files are not here; csflow doctor lists them\n",
			recording, n - NAMES_MAX);
	pthread_mutex_unlock(&told.lock);
}
