// SPDX-License-Identifier: GPL-2.0-only
/* csflow encode: makes trace from a log of execution. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "cmd.h"
#include "encode/encode-log.h"
#include "lib/failed.h"
#include "lib/file.h"
#include "lib/log.h"
#include "lib/operands.h"
#include "lib/progress.h"
#include "input/recording.h"

static const char usage[] = "encode [OPTIONS] FILE";

enum { TO_PERF, TO_SNAPSHOT, TO_RAW };
static const char *const formats[] = { "perf", "snapshot", "raw", NULL };
static const char *const streams[] = { "auto", "cpu", "thread", NULL };

#define WORDS_MAX	4096

/* As for csflow record */
#define DEFAULT_UNIT	"ete=1.1,rs,cid,ts=4096"

/**
 * struct encode_cmd - the state of the command
 * @cpus: of @log
 */
struct encode_cmd {
	struct operands files;
	const char *path, *words;
	struct source_options options;
	struct perf_cpus *cpus;
	int format;
	struct progress progress;
	struct enc_setup setup;
	struct encode_log log;
};

/* ---------------------------------------------------------------- options */

static int wrong(const char *option, const char *value, const char *why)
{
	log_say(LOG_USAGE, "csflow encode: %s %s: %s\n", option, value, why);
	return CMD_USAGE;
}

/* perf finds processes by context ID. */
static int read_setup(struct encode_cmd *c)
{
	char problem[ENC_PROBLEM_MAX], words[WORDS_MAX];
	const char *given = c->words ? c->words : DEFAULT_UNIT;
	const char *more = c->format == TO_PERF ? *given ? ",cid" : "cid" : "";

	if (enc_setup_parse(&c->setup, given, problem))
		return wrong("--unit", given, problem);
	if (csf_config_protocol(&c->setup.config) == CSF_PROTOCOL_MTB)
		return wrong("--unit", given, "only csflow record --machine has an MTB");
	if (snprintf(words, sizeof(words), "%s%s", given, more) >= sizeof(words) ||
	    enc_setup_parse(&c->setup, words, problem))
		return wrong("--unit", given, "too long");
	return CMD_OK;
}

/* FILE or FILE@OFFSET */
static int read_elf(struct encode_cmd *c, const char *text)
{
	char path[4096];
	uint64_t offset;
	int err;

	options_file_at(text, path, sizeof(path), &offset);
	err = encode_code_elf(&c->log.code, ENCODE_OWN_PID, path, offset);
	if (!err)
		return CMD_OK;
	log_say(LOG_FILE, "csflow encode: %s: %s\n", path,
		err == -ENOEXEC ? "not an ELF file of an Arm program" : file_elf_words(path, err));
	return CMD_FAILED;
}

static int understand(struct encode_cmd *c, const char *cpus)
{
	const struct opt_list *elf = &c->options.snapshot.elf;
	int status;

	if (cpus && !recording_ranges(cpus, &c->cpus, &c->log.n_cpus))
		return wrong("-C", cpus, "not a list of numbers");
	if (!c->log.out.path)
		c->log.out.path = c->format == TO_PERF ? "perf.data" : c->format == TO_RAW ?
			      "trace.bin" : "snapshot";
	status = read_setup(c);
	for (size_t i = 0; i < elf->n && !status; i++)
		status = read_elf(c, elf->value[i]);
	return status;
}

