// SPDX-License-Identifier: GPL-2.0-only
/*
 * csflow pgo: runs a program, and makes the profile that makes it faster.  It does the work of
 * csflow record, or perf record, then csflow profile, then a tool that checks the profile.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../perf-plugin/new-file.h"
#include "cmd.h"
#include "lib/log.h"
#include "lib/options.h"
#include "pgo/pgo.h"
#include "record/record.h"
#include "lib/tool.h"

static const char usage[] = "pgo [OPTIONS] -- PROGRAM [ARGS]";

/* Exists if the machine has trace units, and a driver for them. */
#define PMU	"/sys/bus/event_source/devices/cs_etm"

static const char *const names[] = {
	[PGO_CLANG] = "clang", [PGO_GCC] = "gcc", [PGO_BOLT] = "bolt",
	[PGO_PROPELLER] = "propeller", NULL
};

/* The end of the default file name. */
static const char *const endings[] = {
	[PGO_CLANG] = "prof", [PGO_GCC] = "afdo", [PGO_BOLT] = "fdata",
	[PGO_PROPELLER] = "propeller",
};

static const char *const formats[] = {
	[PGO_CLANG] = "--for=extbinary", [PGO_GCC] = "--for=gcov", [PGO_BOLT] = "--for=fdata",
	[PGO_PROPELLER] = "--for=propeller",
};

enum with { WITH_ANY, WITH_PERF, WITH_UNIT };
static const char *const withs[] = { "any", "perf", "unit", NULL };

/**
 * struct words - the command's options
 * @program: with its arguments
 * @keep: the recording; NULL: it is removed
 * @with: enum with
 * @ask: ask servers for debug files
 * @progress: show that of the profile
 * @folder: for temporary files
 */
struct words {
	char **program;
	const char *keep, *root;
	uint32_t n_threads;
	int with;
	bool ask, progress;
	char *folder;
};

static int failed(const char *what, const char *why)
{
	log_say(LOG_FILE, "csflow: %s: %s\n", what, why);
	return CMD_FAILED;
}

/* ---------------------------------------------------------------- a folder for temporary files */

static int make_folder(struct words *w, const char *out)
{
	if (asprintf(&w->folder, "%s.XXXXXX", out) < 0) {
		w->folder = NULL;
		return failed(out, "naming a folder: no memory");
	}
	if (mkdtemp(w->folder)) {
		new_file_passing(w->folder);
		return CMD_OK;
	}
	free(w->folder);
	w->folder = NULL;
	return failed(out, strerror(errno));
}

/* Recordings have further files beside them, with code that was made at run time. */
static void remove_folder(struct words *w)
{
	DIR *dir = w->folder ? opendir(w->folder) : NULL;
	struct dirent *entry;

	while (dir && (entry = readdir(dir)))
		unlinkat(dirfd(dir), entry->d_name, 0);
	if (dir)
		closedir(dir);
	if (w->folder)
		rmdir(w->folder);
	free(w->folder);
	w->folder = NULL;
}

/* Passes the folder to the code that removes it, however the command ends. */
static void pass_folder(const struct words *w)
{
	DIR *dir = opendir(w->folder);
	struct dirent *entry;
	char path[PATH_MAX];

	while (dir && (entry = readdir(dir)))
		if (*entry->d_name != '.' && snprintf(path, sizeof(path), "%s/%s", w->folder,
						      entry->d_name) < (int)sizeof(path))
			new_file_passing(path);
	if (dir)
		closedir(dir);
}

/* For the caller to free. */
static char *inside(const struct words *w, const char *name)
{
	char *path = NULL;

	return asprintf(&path, "%s/%s", w->folder, name) < 0 ? NULL : path;
}

/* ---------------------------------------------------------------- recording */

/* Reports how the program ended, because it may matter for the training. */
static void say_how(const struct words *w, int code)
{
	if (code)
		log_say(LOG_PROGRAM, "csflow: %s ended with status %d\n", w->program[0], code);
}

static int record_with_unit(const struct words *w, const char *recording)
{
	struct record r = RECORD_DEFAULTS;
	int how = 0;

	r.output = recording;
	r.root = w->root;
	r.quiet = true;
	log_say(LOG_NOTE, "csflow: %s runs on an emulator, which takes longer\n",
		w->program[0]);
	if (!record_check(&r))
		return CMD_FAILED;
	/* A recording up to a full disk, or up to ^C, makes a profile, too. */
	if (record_program(&r, w->program, &how) && !r.kept)
		return r.stop.signal ? 128 + r.stop.signal : CMD_FAILED;
	if (!r.kept && r.stop.signal)
		return 128 + r.stop.signal;
	say_how(w, WIFEXITED(how) ? WEXITSTATUS(how) : 128 + WTERMSIG(how));
	return CMD_OK;
}

static int record_with_perf(const struct words *w, const char *recording)
{
	char perf[PATH_MAX];
	const char **argv;
	size_t n = 0;
	int code;

	if (!tool_find("perf", perf, sizeof(perf)))
		return failed("pgo", "there is no perf: Debian has it in package linux-perf");
	while (w->program[n])
		n++;
	argv = calloc(n + 8, sizeof(*argv));
	if (!argv)
		return failed(w->program[0], "recording it: no memory");
	memcpy(argv, (const char *[]){ perf, "record", "-e", "cs_etm//u", "-o", recording, "--" },
	       7 * sizeof(*argv));
	memcpy(argv + 7, w->program, n * sizeof(*argv));
	code = tool_run(argv, NULL);
	free(argv);
	if (code < 0)
		return failed(perf, strerror(-code));
	if (access(recording, R_OK))
		return failed(perf, "it left no recording");
	say_how(w, code);
	return CMD_OK;
}

