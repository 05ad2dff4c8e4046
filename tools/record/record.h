/* SPDX-License-Identifier: GPL-2.0-only */
/* Shared by the parts of csflow record. */
#ifndef CSF_RECORD_H
#define CSF_RECORD_H

#include <stdio.h>

#include "../encoder/encoder.h"
#include "../qemu/port.h"
#include "recorder.h"
#include "../lib/stop.h"

/**
 * struct record - one recording
 * @output: perf.data, or the folder of a snapshot, or NULL: the default; @truth: the log, or NULL
 * @unit: words of the trace unit; NULL: the default
 * @machine: a machine of QEMU that has a Cortex-M; NULL: the program is one of Linux
 * @snapshot: write a snapshot of a program of Linux
 * @root: where the program's libraries are; NULL: where QEMU looks by default
 * @qemu: the emulator; NULL: the one in $PATH
 * @plugin: the unit; NULL: beside csflow, or in its installed place
 * @header: version of perf.data's metadata
 * @arm: the program is AArch32
 * @stop: the signals that end the recording
 * @pid: of the emulator
 * @begun: the unit has started; @ended: it reported the end; @saved: it reported a complete save
 * @kept: there is trace in the recording
 * @truth_error: the result of writing the log: an errno, or 0
 */
struct record {
	const char *output, *truth;
	const char *unit, *machine;
	const char *root, *qemu, *plugin;
	const char **env;
	size_t n_env;
	uint32_t n_cpu, header;
	uint64_t quantum, migrate, aux_size;
	bool per_thread, raw, quiet, snapshot;
	bool arm;
	/* private */
	struct enc_setup setup;
	struct recorder *recorder;
	struct machine *board;
	struct record_dumps *dumps;
	struct record_code *code;
	int truth_fd;
	struct stop stop;
	pid_t pid;
	bool begun, ended, saved, kept;
	int truth_error;
	struct port_stats stats;
};

/* The settings of perf record -e cs_etm//, and timestamps. */
#define RECORD_UNIT	"ete=1.1,rs,cid,ts=4096"

/* The defaults. */
#define RECORD_DEFAULTS { \
	.n_cpu = 2, .header = 2, \
	.quantum = 100000, .aux_size = 4 << 20, .truth_fd = -1 }

/* Are the options possible?  Reports errors. */
bool record_check(struct record *r);

/**
 * record_program() - record a program, after record_check()
 * @program: with its arguments, ended by NULL
 * @status: how it ended, as waitpid() gives it
 *
 * SIGINT and the like end the recording, and the program; @r->stop.signal is the signal.
 *
 * Reports an error, or how much was recorded.  Return: CMD_OK: everything is recorded, up to the
 * signal; CMD_FAILED.
 */
int record_program(struct record *r, char **program, int *status);

/**
 * record_kernel_words() - what csflow vm is told to record the program and the kernel
 * @program: with its arguments, ended by NULL
 * @words: a command line, which begins with the name of the command and is ended by NULL
 *
 * Reports options that are not for that.  Return: the number of words; 0: it cannot be done.
 */
int record_kernel_words(const struct record *r, char **program, char ***words);

/**
 * record_run() - run a program under the unit
 * @emulator: its path, @plugin: that of the unit
 * @program: with its arguments, ended by NULL
 *
 * Takes all messages of the unit until it ends, or the recording is to end.  Return: 0,
 * -errno.
 */
int record_run(struct record *r, const char *emulator, const char *plugin, char **program);

/* Waits until the program has ended; asks it to end if recording @failed, or was stopped. */
void record_wait(struct record *r, bool failed, int *status);

/* Handles a message of the unit.  Return: it is valid. */
bool record_message(struct record *r, const struct port_head *head, const uint8_t *body);

/* The usual name of the emulator. */
const char *record_emulator(const struct record *r);

/* Write the path of the emulator, or of the unit, to @path, @n bytes.  Return: found. */
bool record_find_emulator(const struct record *r, char *path, size_t n);
bool record_find_plugin(const struct record *r, char *path, size_t n);

/* The default names of recordings. */
#define RECORD_OUTPUT	"perf.data"
#define RECORD_SNAPSHOT	"snapshot"

/*
 * The same for a machine, whose recording is a snapshot: options, trace unit, files, trace of a
 * CPU, the first error so far, bytes of trace, end.
 */
bool machine_check(struct record *r);
bool machine_check_unit(struct record *r);
bool machine_check_etm3(const struct record *r);
int machine_open(struct record *r, const char *program);
void machine_trace(struct record *r, uint32_t cpu, const uint8_t *bytes, size_t n);
int machine_error(const struct record *r);
void machine_fail(struct record *r, int err);
uint64_t machine_bytes(const struct record *r);
int machine_close(struct record *r);

/* With @snapshot: checks options, as machine_check(). */
bool machine_check_program(struct record *r);

/*
 * The code of a program that becomes a snapshot: a map; code in no file; writes where it is to @f.
 * Return: 0, -errno.
 */
int program_map(struct record *r, const uint8_t *body);
int program_code(struct record *r, const struct port_head *head, const uint8_t *body);
void program_dumps(const struct record *r, FILE *f);
void program_free(struct record *r);

/* Checks @program before it is run, and reports errors.  Return: it can be run. */
bool record_check_program(struct record *r, const char *program);

/* Writes code that is in no file to a jitdump beside the recording. */
void record_code(struct record *r, const struct port_head *head, const uint8_t *body);
int record_code_finish(struct record *r);

#endif /* CSF_RECORD_H */
