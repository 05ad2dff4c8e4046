// SPDX-License-Identifier: GPL-2.0-only
/* csflow snapshot: an Arm snapshot of a recording, or of its parts. */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd.h"
#include "input/recording.h"
#include "lib/failed.h"
#include "lib/file.h"
#include "lib/log.h"
#include "lib/operands.h"
#include "lib/spool.h"
#include "snapshot/shot-make.h"

static const char usage[] =
	"snapshot [OPTIONS] [PERF.DATA] | snapshot [OPTIONS] --raw=UNIT... FILE...";

/**
 * struct job - options, and the snapshot
 * @pids: list as in --pid, or NULL
 * @progress: show it
 */
struct job {
	struct shot shot;
	struct shot_perf perf;
	struct shot_parts parts;
	struct opt_list raw, code, reg;
	struct spool spool;
	const char *output, *pids;
	bool quiet, progress;
};

static int fail(const char *name, const char *why)
{
	log_say(LOG_FILE, "csflow snapshot: %s: %s\n", name, why);
	return CMD_FAILED;
}

static void tell(struct job *j)
{
	problems_print(&j->shot.problems, "csflow snapshot: ");
	problems_free(&j->shot.problems);
}

static int write_it(struct job *j)
{
	const struct shot *s = &j->shot;
	char *failed = NULL;
	uint64_t bytes = 0;
	int err = shot_write(s, j->output, j->progress, &failed), status = CMD_OK;

	if (err)
		status = fail(failed ?: j->output, file_words(failed ?: j->output, err));
	free(failed);
	for (size_t i = 0; i < s->n_dump; i++)
		bytes += s->dump[i].n;
	if (!err && !j->quiet)
		log_say(LOG_NOTE, "csflow: %s: %zu trace units, %zu trace buffers, %llu bytes of memory\n",
			j->output, s->n_unit, s->n_buffer, (unsigned long long)bytes);
	return status;
}

/* What was read becomes a snapshot, unless it cannot be one. */
static int finish(struct job *j, const char *name, int err)
{
	const bool told = j->shot.problems.errors;

	tell(j);
	if (err)
		return told ? CMD_FAILED : fail(name, file_words(name, err));
	if (!j->shot.n_buffer)
		return fail(name, "it holds no trace; see 'csflow doctor'");
	if (!j->shot.n_unit)
		return fail(name, "none of its trace units is known");
	return write_it(j);
}

static int from_perf(struct job *j, const char *name, const char *path)
{
	struct perf_file *file = NULL;
	struct problems problems = { 0 };
	bool damaged = false;
	int err = perf_file_open(&file, path), status;

	j->perf.path = name;
	if (!err)
		err = shot_make_perf(&j->shot, &j->perf, file);
	if (!err)
		err = shot_make_code(&j->shot, &j->parts);
	if (file) {
		problems_warn_perf(&problems, name, file, false);
		problems_print(&problems, "csflow snapshot: ");
		problems_free(&problems);
		damaged = file->problems.damage;
	}
	j->shot.description = "of a perf.data";
	status = finish(j, name, err == -ENODATA ? 0 : err);
	perf_file_close(file);
	return damaged && status == CMD_OK ? CMD_FAILED : status;
}

static int from_parts(struct job *j, const struct operands *files)
{
	j->parts.path = files->path;
	j->parts.n_path = files->n;
	return finish(j, files->path[0], shot_make_parts(&j->shot, &j->parts));
}

/* A snapshot, by its name, or a folder that has one. */
static bool is_snapshot(const char *path)
{
	char ini[PATH_MAX];
	struct stat st;

	if (!snapshot_perf_is(path))
		return false;
	snprintf(ini, sizeof(ini), "%s/snapshot.ini", path);
	return stat(path, &st) || !S_ISDIR(st.st_mode) || !access(ini, F_OK);
}

