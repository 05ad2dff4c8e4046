// SPDX-License-Identifier: GPL-2.0-only
/* csflow tarmac: writes execution as Tarmac. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../perf-plugin/new-file.h"
#include "cmd.h"
#include "lib/failed.h"
#include "lib/file.h"
#include "lib/log.h"
#include "lib/operands.h"
#include "lib/progress.h"
#include "input/recording.h"
#include "source/tarmac-make.h"
#include "tarmac/tarmac-read.h"

static const char usage[] = "tarmac [OPTIONS] [FILE]";

static const char *const streams[] = { "auto", "cpu", "thread", NULL };

/* Each where its TARMAC_MAKE_x is. */
static const char *const record_words[] = { "inst", "flow", "event", "reg", "gap", "mem", NULL };

/**
 * struct tarmac_cmd - the state of the command
 * @cpus: only these streams, n_cpus of them; 0: all
 * @spool: the head of a pipe, which shows that it is Tarmac; else NULL
 */
struct tarmac_cmd {
	struct operands files;
	const char *path, *output;
	struct source_options options;
	struct perf_cpus *cpus;
	size_t n_cpus;
	struct spool *spool;
	bool with_disasm;
	int style;
	struct progress progress;
	struct tarmac_losses losses;
	struct out out;
	struct tarmac_make make;
};

/* ---------------------------------------------------------------- options */

static int wrong(const char *option, const char *value, const char *why)
{
	log_say(LOG_USAGE, "csflow tarmac: %s %s: %s\n", option, value, why);
	return CMD_USAGE;
}

static int understand(struct tarmac_cmd *t, const char *cpus)
{
	if (cpus && !recording_ranges(cpus, &t->cpus, &t->n_cpus))
		return wrong("-C", cpus, "not a list of numbers");
	if (t->options.snapshot.elf.n && !t->options.snapshot.raw)
		return wrong("--elf", t->options.snapshot.elf.value[0],
			     "only with --raw: other files tell which code ran");
	return CMD_OK;
}

static int parse(struct tarmac_cmd *t, int argc, char **argv)
{
	struct dso_options *dso = &t->options.dso;
	const char *cpus = NULL;
	bool progress = true;
	const struct opt table[] = {
		OPT_OUTPUT('o', "output", &t->output, "FILE",
			   "where to write (default: standard output)"),
		OPT_CHOICE(0, "style", &t->style, tarmac_style_name, "STYLE",
			   "as Arm's models write it, as the Trace Matcher reads it, as RTL "
			   "simulations do, or as gem5 does"),
		OPT_WORDS(0, "records", &t->make.what, record_words, "LIST",
			  "the records, of which flow is taken branches (default: all but flow)"),
		OPT_NO("disasm", &t->with_disasm, "leave out the disassembly"),
		OPT_FLAG(0, "timestamps", &t->make.stamps,
			 "print the trace unit's timestamps instead of instruction numbers"),
		OPT_CHOICE(0, "by", &t->options.by, streams, "WHAT",
			   "list CPU after CPU, thread after thread, or as recorded"),
		OPT_PROGRESS(&progress),
		OPT_GROUP("Input:"),
		OPT_INPUT(&t->files.inputs),
		OPT_STRING('C', "cpu", &cpus, "LIST", "only these CPUs, or threads, such as 0,4-7"),
		OPT_IMPLICIT_THUMB(&t->options.snapshot),
		OPT_PATH(0, "symfs", &dso->symfs, "DIR", "look for files below DIR"),
		OPT_PATH('k', "vmlinux", &dso->vmlinux, "FILE", "the kernel that was traced"),
		OPT_BUILDID_DIR(dso),
		OPT_BUFFER(&t->options.snapshot.buffer),
		OPT_RAW(&t->options.snapshot),
		OPT_PATHS(0, "elf", &t->options.snapshot.elf, "FILE[@OFFSET]",
			  "a program that ran in raw trace, moved by OFFSET; may be repeated"),
		OPT_SPEED(&t->options.n_threads),
		OPT_NO_THREADS("with --by=thread, --cpu chooses threads; csflow script has it"),
		OPT_NO_TIME("csflow script has it, with --itrace=i1i"),
		OPT_NO_CODE("csflow script has it, with --itrace=i1i"),
		OPT_END
	};
	int n = options_parse(argc, argv, table, usage), status;

	t->files.most = 1;
	t->files.otherwise = "perf.data";
	status = operands_take(&t->files, n, argv, usage);
	if (status)
		return status;
	t->path = t->files.path[0];
	progress_start(&t->progress, "writing", 0, progress);
	return understand(t, cpus);
}

