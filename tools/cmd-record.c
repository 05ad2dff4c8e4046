// SPDX-License-Identifier: GPL-2.0-only
/* csflow record: runs a program on an emulated processor with a trace unit. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cmd.h"
#include "options.h"
#include "record.h"

static const char usage[] = "record [OPTIONS] -- PROGRAM [ARGS]";

/* What perf record -e cs_etm// turns on, and a timestamp every so often. */
#define UNIT_DEFAULT	"ete=1.1,rs,cid,ts=4096"
#define N_CPU_MAX	64
#define AUX_SIZE_MIN	4096

static void options(struct record *r, int argc, char **argv, struct opt_list *env, int *n)
{
	const struct opt table[] = {
		OPT_STRING('o', "output", &r->output, "FILE", "the recording; perf.data"),
		OPT_STRING(0, "truth", &r->truth, "FILE", "a log of what really was executed"),
		OPT_STRING('u', "unit", &r->unit, "WORDS",
			   "the trace unit; " UNIT_DEFAULT),
		OPT_U32(0, "cpus", &r->n_cpu, "N", "processors; 2"),
		OPT_FLAG(0, "per-thread", &r->per_thread, "a buffer for each thread, not each CPU"),
		OPT_FLAG(0, "raw", &r->raw, "as TRBE writes it: no frames, a sink for each CPU"),
		OPT_U64('m', "aux-size", &r->aux_size, "BYTES", "size of a buffer; 4 MiB"),
		OPT_U32(0, "header", &r->header, "VERSION", "of the metadata, 0 to 2; 2"),
		OPT_U64(0, "quantum", &r->quantum, "N",
			"instructions after which others may run; 100000"),
		OPT_U64(0, "migrate", &r->migrate, "N", "another CPU every Nth time"),
		OPT_STRING('L', "root", &r->root, "DIR", "where the program's libraries are"),
		OPT_LIST('E', "env", env, "VAR=VALUE", "for the program's environment"),
		OPT_STRING(0, "qemu", &r->qemu, "FILE", "the emulator"),
		OPT_STRING(0, "plugin", &r->plugin, "FILE", "the trace unit's csflow-unit.so"),
		OPT_FLAG('q', "quiet", &r->quiet, "say nothing if all is well"),
		OPT_END
	};

	*n = options_parse(argc, argv, table, usage);
	r->env = env->value;
	r->n_env = env->n;
}

static bool wrong(const char *what)
{
	fprintf(stderr, "csflow: record: %s\n", what);
	return false;
}

static bool check(struct record *r)
{
	char problem[ENC_PROBLEM_MAX] = "";

	if (strlen(r->unit) >= PORT_WORDS_MAX)
		return wrong("--unit is too long");
	if (enc_setup_parse(&r->setup, r->unit, problem))
		return wrong(problem);
	if (!r->n_cpu || r->n_cpu > N_CPU_MAX)
		return wrong("--cpus wants 1 to 64");
	if (r->header > 2)
		return wrong("--header wants 0, 1 or 2");
	if (!r->header && csf_config_version(&r->setup.config) >= 0x50)
		return wrong("--header=0 is older than ETE: it wants --unit=etm4=...");
	if (r->aux_size < AUX_SIZE_MIN)
		return wrong("--aux-size wants 4096 or more");
	if (!r->quantum)
		return wrong("--quantum wants 1 or more");
	return true;
}

static int open_files(struct record *r)
{
	struct recorder_setup setup = {
		.config = r->setup.config, .n_cpu = r->n_cpu, .version = r->header,
		.per_thread = r->per_thread, .framed = !r->raw, .aux_size = r->aux_size,
		.first_id = PORT_ID(0),
	};
	int err = recorder_new(&r->recorder, r->output, &setup);

	if (err) {
		fprintf(stderr, "csflow: %s: %s\n", r->output, strerror(-err));
		return err;
	}
	if (!r->truth)
		return 0;
	r->truth_fd = open(r->truth, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	if (r->truth_fd >= 0)
		return 0;
	err = -errno;
	fprintf(stderr, "csflow: %s: %s\n", r->truth, strerror(-err));
	recorder_finish(r->recorder);
	return err;
}

static void say_result(const struct record *r, uint64_t bytes)
{
	if (r->quiet)
		return;
	if (r->ended)
		fprintf(stderr, "csflow: %s: %" PRIu64 " instructions, %" PRIu64
			" bytes of trace\n", r->output, r->stats.insns, bytes);
	fprintf(stderr, "csflow: this is emulation: timestamps count instructions, not time\n");
}

/* Return: the recording is complete. */
static bool report(struct record *r, int run, int file)
{
	int code = record_code_finish(r);

	if (run)
		fprintf(stderr, "csflow: the trace unit: %s\n", strerror(-run));
	if (!r->begun)
		fprintf(stderr, "csflow: the emulator did not load the trace unit: QEMU 7.2 "
			"can, newer ones of Debian cannot\n");
	if (file)
		fprintf(stderr, "csflow: %s: %s: what was recorded until then is in it\n",
			r->output, strerror(-file));
	if (code)
		fprintf(stderr, "csflow: code made at run time: %s\n", strerror(-code));
	if (r->truth_error)
		fprintf(stderr, "csflow: %s: %s: what was logged until then is in it\n",
			r->truth, strerror(r->truth_error));
	if (r->begun && !r->ended && !file)
		fprintf(stderr, "csflow: the program did not end by itself: the last few "
			"thousand instructions may be missing\n");
	if (r->stats.unknown)
		fprintf(stderr, "csflow: %" PRIu64 " times the program went where nothing "
			"explains: the trace has gaps there\n", r->stats.unknown);
	return !run && r->begun && !file && !code && !r->truth_error && !r->stats.unknown;
}

static int run(struct record *r, char **program)
{
	char emulator[PATH_MAX], plugin[PATH_MAX];
	int status = 0, err, file;
	uint64_t bytes;
	bool complete;

	if (!record_check_program(r, program[0]))
		return CMD_FAILED;
	if (!record_find_emulator(r, emulator, sizeof(emulator))) {
		fprintf(stderr, "csflow: there is no %s: Debian 12 has it in package qemu-user\n",
			r->qemu ? r->qemu : r->arm ? "qemu-arm" : "qemu-aarch64");
		return CMD_FAILED;
	}
	if (!record_find_plugin(r, plugin, sizeof(plugin))) {
		fprintf(stderr, "csflow: the trace unit csflow-unit.so is not beside csflow, "
			"see --plugin\n");
		return CMD_FAILED;
	}
	if (open_files(r))
		return CMD_FAILED;
	err = record_run(r, emulator, plugin, program, &status);
	bytes = recorder_bytes(r->recorder);
	file = recorder_finish(r->recorder);
	complete = report(r, err, file);
	if (complete)
		say_result(r, bytes);
	if (!complete)
		return CMD_FAILED;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int cmd_record(int argc, char **argv)
{
	struct record r = { .output = "perf.data", .unit = UNIT_DEFAULT, .n_cpu = 2, .header = 2,
			    .quantum = 100000, .aux_size = 4 << 20, .truth_fd = -1 };
	struct opt_list env = { 0 };
	int n, status = CMD_USAGE;

	options(&r, argc, argv, &env, &n);
	argv[n + 1] = NULL;
	if (!n)
		wrong("which program? csflow record [OPTIONS] -- PROGRAM [ARGS]");
	else if (check(&r))
		status = run(&r, argv + 1);
	if (r.truth_fd >= 0)
		close(r.truth_fd);
	free(env.value);
	return status;
}
