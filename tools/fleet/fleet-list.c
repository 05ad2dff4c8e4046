// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../../perf-plugin/array.h"
#include "../lib/file.h"
#include "../lib/log.h"
#include "../lib/spool.h"
#include "../lib/status.h"
#include "fleet.h"

const char *const fleet_by_names[] = { "version", "week", "machine", NULL };

static int no_memory(const char *path)
{
	log_say(LOG_MEMORY, "csflow: %s: %s\n", path, strerror(ENOMEM));
	return CMD_FAILED;
}

int fleet_add(struct fleet *f, const char *path)
{
	if (!array_room(&f->member, f->n, &f->size, sizeof(*f->member)))
		return no_memory(path);
	f->member[f->n] = (struct fleet_member){ .path = strdup(path) };
	if (!f->member[f->n].path)
		return no_memory(path);
	f->n++;
	return CMD_OK;
}

/* The next word of a line: up to a tab, or between blanks; NULL: there is none. */
static char *next_word(char **rest, bool tabs)
{
	char *word = *rest + (tabs ? 0 : strspn(*rest, " "));

	if (!*word)
		return NULL;
	*rest = word + strcspn(word, tabs ? "\t" : " ");
	if (**rest)
		*(*rest)++ = 0;
	return word;
}

static int take_line(struct fleet *f, char *line)
{
	const bool tabs = strchr(line, '\t');
	char *rest = line + strspn(line, " \t"), *word;

	line[strcspn(line, "\r")] = 0;
	word = next_word(&rest, tabs);
	if (!word || *word == '#')
		return CMD_OK;
	if (fleet_add(f, word))
		return CMD_FAILED;
	for (int i = 0; i < FLEET_BY_NR && (word = next_word(&rest, tabs)); i++) {
		if (!*word || !strcmp(word, "-"))
			continue;
		f->member[f->n - 1].label[i] = strdup(word);
		if (!f->member[f->n - 1].label[i])
			return no_memory(line);
	}
	return CMD_OK;
}

int fleet_list(struct fleet *f, const char *path)
{
	struct spool spool = { .n_head = 0 };
	struct file file = { .n = 0 };
	const int err = spool_map(&spool, &file, path);
	int status = CMD_OK;
	char *text, *rest;

	if (err) {
		log_say(LOG_FILE, "csflow: %s: %s\n", path, file_words(path, err));
		spool_end(&spool);
		return CMD_FAILED;
	}
	text = strndup((const char *)file.data, file.n);
	rest = text;
	if (text && strlen(text) < file.n) {
		log_say(LOG_SYNTAX, "csflow: %s: offset 0x%zx: a zero byte: this is not a list\n",
			path, strlen(text));
		status = CMD_FAILED;
	}
	while (!status && rest) {
		char *line = strsep(&rest, "\n");

		status = take_line(f, line);
	}
	free(text);
	file_unmap(&file);
	spool_end(&spool);
	return text ? status : no_memory(path);
}
