// SPDX-License-Identifier: GPL-2.0-only
/* A recording, from its options to its messages. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../lib/log.h"
#include "../lib/status.h"
#include "../lib/file.h"
#include "record.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))
#define N_CPU_MAX	64
#define AUX_SIZE_MIN	4096

static bool wrong(const char *what)
{
	log_say(LOG_NOTE, "csflow record: %s\n", what);
	return false;
}

bool record_check(struct record *r)
{
	char problem[ENC_PROBLEM_MAX] = "";

	if (!r->output)
		r->output = r->machine || r->snapshot ? RECORD_SNAPSHOT : RECORD_OUTPUT;
	if (r->machine && r->snapshot)
		return wrong("--snapshot is what --machine writes anyway");
	if (r->machine && !machine_check(r))
		return false;
	if (r->snapshot && !machine_check_program(r))
		return false;
	if (!r->unit)
		r->unit = RECORD_UNIT;
	if (strlen(r->unit) >= PORT_WORDS_MAX)
		return wrong("--unit is too long");
	if (enc_setup_parse(&r->setup, r->unit, problem))
		return wrong(problem);
	if (r->machine ? !machine_check_unit(r) : r->setup.mtb_size)
		return wrong("an MTB wants --machine, and one processor");
	if (r->machine && !machine_check_etm3(r))
		return wrong("an ETMv3 of a machine wants a Cortex-M3, M4 or M7, and traces no data");
	if (!r->board && r->setup.cid_bits && r->setup.cid_bits != 32)
		return wrong("cid: want 32 bits, or the recording does not tell threads apart");
	if (!r->n_cpu || r->n_cpu > N_CPU_MAX)
		return wrong("--cpus wants 1 to 64");
	if (r->header > 2)
		return wrong("--header wants 0, 1 or 2");
	if (!r->header && csf_config_protocol(&r->setup.config) == CSF_PROTOCOL_ETE)
		return wrong("--header=0 is older than ETE: it wants --unit=etm4=...");
	if (r->aux_size < AUX_SIZE_MIN)
		return wrong("--aux-size wants 4096 or more");
	if (!r->quantum)
		return wrong("--quantum wants 1 or more");
	return true;
}

/* For feature CMDLINE; the caller frees it. */
static const char **words_of(const struct record *r, char **program)
{
	const char *const own[] = { "csflow", "record", "-o", r->output, "-u", r->unit, "--" };
	const char **words;
	size_t n = 0;

	while (program[n])
		n++;
	words = calloc(ARRAY_SIZE(own) + n + 1, sizeof(*words));
	if (!words)
		return NULL;
	memcpy(words, own, sizeof(own));
	memcpy(words + ARRAY_SIZE(own), program, n * sizeof(*words));
	return words;
}

