/* SPDX-License-Identifier: GPL-2.0-only */
/* What the parts of csflow record share. */
#ifndef CSF_RECORD_H
#define CSF_RECORD_H

#include "../encoder/encoder.h"
#include "../qemu/port.h"
#include "recorder.h"
#include "../lib/stop.h"

/**
 * struct record - one recording
 * @output: perf.data; @truth: the log, or NULL
 * @unit: words of the trace unit
 * @root: where the program's libraries are; NULL: as QEMU was built, or set up, to look
 * @qemu: the emulator; NULL: the one in $PATH
 * @plugin: the unit; NULL: beside csflow, or where it was installed
 * @header: version of perf.data's metadata
 * @arm: the program is AArch32
 * @stop: what ends the recording
 * @pid: of the emulator
 * @begun: the unit is there; @ended: it said that all is complete; @saved: that all until then is
 * @kept: there is trace in the recording
 * @truth_error: what became of the log: an errno, 0
 */
struct record {
	const char *output, *truth;
	const char *unit;
	const char *root, *qemu, *plugin;
	const char **env;
	size_t n_env;
	uint32_t n_cpu, header;
	uint64_t quantum, migrate, aux_size;
	bool per_thread, raw, quiet;
	bool arm;
	/* private */
	struct enc_setup setup;
	struct recorder *recorder;
	struct record_code *code;
	int truth_fd;
	struct stop stop;
	pid_t pid;
	bool begun, ended, saved, kept;
	int truth_error;
	struct port_stats stats;
};

/* What perf record -e cs_etm// turns on, and a timestamp every so often. */
#define RECORD_UNIT	"ete=1.1,rs,cid,ts=4096"

/* What need not be said. */
#define RECORD_DEFAULTS { \
	.output = "perf.data", .unit = RECORD_UNIT, .n_cpu = 2, .header = 2, \
	.quantum = 100000, .aux_size = 4 << 20, .truth_fd = -1 }

/* Whether the options are possible; says what is wrong. */
bool record_check(struct record *r);

/**
 * record_program() - record a program, whose options record_check() has seen
 * @program: with its arguments, ended by NULL
 * @status: how it ended, as waitpid() gives it
 *
 * SIGINT and its like end the recording, and the program; @r->stop.signal says which came.
 *
 * Says what went wrong, or how much was recorded.  Return: CMD_OK: all of it is recorded, up to the
 * signal; CMD_FAILED.
 */
int record_program(struct record *r, char **program, int *status);

/**
 * record_run() - run a program under the unit
 * @emulator: its path, @plugin: that of the unit
 * @program: with its arguments, ended by NULL
 *
 * Takes everything in that the unit says until it is gone, or the recording is to end.  Return: 0,
 * -errno.
 */
int record_run(struct record *r, const char *emulator, const char *plugin, char **program);

/* Waits until the program has ended; it is asked to if recording @failed, or was stopped. */
void record_wait(struct record *r, bool failed, int *status);

/* A message of the unit.  Return: it is one. */
bool record_message(struct record *r, const struct port_head *head, const uint8_t *body);

/* Where the emulator and the unit are: into @path, @n bytes.  Return: found. */
bool record_find_emulator(const struct record *r, char *path, size_t n);
bool record_find_plugin(const struct record *r, char *path, size_t n);

/* What can be told of @program before it is run; says what is wrong.  Return: it can be run. */
bool record_check_program(struct record *r, const char *program);

/* Code that is in no file: into a jitdump beside the recording. */
void record_code(struct record *r, const struct port_head *head, const uint8_t *body);
int record_code_finish(struct record *r);

#endif /* CSF_RECORD_H */
