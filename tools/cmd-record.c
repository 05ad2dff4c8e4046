// SPDX-License-Identifier: GPL-2.0-only
/* csflow record: runs a program on an emulated processor with a trace unit. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cmd.h"
#include "lib/options.h"
#include "record/record.h"

static const char usage[] =
	"record [OPTIONS] -- PROGRAM [ARGS] | record --kernel [OPTIONS] -- PROGRAM [ARGS] | "
	"record --machine=NAME [OPTIONS] -- IMAGE [ARGS]";

static void options(struct record *r, int argc, char **argv, struct opt_list *env, bool *kernel,
		    int *n)
{
	const struct opt table[] = {
		OPT_NEW_FILE('o', "output", &r->output, "FILE",
			     "the recording (default: perf.data, or snapshot)"),
		OPT_NEW_FILE(0, "truth", &r->truth, "FILE", "a log of what was really executed"),
		OPT_FLAG('q', "quiet", &r->quiet, "print nothing if all is well"),
		OPT_GROUP("The trace:"),
		OPT_STRING('u', "unit", &r->unit, "WORDS",
			   "the trace unit, see csflow-record(1) (default: " RECORD_UNIT ")"),
		OPT_FLAG(0, "snapshot", &r->snapshot, "write a snapshot, not a perf.data"),
		OPT_FLAG(0, "per-thread", &r->per_thread,
			 "make a buffer for each thread, not each CPU"),
		OPT_FLAG(0, "raw", &r->raw,
			 "write no frames, and a sink for each CPU, as with TRBE"),
		OPT_U64('m', "aux-size", &r->aux_size, "BYTES",
			"the size of a buffer (default: 4 MiB)"),
		OPT_U32(0, "header", &r->header, "VERSION",
			"the version of the metadata, 0 to 2 (default: 2)"),
		OPT_GROUP("The virtual machine:"),
		OPT_FLAG(0, "kernel", kernel,
			 "record the kernel, too, by perf record in csflow vm"),
		OPT_STRING(0, "machine", &r->machine, "NAME",
			   "a machine with a Cortex-M, and write a snapshot"),
		OPT_U32(0, "cpus", &r->n_cpu, "N", "the number of processors (default: 2)"),
		OPT_U64(0, "quantum", &r->quantum, "N",
			"instructions after which other threads may run (default: 100000)"),
		OPT_U64(0, "migrate", &r->migrate, "N", "give a thread another CPU every Nth time"),
		OPT_STRING('L', "root", &r->root, "DIR",
			   "where the program's libraries are (default: $QEMU_LD_PREFIX, or "
			   "Debian's)"),
		OPT_LIST('E', "env", env, "VAR=VALUE",
			 "set a variable of the program's environment; may be repeated"),
		OPT_STRING(0, "qemu", &r->qemu, "FILE",
			   "the emulator (default: qemu-aarch64 or qemu-arm)"),
		OPT_STRING(0, "plugin", &r->plugin, "FILE",
			   "the trace unit (default: csflow-unit.so beside csflow)"),
		OPT_END
	};

	*n = options_parse(argc, argv, table, usage);
	r->env = env->value;
	r->n_env = env->n;
}

/* Becomes csflow vm. */
static int record_kernel(const struct record *r, char **program)
{
	char **words;
	const int n = record_kernel_words(r, program, &words);

	return n ? cmd_vm(n, words) : CMD_USAGE;
}

int cmd_record(int argc, char **argv)
{
	struct record r = RECORD_DEFAULTS;
	struct opt_list env = { 0 };
	bool kernel = false;
	int n, status = CMD_USAGE, how = 0;

	options(&r, argc, argv, &env, &kernel, &n);
	argv[n + 1] = NULL;
	if (!n)
		options_wrong("record", usage, "give a program");
	else if (kernel)
		return record_kernel(&r, argv + 1);
	else if (record_check(&r))
		status = record_program(&r, argv + 1, &how);
	/* The program's own status, as without a recording. */
	if (r.stop.signal)
		status = 128 + r.stop.signal;
	else if (status == CMD_OK)
		status = WIFEXITED(how) ? WEXITSTATUS(how) : 128 + WTERMSIG(how);
	if (r.truth_fd >= 0)
		close(r.truth_fd);
	free(env.value);
	free(r.board);
	return status;
}