static int open_truth(struct record *r)
{
	if (!r->truth)
		return 0;
	r->truth_fd = open(r->truth, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	if (r->truth_fd >= 0)
		return 0;
	log_say(LOG_FILE, "csflow: %s: %s\n", r->truth, file_words(r->truth, -errno));
	return -errno;
}

static int open_recording(struct record *r, char **program)
{
	const char **words = words_of(r, program);
	struct recorder_setup setup = {
		.config = r->setup.config, .n_cpu = r->n_cpu, .version = r->header,
		.per_thread = r->per_thread, .framed = !r->raw, .aux_size = r->aux_size,
		.first_id = PORT_ID(0), .command = words,
	};
	int err = r->board ? machine_open(r, program[0]) :
		  recorder_new(&r->recorder, r->output, &setup);

	free(words);
	return err;
}

static int close_recording(struct record *r)
{
	return r->board ? machine_close(r) : recorder_finish(r->recorder);
}

static int open_files(struct record *r, char **program)
{
	int err = open_recording(r, program);

	if (err) {
		log_say(LOG_FILE, "csflow: %s: %s\n", r->output, file_words(r->output, err));
		return err;
	}
	err = open_truth(r);
	if (err)
		close_recording(r);
	return err;
}

static void say_amount(const struct record *r, uint64_t bytes)
{
	if (r->ended || r->saved)
		log_say(LOG_NOTE, "%" PRIu64 " instructions, ", r->stats.insns);
	log_say(LOG_NOTE, "%" PRIu64 " bytes of trace\n", bytes);
}

static void say_result(const struct record *r, uint64_t bytes)
{
	if (r->quiet)
		return;
	if (r->ended && !r->stop.signal) {
		log_say(LOG_NOTE, "csflow: %s: ", r->output);
		say_amount(r, bytes);
	}
	log_say(LOG_NOTE, "csflow: this is emulation: timestamps count instructions, not time\n");
}

/* Reports why the recording ended before the program did, and what it has. */
static void say_early_end(const struct record *r, int file, int status, uint64_t bytes)
{
	struct stat st;

	if (file) {
		log_say(LOG_PROGRAM, "csflow: %s: %s: what was recorded until then is in it: %"
			PRIu64 " bytes\n", r->output, strerror(-file),
			stat(r->output, &st) ? 0 : (uint64_t)st.st_size);
		return;
	}
	if (r->stop.signal)
		log_say(LOG_PROGRAM, "csflow: %s: stopped by %s: what was recorded until then is in it: ",
			r->output, stop_name(r->stop.signal));
	else if (!r->ended && WIFSIGNALED(status))
		log_say(LOG_PROGRAM, "csflow: %s: the program did not end by itself, but by %s: what was "
			"recorded until then is in it: ", r->output, stop_name(WTERMSIG(status)));
	else if (r->begun && !r->ended)
		log_say(LOG_PROGRAM, "csflow: %s: the program did not end by itself: what was recorded "
			"until then is in it: ", r->output);
	else
		return;
	say_amount(r, bytes);
	if (r->begun && !r->ended && !r->saved)
		log_say(LOG_PROGRAM, "csflow: %s: the last few thousand instructions may be missing\n",
			r->output);
}

/* Return: the recording is complete, up to where it was stopped. */
static bool report(struct record *r, int run, int file, int status)
{
	const bool began = r->begun || r->stop.signal || WIFSIGNALED(status);
	int code = record_code_finish(r);

	if (run)
		log_say(LOG_PROGRAM, "csflow: the trace unit: %s\n", strerror(-run));
	if (!began)
		log_say(LOG_PROGRAM, "csflow: the emulator did not load the trace unit: QEMU 7.2 "
			"can, newer versions of Debian cannot\n");
	if (code)
		log_say(LOG_PROGRAM, "csflow: code made at run time: %s\n", strerror(-code));
	if (r->truth_error)
		log_say(LOG_FILE, "csflow: %s: %s: what was logged until then is in it\n",
			r->truth, strerror(r->truth_error));
	if (r->stats.unknown)
		log_say(LOG_PROGRAM, "csflow: %" PRIu64 " times the program went elsewhere without a known "
			"reason: the trace has gaps there\n", r->stats.unknown);
	if (r->stats.lost)
		log_say(LOG_PROGRAM, "csflow: the emulator held up a thread: %" PRIu64 " block%s without "
			"trace\n", r->stats.lost, r->stats.lost == 1 ? "" : "s");
	return !run && began && !file && !code && !r->truth_error && !r->stats.unknown;
}

/*
 * Chooses where Debian has libraries of other processors, if the user names no folder and this
 * machine has none of that kind.
 */
static void choose_root(struct record *r)
{
	static const struct {
		const char *root, *loader;
	} there[] = {
		{ "/usr/aarch64-linux-gnu", "/usr/aarch64-linux-gnu/lib/ld-linux-aarch64.so.1" },
		{ "/usr/arm-linux-gnueabihf", "/usr/arm-linux-gnueabihf/lib/ld-linux-armhf.so.3" },
	};
	const char *loader = there[r->arm].loader;

	if (r->machine || r->root || getenv("QEMU_LD_PREFIX") || access(loader, R_OK))
		return;
	if (access(loader + strlen(there[r->arm].root), R_OK))
		r->root = there[r->arm].root;
}

/* Signals are held back from before the file is made until it is complete. */
static int run(struct record *r, const char *emulator, const char *plugin, char **program,
	       int *status)
{
	uint64_t bytes;
	int err, file;

	if (open_files(r, program))
		return CMD_FAILED;
	err = record_run(r, emulator, plugin, program);
	bytes = r->board ? machine_bytes(r) : recorder_bytes(r->recorder);
	r->kept = bytes;
	file = close_recording(r);
	record_wait(r, err || file, status);
	say_early_end(r, file, *status, bytes);
	if (!report(r, err, file, *status))
		return CMD_FAILED;
	say_result(r, bytes);
	return CMD_OK;
}

int record_program(struct record *r, char **program, int *status)
{
	char emulator[PATH_MAX], plugin[PATH_MAX];
	int err;

	if (!record_check_program(r, program[0]))
		return CMD_FAILED;
	if (!record_find_emulator(r, emulator, sizeof(emulator))) {
		log_say(LOG_TOOL, "csflow: there is no %s: Debian 12 has it in package %s\n",
			r->qemu ? r->qemu : record_emulator(r),
			r->machine ? "qemu-system-arm" : "qemu-user");
		return CMD_FAILED;
	}
	if (!record_find_plugin(r, plugin, sizeof(plugin))) {
		log_say(LOG_TOOL, "csflow: the trace unit csflow-unit.so is not beside csflow, "
			"see --plugin\n");
		return CMD_FAILED;
	}
	choose_root(r);
	err = stop_hold(&r->stop);
	if (err) {
		log_say(LOG_FILE, "csflow: signals: %s\n", strerror(-err));
		return CMD_FAILED;
	}
	err = run(r, emulator, plugin, program, status);
	stop_release(&r->stop);
	return err;
}
