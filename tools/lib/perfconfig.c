// SPDX-License-Identifier: GPL-2.0-only
#include "log.h"
#include "perfconfig.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "ini.h"

static void choose(const char *path, const struct ini_entry *entry, const char *const words[],
		   int *value)
{
	for (int i = 0; words[i]; i++) {
		if (strcmp(words[i], entry->value))
			continue;
		*value = i;
		return;
	}
	log_say(LOG_USAGE, "csflow: %s:%u: csflow.%s: '%s' is none of:", path, entry->line,
		entry->key, entry->value);
	for (int i = 0; words[i]; i++)
		log_say(LOG_USAGE, " %s", words[i]);
	log_say(LOG_USAGE, "\n");
}

/* The rest of the file, and its errors, are perf's. */
static void look(const char *path, const char *key, const char *const words[], int *value)
{
	struct problems unsaid = { 0 };
	const struct ini_section *section;
	const struct ini_entry *entry = NULL;
	struct ini ini = { 0 };

	if (!ini_read(&ini, path, &unsaid)) {
		section = ini_section(&ini, "csflow");
		entry = section ? ini_entry(section, key) : NULL;
		if (entry)
			choose(path, entry, words, value);
	}
	ini_free(&ini);
	problems_free(&unsaid);
}

void perfconfig_choice(const char *key, const char *const words[], int *value)
{
	const char *only = getenv("PERF_CONFIG"), *home = getenv("HOME");
	char path[PATH_MAX];

	if (only) {
		look(only, key, words, value);
		return;
	}
	look("/etc/perfconfig", key, words, value);
	if (home && snprintf(path, sizeof(path), "%s/.perfconfig", home) < (int)sizeof(path))
		look(path, key, words, value);
}
