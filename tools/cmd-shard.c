// SPDX-License-Identifier: GPL-2.0-only
/* csflow shard: many recordings, decoded in parts on many machines. */
#define _GNU_SOURCE	/* asprintf() */
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../perf-plugin/new-file.h"
#include "cmd.h"
#include "lib/file.h"
#include "lib/log.h"
#include "lib/options.h"
#include "lib/terminal.h"
#include "shard/engine.h"
#include "shard/part.h"
#include "shard/plan-make.h"
#include "shard/task.h"

static const char usage[] =
	"shard plan [OPTIONS] LIST | shard run [OPTIONS] PLAN [PART] | shard join [OPTIONS] PLAN | "
	"shard submit [OPTIONS] PLAN";

/**
 * struct words - the command's options and operands
 * @operand: after the verb, @n of them
 * @folder: of parts
 */
struct words {
	const char *out;
	uint32_t parts, jobs, retries;
	struct opt_list binary, folder;
	struct dso_options dso;
	bool partial, dry, progress;
	int engine;
	char **operand;
	int n;
	struct plan plan;
};

static int wrong(const char *what)
{
	return options_wrong("shard", usage, what);
}

static int failed(const char *path, int err)
{
	log_say(LOG_FILE, "csflow: %s: %s\n", path ? path : "standard output",
		file_words(path, err));
	return CMD_FAILED;
}

/* ---------------------------------------------------------------- plan */

/* A program is looked for on other machines, too, so its path has to be absolute. */
static int add_option(struct words *w, enum plan_word word, const char *path)
{
	char *full = path ? realpath(path, NULL) : NULL;
	int err = !path ? 0 : full ? plan_add_option(&w->plan, word, full) : -errno;

	free(full);
	return err ? failed(path, err) : CMD_OK;
}

static int add_options(struct words *w)
{
	int status = CMD_OK;

	for (size_t i = 0; i < w->binary.n && !status; i++)
		status = add_option(w, PLAN_BINARY, w->binary.value[i]);
	if (!status)
		status = add_option(w, PLAN_SYMFS, w->dso.symfs);
	if (!status)
		status = add_option(w, PLAN_VMLINUX, w->dso.vmlinux);
	if (!status)
		status = add_option(w, PLAN_BUILDID_DIR, w->dso.debug_dir);
	return status;
}

static int plan(struct words *w)
{
	const char *list = w->n ? w->operand[0] : NULL;
	int status, err;
	FILE *f;

	if (w->n != 1)
		return wrong("plan wants one file with the paths of the inputs, or -");
	if (!w->parts || w->parts > PLAN_PARTS_MAX)
		return wrong("--parts wants a number from 1 to 1000000");
	status = add_options(w);
	if (!status)
		status = plan_make(&w->plan, strcmp(list, "-") ? list : NULL, w->parts);
	if (status)
		return status;
	f = new_file(w->out);
	if (!f)
		return failed(w->out, -errno);
	err = new_file_close(f, plan_write(&w->plan, f));
	return err ? failed(w->out, err) : CMD_OK;
}

/* ---------------------------------------------------------------- run */

/* The files that the plan names.  @given: room for all of them */
static void take_options(const struct plan *plan, const char **given, struct dso_options *dso)
{
	dso->given = given;
	for (size_t i = 0; i < plan->n_option; i++) {
		const char *path = plan->option[i].path;

		switch (plan->option[i].word) {
		case PLAN_BINARY:
			given[dso->n_given++] = path;
			break;
		case PLAN_SYMFS:
			dso->symfs = path;
			break;
		case PLAN_VMLINUX:
			dso->vmlinux = path;
			break;
		case PLAN_BUILDID_DIR:
			dso->debug_dir = path;
			break;
		case PLAN_WORDS:
			break;
		}
	}
}

static int run(struct words *w)
{
	struct count_load_options options = { .replay = { .marks = CSF_MARK_TIME } };
	const char *folder = w->out ? w->out : w->folder.value[0];
	const char **given;
	uint32_t k;
	int status;

	if (w->n > 2)
		return wrong("give the plan and one part");
	if (w->folder.n > 1)
		return wrong("give one folder for the part");
	status = task_part(w->n > 1 ? w->operand[1] : NULL, w->plan.n_part, &k);
	if (status)
		return status;
	given = calloc(w->plan.n_option + 1, sizeof(*given));
	if (!given)
		return failed("shard", -ENOMEM);
	take_options(&w->plan, given, &options.replay.dso);
	status = part_make(&w->plan, k, folder, &options);
	free(given);
	return status;
}

/* ---------------------------------------------------------------- join */

static int say_missing(const struct words *w, const struct parts *parts)
{
	char *missing = parts_missing(parts, 0, parts->n);

	if (!missing)
		return failed("shard", -ENOMEM);
	if (*missing)
		log_say(LOG_EMPTY, "csflow: %s: %zu of %zu parts are missing: %s\n", w->operand[0],
			parts->n - parts->n_there, parts->n, missing);
	free(missing);
	return CMD_OK;
}

