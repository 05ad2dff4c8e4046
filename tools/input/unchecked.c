// SPDX-License-Identifier: GPL-2.0-only
#include <ctype.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../perf-plugin/array.h"
#include "../../perf-plugin/jitdump.h"
#include "unchecked.h"
#include "../lib/log.h"

/* The most names in a line. */
#define NAMES_MAX	4

/* The paths that were reported. */
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
static void print_name(const char *name)
{
	for (; *name; name++)
		log_say(LOG_UNCHECKED, "%c", iscntrl((unsigned char)*name) ? '?' : *name);
}

static void tell_names(const struct dso_table *dsos)
{
	const struct kallsyms_problem *problem = &dsos->kallsyms_problem;

	if (dsos->bad_kcore && remember(dsos->bad_kcore)) {
		log_say(LOG_UNCHECKED, "csflow: ");
		print_name(dsos->bad_kcore);
		log_say(LOG_UNCHECKED, ": %s: it is not used\n", dsos->kcore_problem);
	}
	if (dsos->bad_second && remember(dsos->bad_second)) {
		log_say(LOG_UNCHECKED, "csflow: ");
		print_name(dsos->bad_second);
		log_say(LOG_UNCHECKED, ": not the memory of the kernel that was recorded: code that it "
			"changed is not known\n");
	}
	if (!dsos->bad_kallsyms || !remember(dsos->bad_kallsyms))
		return;
	log_say(LOG_UNCHECKED, "csflow: ");
	print_name(dsos->bad_kallsyms);
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
		print_name(dso->path);
		log_say(LOG_UNCHECKED, " (%s)", why(dso));
	}
	if (n > NAMES_MAX)
		log_say(LOG_UNCHECKED, " and %zu others", n - NAMES_MAX);
	if (n)
		log_say(LOG_UNCHECKED, "\n");
	pthread_mutex_unlock(&told.lock);
}