/* ---------------------------------------------------------------- Tarmac to Tarmac */

/* A pipe can be read only once. */
static bool is_pipe(const char *path)
{
	struct stat st;

	return !strcmp(path, "-") || (!stat(path, &st) && S_ISFIFO(st.st_mode));
}

static bool wanted(const struct tarmac_cmd *t, uint32_t number)
{
	for (size_t i = 0; i < t->n_cpus; i++)
		if (number >= t->cpus[i].first && number <= t->cpus[i].last)
			return true;
	return !t->n_cpus;
}

static void put(struct tarmac_cmd *t, const struct tarmac_record *r, const char *cpu,
		uint32_t number)
{
	tarmac_write(&t->out, r, t->style, cpu, number);
	tarmac_losses_add(&t->losses, r, t->style, cpu);
}

static int rewrite(struct tarmac_cmd *t)
{
	struct tarmac_reader reader = { .path = t->path, .spool = t->spool };
	struct tarmac_record r;
	struct stat st;
	uint32_t number;
	int ret;

	if (!t->spool && !stat(t->path, &st))
		t->progress.total = st.st_size;
	reader.parser.implicit_thumb = t->options.snapshot.implicit_thumb;
	ret = tarmac_open(&reader);
	while (!ret && (ret = tarmac_next(&reader, &r)) > 0) {
		ret = 0;
		number = tarmac_cpu_number(&reader.parser, r.cpu);
		/* bytes that are not text do not belong in the output */
		if (wanted(t, number) && !(r.wrong && r.binary))
			put(t, &r, tarmac_cpu_name(&reader.parser, r.cpu), number);
		progress_at(&t->progress, reader.offset);
	}
	progress_stop(&t->progress);
	out_flush(&t->out);
	problems_print(&reader.problems, "csflow tarmac: ");
	if (!ret && !reader.n_record) {
		log_say(LOG_SYNTAX, "csflow tarmac: %s: no line of it is Tarmac\n", t->path);
		ret = -EINVAL;
	} else if (ret < 0) {
		log_say(LOG_FILE, "csflow tarmac: %s: %s\n", t->path, strerror(-ret));
	}
	if (reader.n_wrong)
		ret = -EINVAL;
	tarmac_close(&reader);
	return ret < 0 ? CMD_FAILED : CMD_OK;
}

/* ---------------------------------------------------------------- execution to Tarmac */

static int one_stream(struct tarmac_cmd *t, struct source *source,
		      const struct source_stream *stream)
{
	const char *kind = stream->by == SOURCE_THREAD ? "thread." : "cpu";
	uint32_t number = stream->any ? 0 : stream->number;
	struct source_item item;
	char name[32];
	int ret;

	if (!wanted(t, number))
		return 0;
	snprintf(name, sizeof(name), "%s%u", kind, number);
	tarmac_make_start(&t->make, name, number);
	ret = source_start(source, stream);
	while (!ret && (ret = source_next(source, &item)) > 0) {
		ret = 0;
		tarmac_make_item(&t->make, &item);
		progress_at(&t->progress, source_done(source));
	}
	tarmac_make_end(&t->make);
	return ret;
}

static int convert(struct tarmac_cmd *t, struct source *source)
{
	struct source_stream stream;
	uint64_t n_insn = 0;
	int ret = 0, status;

	t->progress.total = source_total(source);
	for (size_t n = 0; !ret && source_stream(source, n, &stream); n++) {
		ret = one_stream(t, source, &stream);
		n_insn += t->make.id;
	}
	if (!ret)
		progress_at(&t->progress, source_total(source));
	progress_stop(&t->progress);
	out_flush(&t->out);
	status = ret || source_damaged(source) ? CMD_FAILED : CMD_OK;
	if (ret)
		log_say(LOG_FILE, "csflow tarmac: %s: %s\n", t->path, strerror(-ret));
	else if (!n_insn)
		log_say(LOG_EMPTY, "csflow tarmac: %s: nothing was executed; see 'csflow doctor'\n",
			t->path);
	return status;
}