static int from_file(struct job *j, const char *path)
{
	const char *other;
	struct file file;
	int err, status;

	if (file_is_pipe(path))
		return fail(path, FILE_PIPE);
	if (!strcmp(path, "-")) {
		err = spool_begin(&j->spool, STDIN_FILENO);
		if (!err)
			err = spool_all(&j->spool);
		if (err)
			status = fail("-", strerror(-err));
		else if (spool_is_perf(&j->spool))
			status = from_perf(j, "-", j->spool.path);
		else
			status = fail("-", "not a perf.data");
		spool_end(&j->spool);
		return status;
	}
	if (spool_perf_at(path))
		return from_perf(j, path, path);
	if (is_snapshot(path))
		return fail(path, "it is a snapshot already");
	other = recording_no_trace(path, false);
	if (other)
		return fail(path, other);
	if (recording_no_trace(path, true))
		return fail(path, "it is a log of execution: encode --format=snapshot makes a snapshot of it");
	err = file_map(&file, path);
	if (err)
		return fail(path, file_words(path, err));
	file_unmap(&file);
	return fail(path, "neither a perf.data, nor described by --raw=UNIT");
}

static int run(struct job *j, const struct operands *files)
{
	struct perf_cpus *pid = NULL;
	int status;

	if (j->pids && !recording_ranges(j->pids, &pid, &j->perf.n_pid)) {
		log_say(LOG_USAGE, "csflow snapshot: --pid: want numbers and ranges: %s\n",
			j->pids);
		return CMD_USAGE;
	}
	j->perf.pid = pid;
	j->parts.core = j->perf.core;
	j->parts.raw = &j->raw;
	j->parts.code = &j->code;
	j->parts.reg = &j->reg;
	if (j->raw.n)
		status = from_parts(j, files);
	else if (files->n == 1)
		status = from_file(j, files->path[0]);
	else
		status = options_wrong("snapshot", usage, "one perf.data, or --raw=UNIT for files");
	shot_free(&j->shot);
	shot_parts_close(&j->parts);
	free(pid);
	return status;
}

int cmd_snapshot(int argc, char **argv)
{
	struct job *j = calloc(1, sizeof(*j));
	struct operands files = { .least = 1, .otherwise = "perf.data" };
	int n, status;

	if (!j)
		return failed_at_once("snapshot");
	const struct opt table[] = {
		OPT_NEW_FILE('o', "output", &j->output, "DIR",
			     "the folder of the snapshot (default: snapshot)"),
		OPT_FLAG('q', "quiet", &j->quiet, "do not say what was written"),
		OPT_GROUP("A snapshot of files:"),
		OPT_LIST(0, "raw", &j->raw, "UNIT",
			 "a trace unit, such as protocol=ptm,etmcr=0x1000; may be repeated"),
		OPT_GROUP("Both:"),
		OPT_LIST(0, "code", &j->code, "FILE[@ADDR[:SPACE]]",
			 "the bytes of FILE were at ADDR; no ADDR: an ELF file; may be repeated"),
		OPT_LIST(0, "reg", &j->reg, "NAME=VALUE",
			 "a register of the processors; may be repeated"),
		OPT_STRING(0, "core", &j->perf.core, "TYPE",
			   "the type of the processors, such as Cortex-A53"),
		OPT_GROUP("A snapshot of a perf.data:"),
		OPT_INPUT(&files.inputs),
		OPT_STRING(0, "pid", &j->pids, "LIST",
			   "only the code of these processes, and of the kernel"),
		OPT_FILES_GROUP,
		OPT_FILES(&j->perf.dso),
		OPT_GROUP("Speed and memory:"),
		OPT_MEMORY,
		OPT_PROGRESS(&j->progress),
		OPT_NO_CPUS("a snapshot has all CPUs; csflow script has it"),
		OPT_REFUSED(0, "tid", "a snapshot has whole processes: --pid"),
		OPT_REFUSED(0, "comms", "a snapshot has whole processes: --pid"),
		OPT_REFUSED(0, "exclude-comm", "a snapshot has whole processes: --pid"),
		OPT_NO_TIME("a snapshot has all of the trace; csflow script has it"),
		OPT_NO_CODE("a snapshot has all code; csflow script has it"),
		OPT_END
	};

	j->output = "snapshot";
	j->progress = true;
	n = options_parse(argc, argv, table, usage);
	status = operands_take(&files, n, argv, usage);
	if (!status)
		status = run(j, &files);
	operands_free(&files);
	free(j->raw.value);
	free(j->code.value);
	free(j->reg.value);
	free(j);
	return status;
}