static int record(const struct words *w, const char *recording)
{
	if (w->with == WITH_PERF || (w->with == WITH_ANY && !access(PMU, F_OK)))
		return record_with_perf(w, recording);
	return record_with_unit(w, recording);
}

/* ---------------------------------------------------------------- the profile */

/* Runs csflow profile with these options. */
static int profile(const struct pgo *p, const struct words *w, const char *format,
		   const char *out, const char *recording)
{
	char *binary = NULL, *threads = NULL;
	char name[] = "profile", output[] = "-o", servers[] = "--debuginfod";
	char silent[] = "--no-progress";
	char *argv[11] = { name };
	int n = 1, status = CMD_FAILED;

	if (asprintf(&binary, "--binary=%s", p->binary) < 0)
		binary = NULL;
	if (asprintf(&threads, "--threads=%u", options_threads(w->n_threads)) < 0)
		threads = NULL;
	if (binary && threads) {
		argv[n++] = (char *)format;
		argv[n++] = binary;
		argv[n++] = threads;
		if (w->ask)
			argv[n++] = servers;
		if (!w->progress)
			argv[n++] = silent;
		argv[n++] = output;
		argv[n++] = (char *)out;
		argv[n++] = (char *)recording;
		status = cmd_profile(n, argv);
	} else {
		failed(recording, "making the profile: no memory");
	}
	free(binary);
	free(threads);
	return status;
}

/* Uses names that are valid in any folder. */
static void tell(const struct pgo *p)
{
	char binary[PATH_MAX], out[PATH_MAX];
	struct pgo as = *p;

	if (realpath(p->binary, binary))
		as.binary = binary;
	if (realpath(p->out, out))
		as.out = out;
	pgo_tell(&as);
}

static int make(const struct pgo *p, struct words *w)
{
	const char *recording = w->keep;
	char *temporary = NULL;
	int status;

	if (make_folder(w, p->out))
		return CMD_FAILED;
	if (!recording) {
		temporary = inside(w, "perf.data");
		recording = temporary;
	}
	if (temporary)
		new_file_passing(temporary);
	if (!recording)
		status = failed(w->folder, "naming a recording: no memory");
	else
		status = record(w, recording);
	pass_folder(w);
	if (!status)
		status = profile(p, w, formats[p->whom], p->out, recording);
	if (!status)
		status = pgo_check(p);
	if (!status)
		tell(p);
	free(temporary);
	remove_folder(w);
	return status;
}

/* The traced program keeps its environment, but servers are asked only on request. */
static bool look(struct pgo *p, bool ask)
{
	const char *urls = getenv("DEBUGINFOD_URLS");
	char *kept = urls ? strdup(urls) : NULL;
	bool good;

	if (!ask)
		unsetenv("DEBUGINFOD_URLS");
	good = pgo_look(p);
	if (kept)
		setenv("DEBUGINFOD_URLS", kept, 1);
	free(kept);
	return good;
}

/* Fills in the names that the user left out. */
static int with_names(struct pgo *p, struct words *w)
{
	char *out = NULL;
	int status;

	if (!p->binary)
		p->binary = w->program[0];
	if (!p->out && asprintf(&out, "%s.%s", basename(p->binary), endings[p->whom]) < 0)
		return failed(p->binary, "naming its profile: no memory");
	if (!p->out)
		p->out = out;
	status = look(p, w->ask) ? make(p, w) : CMD_FAILED;
	free(out);
	return status;
}

int cmd_pgo(int argc, char **argv)
{
	struct words w = { .progress = true };
	struct pgo p = { 0 };
	int whom = PGO_CLANG;
	const struct opt table[] = {
		OPT_CHOICE(0, "for", &whom, names, "WHOM",
			   "the tool that takes the profile"),
		OPT_STRING(0, "binary", &p.binary, "FILE",
			   "the file to make faster, such as a library (default: PROGRAM)"),
		OPT_NEW_FILE('o', "output", &p.out, "FILE",
			     "the profile (default: the binary's name, and an ending)"),
		OPT_NEW_FILE(0, "keep", &w.keep, "FILE", "keep the recording in FILE"),
		OPT_CHOICE(0, "with", &w.with, withs, "WHAT",
			   "how to record; any: with perf if there are trace units"),
		OPT_STRING('L', "root", &w.root, "DIR",
			   "where the program's libraries are (default: $QEMU_LD_PREFIX, or "
			   "Debian's)"),
		OPT_PROGRESS(&w.progress),
		OPT_THREADS(&w.n_threads),
		OPT_FLAG(0, "debuginfod", &w.ask,
			 "ask the servers of $DEBUGINFOD_URLS for missing files"),
		OPT_END
	};
	const char *urls = getenv("DEBUGINFOD_URLS");
	int n = options_parse(argc, argv, table, usage);

	argv[n + 1] = NULL;
	if (w.ask && (!urls || !*urls)) {
		log_say(LOG_USAGE, "csflow pgo: --debuginfod: DEBUGINFOD_URLS names no server\n");
		return CMD_USAGE;
	}
	if (!n)
		return options_wrong("pgo", usage, "give a program");
	p.whom = whom;
	w.program = argv + 1;
	return with_names(&p, &w);
}
