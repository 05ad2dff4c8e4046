// SPDX-License-Identifier: GPL-2.0-only
/* csflow vm: runs a command in a virtual machine whose CPUs have trace units. */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd.h"
#include "encoder/encoder.h"
#include "lib/log.h"
#include "lib/options.h"
#include "lib/tool.h"

#define CPUS_MAX	8
#define LIMIT		300	/* seconds */
#define MEMORY_MIN	256	/* MiB, with which the guest starts */
#define SCRIPT		"vm/vm.sh"
#define PLUGIN		"csflow-unit.so"

static const char usage[] =
	"vm [OPTIONS] -- COMMAND [ARGS] | vm [OPTIONS] --script=FILE | vm [OPTIONS] --shell";

static const char *const releases[] = { "6.1", "6.12", "7.2", NULL };

/* The options. */
struct vm {
	uint32_t cpus, limit;
	bool limited;
	const char *kernel, *cache, *script, *dmesg, *memory, *unit, *truth, *ids;
	struct opt_list file, output, replay, parameter;
	bool quiet, shell, vhe, symbols;
};

static int options(struct vm *v, int argc, char **argv)
{
	const struct opt table[] = {
		OPT_STRING('k', "kernel", &v->kernel, "PATH",
			   "a release of Linux: 6.1, 6.12, 7.2; or the folder in which you built one "
			   "(default: 6.12)"),
		OPT_U32('c', "cpus", &v->cpus, "N", "the number of CPUs, 1 to 8 (default: 2)"),
		OPT_STRING('m', "memory", &v->memory, "SIZE",
			   "the memory of the machine, such as 2G (default: 1G)"),
		OPT_FLAG(0, "vhe", &v->vhe, "run the kernel at EL2"),
		OPT_U32_SEEN('t', "timeout", &v->limit, &v->limited, "SECONDS",
			     "end the machine after so long (default: 300; of a shell: never)"),
		OPT_PATHS('f', "file", &v->file, "FILE",
			  "copy this file to the machine, too; may be repeated"),
		OPT_LIST('o', "output", &v->output, "FILE",
			 "copy this file back, too; may be repeated"),
		OPT_PATH('s', "script", &v->script, "FILE",
			 "run this shell script in the machine"),
		OPT_FLAG(0, "shell", &v->shell, "start a shell in the machine, on this terminal"),
		OPT_STRING(0, "buildid-dir", &v->ids, "DIR",
			   "where to put the programs that were recorded (default: "
			   "$PERF_BUILDID_DIR, or ~/.debug)"),
		OPT_FLAG(0, "kernel-symbols", &v->symbols,
			 "put the kernel and its modules there, too, with debug information"),
		OPT_STRING(0, "cache", &v->cache, "DIR",
			   "where to keep what is fetched and built (default: "
			   "$XDG_CACHE_HOME/csflow/vm, or ~/.cache/csflow/vm)"),
		OPT_NEW_FILE(0, "dmesg", &v->dmesg, "FILE", "write what the kernel says to FILE"),
		OPT_FLAG('q', "quiet", &v->quiet, "print nothing but what the command prints"),
		OPT_GROUP("The trace units:"),
		OPT_STRING('u', "unit", &v->unit, "WORDS",
			   "their properties, see csflow-record(1) (default: ete=1.1)"),
		OPT_NEW_FILE(0, "truth", &v->truth, "FILE", "a log of what was really executed"),
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
	log_say(LOG_USAGE, "csflow vm: %s: %s\n", value, what);
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

/* A release, or what the script looks at more closely. */
static bool check_kernel(const char *value)
{
	for (size_t i = 0; releases[i]; i++)
		if (!strcmp(value, releases[i]))
			return true;
	return !access(value, R_OK) ||
	       complain("want 6.1, 6.12, 7.2, or the folder in which a kernel was built", value);
}

/* Such as 512M, 2G. */
static bool check_memory(const char *value)
{
	char *end;
	const unsigned long long n = strtoull(value, &end, 10);
	const bool giga = !strcmp(end, "G");

	if (!isdigit((unsigned char)*value) || (!giga && strcmp(end, "M")) || n > 1 << 20)
		return complain("want a number and M or G", value);
	return (giga ? n << 10 : n) >= MEMORY_MIN ||
	       complain("too little: a machine wants 256M at least", value);
}

static bool check_unit(const struct vm *v)
{
	char problem[ENC_PROBLEM_MAX];
	struct enc_setup setup;
	enum csf_protocol protocol;

	if (v->replay.n && (v->unit || v->truth)) {
		log_say(LOG_USAGE, "csflow vm: --unit and --truth are not for units that play back "
			"trace; see --parameter\n");
		return false;
	}
	if (!v->unit)
		return true;
	if (enc_setup_parse(&setup, v->unit, problem))
		return complain(problem, v->unit);
	protocol = csf_config_protocol(&setup.config);
	return protocol == CSF_PROTOCOL_ETE || protocol == CSF_PROTOCOL_ETM4 ||
	       complain("the units of the machine are ETE or ETMv4", v->unit);
}

/* QEMU takes the terminal. */
static bool check_shell(const struct vm *v)
{
	if (!v->shell || (isatty(STDIN_FILENO) && isatty(STDOUT_FILENO)))
		return true;
	log_say(LOG_USAGE, "csflow vm: --shell wants a terminal; see --script\n");
	return false;
}

static bool check(const struct vm *v)
{
	if (!v->cpus || v->cpus > CPUS_MAX) {
		log_say(LOG_USAGE, "csflow vm: --cpus: want 1 to %d, not %" PRIu32 "\n", CPUS_MAX,
			v->cpus);
		return false;
	}
	for (size_t i = 0; i < v->replay.n; i++)
		if (!check_replay(v, v->replay.value[i]))
			return false;
	for (size_t i = 0; i < v->parameter.n; i++)
		if (!strchr(v->parameter.value[i], '='))
			return complain("want NAME=VALUE", v->parameter.value[i]);
	return check_kernel(v->kernel) && (!v->memory || check_memory(v->memory)) &&
	       check_unit(v) && check_shell(v);
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

/* Where perf keeps programs by build-id.  Return: there is such a place, and it has room. */
static bool find_ids(const struct vm *v, char *path, size_t n)
{
	const char *dir = v->ids ? v->ids : getenv("PERF_BUILDID_DIR"), *home = getenv("HOME");

	if (dir && *dir)
		return snprintf(path, n, "%s", dir) < (int)n;
	return home && *home == '/' && snprintf(path, n, "%s/.debug", home) < (int)n;
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

static void add_flag(struct words *w, const char *option, bool value)
{
	if (value)
		w->word[w->n++] = option;
}

static void add_list(struct words *w, const char *option, const struct opt_list *list)
{
	for (size_t i = 0; i < list->n; i++)
		add(w, option, list->value[i]);
}

/**
 * struct places - files that the script uses
 * @script: itself
 * @plugin: the trace unit, a plugin for QEMU; "": the units play back trace
 * @cache: what is fetched and built
 * @ids: programs by build-id; "": nowhere
 */
struct places {
	char script[PATH_MAX], plugin[PATH_MAX], cache[PATH_MAX], ids[PATH_MAX];
};

/* Do the trace units see what the CPUs do? */
static bool is_live(const struct vm *v)
{
	return !v->replay.n;
}

static bool find(const struct vm *v, struct places *at)
{
	const char *const what = !tool_beside(SCRIPT, at->script, sizeof(at->script)) ? SCRIPT :
		is_live(v) && !tool_beside(PLUGIN, at->plugin, sizeof(at->plugin)) ? PLUGIN :
		NULL;

	if (what) {
		log_say(LOG_TOOL, "csflow vm: %s is not beside csflow, nor in ../lib/csflow\n",
			what);
		return false;
	}
	if (!find_cache(v, at->cache, sizeof(at->cache))) {
		log_say(LOG_TOOL, "csflow vm: the name of the cache is too long\n");
		return false;
	}
	if (!find_ids(v, at->ids, sizeof(at->ids)))
		at->ids[0] = '\0';
	return true;
}

static void fill(struct words *w, const struct vm *v, const struct places *at,
		 char *const *command)
{
	const uint32_t seconds = v->limited ? v->limit : v->shell ? 0 : LIMIT;
	static char cpus[16], limit[16];

	snprintf(cpus, sizeof(cpus), "%" PRIu32, v->cpus);
	snprintf(limit, sizeof(limit), "%" PRIu32, seconds);
	add(w, "bash", at->script);
	add(w, "-k", v->kernel);
	add(w, "-c", cpus);
	add(w, "-m", v->memory ? v->memory : "1G");
	add(w, "-t", limit);
	add(w, "-C", at->cache);
	add(w, "-b", *at->ids ? at->ids : NULL);
	add(w, "-s", v->script);
	add(w, "-d", v->dmesg);
	add(w, "-P", *at->plugin ? at->plugin : NULL);
	add(w, "-u", v->unit);
	add(w, "-T", v->truth);
	add_list(w, "-f", &v->file);
	add_list(w, "-o", &v->output);
	add_list(w, "-r", &v->replay);
	add_list(w, "-p", &v->parameter);
	add_flag(w, "-K", v->symbols);
	add_flag(w, "-S", v->shell);
	add_flag(w, "-V", v->vhe);
	add_flag(w, "-q", v->quiet);
	w->word[w->n++] = "--";
	while (*command)
		w->word[w->n++] = *command++;
	w->word[w->n] = NULL;
}

/* Becomes the script.  Returns only if that cannot be. */
static int run(const struct vm *v, int n_command, char *const *command)
{
	const size_t max = 40 + n_command + 2 * (v->file.n + v->output.n + v->replay.n +
						 v->parameter.n);
	static struct places at;
	struct words w = { 0 };

	if (!find(v, &at))
		return CMD_FAILED;
	w.word = calloc(max, sizeof(*w.word));
	if (w.word) {
		fill(&w, v, &at, command);
		execvp("bash", (char *const *)w.word);
	}
	log_say(LOG_FILE, "csflow vm: bash: %s\n", strerror(errno));
	free(w.word);
	return CMD_FAILED;
}

int cmd_vm(int argc, char **argv)
{
	struct vm v = { .kernel = "6.12", .cpus = 2 };
	int n = options(&v, argc, argv), status = CMD_USAGE;

	argv[n + 1] = NULL;
	if (!n && !v.script && !v.shell)
		options_wrong("vm", usage, "give a command");
	else if (!!n + !!v.script + v.shell > 1)
		options_wrong("vm", usage, "give a command, a script or --shell, one of them");
	else if (check(&v))
		status = run(&v, n, argv + 1);
	free(v.file.value);
	free(v.output.value);
	free(v.replay.value);
	free(v.parameter.value);
	return status;
}