static int parse(struct encode_cmd *c, int argc, char **argv)
{
	struct dso_options *dso = &c->options.dso;
	const char *cpus = NULL;
	struct operands *files = &c->files;
	bool progress = true;
	const struct opt table[] = {
		OPT_NEW_FILE('o', "output", &c->log.out.path, "PATH",
			     "where to write (default: perf.data, snapshot or trace.bin)"),
		OPT_CHOICE(0, "format", &c->format, formats, "FORMAT",
			   "a perf.data, the folder of a snapshot, or bytes"),
		OPT_STRING('u', "unit", &c->words, "WORDS",
			   "the trace unit, see csflow-encode(1) (default: " DEFAULT_UNIT ")"),
		OPT_FLAG(0, "formatted", &c->log.out.formatted, "write frames, as an ETR does"),
		OPT_FLAG(0, "open-end", &c->log.open_end,
			 "do not end with a debug halt after the last instruction"),
		OPT_CHOICE(0, "by", &c->options.by, streams, "WHAT",
			   "one trace unit for each CPU, for each thread, or as recorded"),
		OPT_PROGRESS(&progress),
		OPT_FLAG('v', "verbose", &c->log.verbose,
			 "report how many instructions and bytes were written"),
		OPT_GROUP("Input:"),
		OPT_LIST('i', "input", &files->inputs, "FILE",
			 "the file to read, instead of an operand"),
		OPT_STRING('C', "cpu", &cpus, "LIST", "only these CPUs, or threads, such as 0,4-7"),
		OPT_LIST(0, "elf", &c->options.snapshot.elf, "FILE[@OFFSET]",
			 "code for opcodes that the log leaves out, or a program that ran in raw "
			 "trace; may be repeated"),
		OPT_IMPLICIT_THUMB(&c->options.snapshot),
		OPT_PATH(0, "symfs", &dso->symfs, "DIR", "look for files below DIR"),
		OPT_PATH('k', "vmlinux", &dso->vmlinux, "FILE", "the kernel that was traced"),
		OPT_BUFFER(&c->options.snapshot.buffer),
		OPT_RAW(&c->options.snapshot),
		OPT_NO_THREADS("with --by=thread, --cpu chooses threads"),
		OPT_NO_TIME("a trace is of the whole log; csflow script has it"),
		OPT_NO_CODE("--unit=range=FROM-TO chooses code; csflow script has it"),
		OPT_END
	};
	int n = options_parse(argc, argv, table, usage), status;

	files->least = 1;
	files->most = 1;
	status = operands_take(files, n, argv, usage);
	if (status)
		return status;
	c->path = files->path[0];
	progress_start(&c->progress, "encoding", 0, progress);
	return understand(c, cpus);
}

/* ---------------------------------------------------------------- results */

/* The reason why changed code will be decoded wrongly; NULL: it will not, or there is none. */
static const char *why_not_changed(const struct encode_cmd *c)
{
	if (!c->log.code.changed || c->format == TO_RAW)
		return NULL;
	if (c->format == TO_SNAPSHOT)
		return "a snapshot cannot express that";
	if (!c->setup.time_period)
		return "without timestamps the time is not known";
	if (c->log.out.n_trace > 1 && !c->log.encode.has_clock)
		return "no common clock: some streams may be decoded with code of another time";
	return NULL;
}

static int write_out(struct encode_cmd *c)
{
	const char *path;
	int err;

	if (c->format == TO_RAW && c->log.out.n_trace != 1 && !c->log.out.formatted) {
		log_say(LOG_USAGE, "csflow encode: %s: %zu CPUs: raw bytes are of one CPU: choose it with -C, or use --formatted\n",
			c->path, c->log.out.n_trace);
		return CMD_USAGE;
	}
	err = c->format == TO_PERF ? encode_out_perf(&c->log.out) :
	      c->format == TO_RAW ? encode_out_raw(&c->log.out) : encode_out_snapshot(&c->log.out);
	path = c->log.out.failed ? c->log.out.failed : c->log.out.path;
	if (err)
		log_say(LOG_FILE, "csflow encode: %s: %s\n", path, file_words(path, err));
	return err ? CMD_FAILED : CMD_OK;
}

static int work(struct encode_cmd *c)
{
	struct source *source = NULL;
	int err = source_open(&source, c->path, &c->options), status = CMD_FAILED;
	bool opened = !err;

	if (!err)
		c->progress.total = source_total(source);
	if (!err)
		err = encode_log(&c->log, source);
	progress_stop(&c->progress);
	if (source)
		problems_print(source_problems(source), "csflow encode: ");
	if (err && (opened || !source || !source_problems(source)->n))
		log_say(LOG_FILE, "csflow encode: %s: %s\n", c->path, strerror(-err));
	/* All that was read is written, whatever errors came after it. */
	if (opened) {
		encode_log_tell(&c->log, why_not_changed(c));
		status = write_out(c);
		if (!status && (err || source_damaged(source) ||
				source_problems(source)->n > source_problems(source)->notes))
			status = CMD_FAILED;
	}
	source_close(source);
	return status;
}

static void tidy(struct encode_cmd *c)
{
	encode_log_fini(&c->log);
	free(c->options.snapshot.elf.value);
	free(c->cpus);
	operands_free(&c->files);
	free(c);
}

int cmd_encode(int argc, char **argv)
{
	struct encode_cmd *c = calloc(1, sizeof(*c));
	const char *slash;
	int status;

	if (!c)
		return failed_at_once("encode");
	status = parse(c, argc, argv);
	if (status == CMD_OK) {
		slash = strrchr(c->path, '/');
		c->log.who = "csflow encode";
		c->log.path = c->path;
		c->log.out.name = slash ? slash + 1 : c->path;
		c->log.setup = &c->setup;
		c->log.default_id = c->format == TO_PERF ? ENCODE_OWN_PID : 0;
		c->log.cpus = c->cpus;
		c->log.progress = &c->progress;
		status = work(c);
	}
	tidy(c);
	return status;
}