static int join(struct words *w)
{
	struct parts parts;
	int status;

	if (w->n != 1)
		return wrong("give one plan");
	if (!terminal_takes_binary(w->out))
		return CMD_USAGE;
	status = parts_find(&parts, &w->plan, &w->folder, 0, PART_TELL);
	if (!status)
		status = say_missing(w, &parts);
	if (!status && parts.n_there < parts.n)
		status = w->partial && parts.n_there ? CMD_POOR : CMD_FAILED;
	if ((!status || status == CMD_POOR) && parts_join(&parts, w->out, options_threads(0)))
		status = CMD_FAILED;
	parts_fini(&parts);
	return status;
}

/* ---------------------------------------------------------------- submit */

/* The path of a file that may not be there yet, from the root, which the caller frees. */
static char *from_root(const char *path)
{
	char here[PATH_MAX], *full = NULL;

	if (*path == '/')
		return strdup(path);
	if (!getcwd(here, sizeof(here)) || asprintf(&full, "%s/%s", here, path) < 0)
		return NULL;
	return full;
}

static int submit(struct words *w)
{
	char *path, *folder, *out = NULL;
	int status = CMD_FAILED;

	if (w->n != 1)
		return wrong("give one plan");
	if (w->folder.n > 1)
		return wrong("give one folder for the parts");
	path = realpath(w->operand[0], NULL);
	folder = from_root(w->folder.value[0]);
	if (w->out)
		out = from_root(w->out);
	else if (path && asprintf(&out, "%s.counts", path) < 0)
		out = NULL;
	if (path && folder && out)
		status = engine_run(&(struct engine_job){
			.engine = w->engine, .plan = &w->plan, .path = path, .folder = folder,
			.out = out, .jobs = options_threads(w->jobs), .retries = w->retries,
			.dry = w->dry, .progress = w->progress });
	else
		failed(w->operand[0], -errno);
	free(path);
	free(folder);
	free(out);
	return status;
}

/* ---------------------------------------------------------------- all */

static const struct verb {
	const char *name;
	int (*main)(struct words *w);
} verbs[] = { { "plan", plan }, { "run", run }, { "join", join }, { "submit", submit } };

/* The folder beside the plan, unless one is given.  @made: for the caller to free */
static int settle_folder(struct words *w, char **made)
{
	if (w->folder.n)
		return CMD_OK;
	w->folder.value = calloc(1, sizeof(*w->folder.value));
	if (!w->folder.value || asprintf(made, "%s.parts", w->operand[0]) < 0) {
		*made = NULL;
		return failed("shard", -ENOMEM);
	}
	w->folder.value[w->folder.n++] = *made;
	return CMD_OK;
}

static int work(struct words *w, const struct verb *verb)
{
	char *folder = NULL;
	int status;

	if (verb->main == plan)
		return plan(w);
	if (!w->n)
		return wrong("give the plan");
	status = plan_read(&w->plan, w->operand[0]);
	if (!status)
		status = settle_folder(w, &folder);
	if (!status)
		status = verb->main(w);
	free(folder);
	return status;
}

int cmd_shard(int argc, char **argv)
{
	struct words w = { .parts = 64, .retries = 3, .progress = true };
	const struct verb *verb = NULL;
	const struct opt table[] = {
		OPT_OUTPUT('o', "output", &w.out, "FILE",
			   "where plan and join write, or submit the joined counts, else to "
			   "PLAN.counts; run: the folder of the part (default: standard output)"),
		OPT_GROUP("csflow shard plan:"),
		OPT_U32('n', "parts", &w.parts, "N", "divide into N parts (default: 64)"),
		OPT_BINARY(&w.binary),
		OPT_PATH(0, "symfs", &w.dso.symfs, "DIR", "look for files below DIR"),
		OPT_PATH('k', "vmlinux", &w.dso.vmlinux, "FILE", "the kernel that was traced"),
		OPT_BUILDID_DIR(&w.dso),
		OPT_GROUP("csflow shard run, join and submit:"),
		OPT_LIST('d', "dir", &w.folder, "DIR",
			 "the folder of the parts; join: may be repeated (default: PLAN.parts)"),
		OPT_FLAG(0, "partial", &w.partial, "join what is there, if parts are missing"),
		OPT_GROUP("csflow shard submit:"),
		OPT_CHOICE(0, "engine", &w.engine, engine_names, "ENGINE",
			   "where to make the parts"),
		OPT_U32('j', "jobs", &w.jobs, "N",
			"processes at a time, local and parallel (default: all processors)"),
		OPT_U32(0, "retries", &w.retries, "N",
			"how often to make parts again that failed (default: 3)"),
		OPT_FLAG(0, "dry-run", &w.dry, "print the commands and run none"),
		OPT_PROGRESS(&w.progress),
		OPT_GROUP("All of them:"),
		OPT_MEMORY,
		OPT_END
	};
	const int n = options_parse(argc, argv, table, usage);
	int status;

	for (size_t i = 0; n && i < sizeof(verbs) / sizeof(*verbs); i++)
		if (!strcmp(argv[1], verbs[i].name))
			verb = &verbs[i];
	w.operand = argv + 2;
	w.n = n - 1;
	status = verb ? work(&w, verb) : wrong("give plan, run, join or submit");
	plan_fini(&w.plan);
	free(w.binary.value);
	free(w.folder.value);
	return status;
}