static int from_source(struct tarmac_cmd *t)
{
	struct source *source = NULL;
	int status = CMD_FAILED, err = source_open(&source, t->path, &t->options);
	bool tarmac = !err && source_format(source) == SOURCE_TARMAC;
	struct disasm *disasm = NULL;

	if (!err && !tarmac) {
		if (t->with_disasm && disasm_new(&disasm))
			log_say(LOG_TOOL,
				"csflow tarmac: no disassembly: there is no LLVM (package libllvm14, or later)\n");
		t->make.disasm = disasm;
		status = convert(t, source);
		disasm_free(disasm);
	}
	if (source && !tarmac)
		problems_print(source_problems(source), "csflow tarmac: ");
	if (err && (!source || !source_problems(source)->n))
		log_say(LOG_FILE, "csflow tarmac: %s: %s\n", t->path, strerror(-err));
	source_close(source);
	return tarmac ? rewrite(t) : status;
}

/* ---------------------------------------------------------------- pipes */

static bool is_text(const struct spool *s)
{
	for (size_t i = 0; i < s->n_head; i++)
		if (s->head[i] < ' ' && !strchr("\t\r\n", s->head[i] ? s->head[i] : 1))
			return false;
	return !truth_is(s->head, s->n_head) && !spool_is_perf(s);
}

/* Tarmac is converted as it arrives; anything else is copied, and replaces standard input. */
static int from_pipe(struct tarmac_cmd *t)
{
	int fd = strcmp(t->path, "-") ? open(t->path, O_RDONLY | O_CLOEXEC) : STDIN_FILENO;
	int err = fd < 0 ? -errno : 0, status = CMD_FAILED;
	struct spool spool = { 0 };

	if (!err)
		err = spool_begin(&spool, fd);
	if (!err && is_text(&spool)) {
		t->spool = &spool;
		status = rewrite(t);
	} else if (!err) {
		err = spool_all(&spool);
		if (!err && (lseek(fd, 0, SEEK_SET) < 0 || dup2(fd, STDIN_FILENO) < 0))
			err = -errno;
		t->path = "-";
		status = err ? CMD_FAILED : from_source(t);
	}
	if (err)
		log_say(LOG_FILE, "csflow tarmac: %s: %s\n", t->path, strerror(-err));
	spool_end(&spool);
	if (fd > STDIN_FILENO)
		close(fd);
	return status;
}

/* ---------------------------------------------------------------- the command */

/* What the style cannot say. */
static void say_losses(const struct tarmac_cmd *t)
{
	char buf[160];
	const char *words;

	for (size_t at = 0; (words = tarmac_losses_words(&t->losses, t->style, &at, buf,
							 sizeof(buf)));)
		log_say(LOG_ROUGH, "csflow tarmac: %s: style %s cannot say %s\n", t->path,
			tarmac_style_name[t->style], words);
}

static int open_output(struct tarmac_cmd *t)
{
	t->out.file = new_file(t->output);
	if (t->out.file)
		return CMD_OK;
	log_say(LOG_FILE, "csflow tarmac: %s: %s\n", t->output, file_words(t->output, -errno));
	return CMD_FAILED;
}

/* A full disk shows at the latest when the file is closed. */
static int close_output(struct tarmac_cmd *t, int status)
{
	const int err = t->output ? new_file_close(t->out.file, 0) : 0;

	if (!err)
		return status;
	log_say(LOG_FILE, "csflow tarmac: %s: %s\n", t->output, strerror(-err));
	return CMD_FAILED;
}

static int work(struct tarmac_cmd *t)
{
	int status;

	t->make.out = &t->out;
	t->make.style = t->style;
	t->make.losses = &t->losses;
	status = is_pipe(t->path) && !t->options.snapshot.raw ? from_pipe(t) : from_source(t);
	say_losses(t);
	return status;
}

int cmd_tarmac(int argc, char **argv)
{
	struct tarmac_cmd *t = calloc(1, sizeof(*t));
	int status;

	if (!t)
		return failed_at_once("tarmac");
	t->with_disasm = true;
	t->make.what = TARMAC_MAKE_INST | TARMAC_MAKE_EVENT | TARMAC_MAKE_REG | TARMAC_MAKE_GAP |
		       TARMAC_MAKE_MEM;
	status = parse(t, argc, argv);
	if (status == CMD_OK)
		status = open_output(t);
	if (status == CMD_OK)
		status = close_output(t, work(t));
	operands_free(&t->files);
	free(t->options.snapshot.elf.value);
	free(t->cpus);
	free(t);
	return status;
}
