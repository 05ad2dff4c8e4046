// SPDX-License-Identifier: GPL-2.0-only
/* csflow vm: runs a command in a virtual machine whose CPUs have trace units. */
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd.h"
#include "lib/options.h"
#include "lib/tool.h"

#define CPUS_MAX	8
#define SCRIPT		"vm/vm.sh"

static const char usage[] =
	"vm [OPTIONS] -- COMMAND [ARGS] | vm [OPTIONS] --script=FILE";

static const char *const releases[] = { "6.1", "6.12", "7.2", NULL };

/* What the options say. */
struct vm {
	int release;
	uint32_t cpus, limit;
	const char *cache, *script, *dmesg;
	struct opt_list file, replay, parameter;
	bool quiet;
};

static int options(struct vm *v, int argc, char **argv)
{
	const struct opt table[] = {
		OPT_CHOICE('k', "kernel", &v->release, releases, "RELEASE", "the release of Linux"),
		OPT_U32('c', "cpus", &v->cpus, "N", "the number of CPUs, 1 to 8 (default: 2)"),
		OPT_U32('t', "timeout", &v->limit, "SECONDS",
			"end the machine after so long (default: 300)"),
		OPT_PATHS('f', "file", &v->file, "FILE",
			  "copy this file to the machine, too; may be repeated"),
		OPT_PATH('s', "script", &v->script, "FILE",
			 "run this shell script in the machine"),
		OPT_STRING(0, "cache", &v->cache, "DIR",
			   "where to keep what is fetched and built (default: "
			   "$XDG_CACHE_HOME/csflow/vm, or ~/.cache/csflow/vm)"),
		OPT_NEW_FILE(0, "dmesg", &v->dmesg, "FILE", "write what the kernel says to FILE"),
		OPT_FLAG('q', "quiet", &v->quiet, "print nothing but what the command prints"),
		OPT_GROUP("The trace units:"),
		OPT_LIST('r', "replay", &v->replay, "TRACE:CPU",
			 "play back the bytes of an ETE or ETMv4 on that CPU; may be repeated"),
		OPT_LIST('p', "parameter", &v->parameter, "NAME=VALUE",
			 "set a parameter of the trace units; may be repeated"),
		OPT_END
	};

	return options_parse(argc, argv, table, usage);
}

static bool complain(const char *what, const char *value)
{
	fprintf(stderr, "csflow vm: %s: %s\n", value, what);
	return false;
}

/* TRACE:CPU */
static bool check_replay(const struct vm *v, const char *value)
{
	const char *colon = strrchr(value, ':');
	char path[PATH_MAX];
	uint64_t cpu;

	if (!colon || !options_number(colon + 1, &cpu))
		return complain("want TRACE:CPU", value);
	if (cpu >= v->cpus)
		return complain("the machine has no such CPU; see --cpus", value);
	if (snprintf(path, sizeof(path), "%.*s", (int)(colon - value), value) >=
	    (int)sizeof(path))
		return complain(strerror(ENAMETOOLONG), value);
	return !access(path, R_OK) || complain(strerror(errno), path);
}

static bool check(const struct vm *v)
{
	if (!v->cpus || v->cpus > CPUS_MAX) {
		fprintf(stderr, "csflow vm: --cpus: want 1 to %d, not %" PRIu32 "\n", CPUS_MAX,
			v->cpus);
		return false;
	}
	for (size_t i = 0; i < v->replay.n; i++)
		if (!check_replay(v, v->replay.value[i]))
			return false;
	for (size_t i = 0; i < v->parameter.n; i++)
		if (!strchr(v->parameter.value[i], '='))
			return complain("want NAME=VALUE", v->parameter.value[i]);
	return true;
}

/* Where the packages are kept, by the rules of the XDG base directories.  Return: it has room. */
static bool find_cache(const struct vm *v, char *path, size_t n)
{
	const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");

	if (v->cache)
		return snprintf(path, n, "%s", v->cache) < (int)n;
	if (cache && *cache == '/')
		return snprintf(path, n, "%s/csflow/vm", cache) < (int)n;
	return snprintf(path, n, "%s/.cache/csflow/vm", home ? home : "") < (int)n;
}

/* The words of a command line in the making. */
struct words {
	const char **word;
	size_t n;
};

static void add(struct words *w, const char *option, const char *value)
{
	if (!value)
		return;
	w->word[w->n++] = option;
	w->word[w->n++] = value;
}

static void add_list(struct words *w, const char *option, const struct opt_list *list)
{
	for (size_t i = 0; i < list->n; i++)
		add(w, option, list->value[i]);
}

static void fill(struct words *w, const struct vm *v, const char *script, const char *cache,
		 char *const *command)
{
	static char cpus[16], limit[16];

	snprintf(cpus, sizeof(cpus), "%" PRIu32, v->cpus);
	snprintf(limit, sizeof(limit), "%" PRIu32, v->limit);
	add(w, "bash", script);
	add(w, "-k", releases[v->release]);
	add(w, "-c", cpus);
	add(w, "-t", limit);
	add(w, "-C", cache);
	add(w, "-s", v->script);
	add(w, "-d", v->dmesg);
	add_list(w, "-f", &v->file);
	add_list(w, "-r", &v->replay);
	add_list(w, "-p", &v->parameter);
	if (v->quiet)
		w->word[w->n++] = "-q";
	w->word[w->n++] = "--";
	while (*command)
		w->word[w->n++] = *command++;
	w->word[w->n] = NULL;
}

/* Becomes the script.  Returns only if that cannot be. */
static int run(const struct vm *v, int n_command, char *const *command)
{
	const size_t max = 24 + n_command + 2 * (v->file.n + v->replay.n + v->parameter.n);
	char script[PATH_MAX], cache[PATH_MAX];
	struct words w = { 0 };

	if (!tool_beside(SCRIPT, script, sizeof(script))) {
		fprintf(stderr, "csflow vm: " SCRIPT " is not beside csflow, nor in "
			"../lib/csflow\n");
		return CMD_FAILED;
	}
	if (!find_cache(v, cache, sizeof(cache))) {
		fprintf(stderr, "csflow vm: the name of the cache is too long\n");
		return CMD_FAILED;
	}
	w.word = calloc(max, sizeof(*w.word));
	if (w.word) {
		fill(&w, v, script, cache, command);
		execvp("bash", (char *const *)w.word);
	}
	fprintf(stderr, "csflow vm: bash: %s\n", strerror(errno));
	free(w.word);
	return CMD_FAILED;
}

int cmd_vm(int argc, char **argv)
{
	struct vm v = { .release = 1, .cpus = 2, .limit = 300 };
	int n = options(&v, argc, argv), status = CMD_USAGE;

	argv[n + 1] = NULL;
	if (!n && !v.script)
		options_wrong("vm", usage, "give a command");
	else if (n && v.script)
		options_wrong("vm", usage, "give a command or a script, not both");
	else if (check(&v))
		status = run(&v, n, argv + 1);
	free(v.file.value);
	free(v.replay.value);
	free(v.parameter.value);
	return status;
}
