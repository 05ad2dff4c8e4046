// SPDX-License-Identifier: GPL-2.0-only
/* csflow encode: makes trace from a log of execution. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "cmd.h"
#include "encode/encode-blocks.h"
#include "encode/encode-out.h"
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

/* Trace IDs, from the first on */
#define ID_FIRST	0x10
#define ID_LAST		0x6f

/* The process of a log without one, and the replacement of context ID 0 in a perf.data. */
#define OWN_PID		1
#define TIDS_MAX	65536
#define WORDS_MAX	4096

/* As for csflow record */
#define DEFAULT_UNIT	"ete=1.1,rs,cid,ts=4096"

/**
 * struct encode_cmd - the state of the command
 * @cpus: only these streams, n_cpus of them; 0: all
 * @tids: there is room for this many in out.tid
 */
struct encode_cmd {
	struct operands files;
	const char *path, *words;
	struct source_options options;
	struct perf_cpus *cpus;
	size_t n_cpus;
	struct opt_list elf;
	int format;
	bool verbose, open_end;
	struct progress progress;
	struct enc_setup setup;
	struct encode encode;
	struct encode_code code;
	struct encode_out out;
	size_t tids;
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
	const char *at = strrchr(text, '@');
	uint64_t offset = 0;
	int err;

	if (at && !options_number(at + 1, &offset))
		at = NULL;
	snprintf(path, sizeof(path), "%.*s", at ? (int)(at - text) : (int)strlen(text), text);
	err = encode_code_elf(&c->code, OWN_PID, path, offset);
	if (!err)
		return CMD_OK;
	log_say(LOG_FILE, "csflow encode: %s: %s\n", path,
		err == -ENOEXEC ? "not an ELF file of an Arm program" : file_elf_words(path, err));
	return CMD_FAILED;
}

static int understand(struct encode_cmd *c, const char *cpus)
{
	int status;

	if (cpus && !recording_ranges(cpus, &c->cpus, &c->n_cpus))
		return wrong("-C", cpus, "not a list of numbers");
	if (!c->out.path)
		c->out.path = c->format == TO_PERF ? "perf.data" : c->format == TO_RAW ?
			      "trace.bin" : "snapshot";
	status = read_setup(c);
	for (size_t i = 0; i < c->elf.n && !status; i++)
		status = read_elf(c, c->elf.value[i]);
	return status;
}

static int parse(struct encode_cmd *c, int argc, char **argv)
{
	struct dso_options *dso = &c->options.dso;
	const char *cpus = NULL;
	struct operands *files = &c->files;
	bool progress = true;
	const struct opt table[] = {
		OPT_NEW_FILE('o', "output", &c->out.path, "PATH",
			     "where to write (default: perf.data, snapshot or trace.bin)"),
		OPT_CHOICE(0, "format", &c->format, formats, "FORMAT",
			   "a perf.data, the folder of a snapshot, or bytes"),
		OPT_STRING('u', "unit", &c->words, "WORDS",
			   "the trace unit, see csflow-encode(1) (default: " DEFAULT_UNIT ")"),
		OPT_FLAG(0, "formatted", &c->out.formatted, "write frames, as an ETR does"),
		OPT_FLAG(0, "open-end", &c->open_end,
			 "do not end with a debug halt after the last instruction"),
		OPT_CHOICE(0, "by", &c->options.by, streams, "WHAT",
			   "one trace unit for each CPU, for each thread, or as recorded"),
		OPT_PROGRESS(&progress),
		OPT_FLAG('v', "verbose", &c->verbose,
			 "report how many instructions and bytes were written"),
		OPT_GROUP("Input:"),
		OPT_STRING('C', "cpu", &cpus, "LIST", "only these CPUs, or threads, such as 0,4-7"),
		OPT_LIST(0, "elf", &c->elf, "FILE[@OFFSET]",
			 "code for opcodes that the log leaves out; may be repeated"),
		OPT_FLAG(0, "implicit-thumb", &c->options.implicit_thumb,
			 "Tarmac instructions without an instruction set are T32"),
		OPT_PATH(0, "symfs", &dso->symfs, "DIR", "look for files below DIR"),
		OPT_PATH('k', "vmlinux", &dso->vmlinux, "FILE", "the kernel that was traced"),
		OPT_BUFFER(&c->options.buffer),
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

/* ---------------------------------------------------------------- streams */

static int add_tid(void *owner, uint32_t pid, uint32_t tid)
{
	struct encode_cmd *c = owner;
	struct encode_tid *grown;

	for (size_t i = c->out.n_tid; i--;)
		if (c->out.tid[i].pid == pid && c->out.tid[i].tid == tid)
			return 0;
	if (c->out.n_tid == TIDS_MAX)
		return 0;
	if (c->out.n_tid == c->tids) {
		c->tids = 2 * c->tids + 16;
		grown = realloc(c->out.tid, c->tids * sizeof(*grown));
		if (!grown)
			return -ENOMEM;
		c->out.tid = grown;
	}
	c->out.tid[c->out.n_tid++] = (struct encode_tid){ .pid = pid, .tid = tid };
	return 0;
}

/* Writes the encoder's bytes to the stream's file. */
static int drain(struct encode_cmd *c, struct encode_trace *trace)
{
	const uint8_t *bytes;
	long n = enc_take(c->encode.encoder, &bytes);

	if (n < 0)
		return -ENOMEM;
	trace->n += n;
	return n && fwrite(bytes, 1, n, trace->file) != n ? -errno : 0;
}

static int one_stream(struct encode_cmd *c, struct source *source,
		      const struct source_stream *stream, struct encode_trace *trace)
{
	struct source_item item;
	int ret;

	c->encode.pid = OWN_PID;
	ret = encode_start(&c->encode, &c->setup, c->format == TO_PERF ? OWN_PID : 0);
	if (!ret)
		ret = source_start(source, stream);
	while (!ret && (ret = source_next(source, &item)) > 0) {
		ret = encode_item(&c->encode, &item);
		if (!ret && enc_pending(c->encode.encoder) > 1 << 16)
			ret = drain(c, trace);
		progress_at(&c->progress, source_done(source));
	}
	if (c->encode.encoder) {
		encode_end(&c->encode, !c->open_end);
		trace->end = c->encode.clock;
		if (!ret)
			ret = drain(c, trace);
		/* errors are reported here, because rewind() forgets them */
		if (!ret && fflush(trace->file))
			ret = -errno;
	}
	enc_free(c->encode.encoder);
	c->encode.encoder = NULL;
	return ret;
}

static bool wanted(const struct encode_cmd *c, uint32_t number)
{
	for (size_t i = 0; i < c->n_cpus; i++)
		if (number >= c->cpus[i].first && number <= c->cpus[i].last)
			return true;
	return !c->n_cpus;
}

static struct encode_trace *new_trace(struct encode_cmd *c, const struct source_stream *stream)
{
	struct encode_out *out = &c->out;
	struct encode_trace *grown = realloc(out->trace, (out->n_trace + 1) * sizeof(*grown));
	struct encode_trace *trace;

	if (!grown)
		return NULL;
	out->trace = grown;
	trace = &grown[out->n_trace];
	*trace = (struct encode_trace){ .file = tmpfile(), .id = ID_FIRST + out->n_trace };
	if (!trace->file)
		return NULL;
	trace->number = stream->by == SOURCE_THREAD ? out->n_trace : stream->any ? 0 :
			stream->number;
	out->n_trace++;
	return trace;
}

static int all_streams(struct encode_cmd *c, struct source *source)
{
	struct source_stream stream;
	struct encode_trace *trace;
	int ret = 0;

	c->progress.total = source_total(source);
	for (size_t n = 0; !ret && source_stream(source, n, &stream); n++) {
		if (!wanted(c, stream.number))
			continue;
		if (ID_FIRST + c->out.n_trace > ID_LAST) {
			log_say(LOG_ROUGH, "csflow encode: %s: more CPUs or threads than trace IDs: the first %d\n",
				c->path, ID_LAST - ID_FIRST + 1);
			break;
		}
		trace = new_trace(c, &stream);
		ret = trace ? one_stream(c, source, &stream, trace) : -errno;
	}
	progress_stop(&c->progress);
	return ret;
}

/* ---------------------------------------------------------------- results */

static void tell_lost(const struct encode_stats *s)
{
	const char *separator = ": ";
	uint64_t lost = 0;

	for (int why = ENC_KEPT + 1; why < ENC_LOST_NR; why++)
		lost += s->lost[why];
	if (!lost)
		return;
	log_say(LOG_LOST, "csflow encode: %" PRIu64 " of %" PRIu64
		" instructions are not in the trace", lost, s->insns);
	for (int why = ENC_KEPT + 1; why < ENC_LOST_NR; why++) {
		if (!s->lost[why])
			continue;
		log_say(LOG_LOST, "%s%s %" PRIu64, separator, enc_lost_name(why), s->lost[why]);
		separator = ", ";
	}
	log_say(LOG_LOST, "\n");
}

/* The reason why changed code will be decoded wrongly; NULL: it will not, or there is none. */
static const char *why_not_changed(const struct encode_cmd *c)
{
	if (!c->code.changed || c->format == TO_RAW)
		return NULL;
	if (c->format == TO_SNAPSHOT)
		return "a snapshot cannot express that";
	if (!c->setup.time_period)
		return "without timestamps the time is not known";
	if (c->out.n_trace > 1 && !c->encode.has_clock)
		return "no common clock: some streams may be decoded with code of another time";
	return NULL;
}

/* Reports @n records that trace cannot carry, the first in line @line. */
static void tell_first(const struct encode_cmd *c, uint64_t n, uint64_t line, const char *what)
{
	if (!n)
		return;
	log_say(LOG_INPUT, "csflow encode: %" PRIu64 "%s", n, what);
	if (line)
		log_say(LOG_INPUT, "; first at %s:%" PRIu64, c->path, line);
	log_say(LOG_LOST, "\n");
}

static void tell(const struct encode_cmd *c)
{
	const struct encode_stats *s = &c->encode.stats;
	uint64_t bytes = 0;

	for (size_t i = 0; i < c->out.n_trace; i++)
		bytes += c->out.trace[i].n;
	if (c->verbose)
		log_say(LOG_NOTE, "csflow encode: %" PRIu64 " instructions, %" PRIu64 " exceptions, %"
			PRIu64 " bytes of trace of %zu trace units\n", s->insns, s->exceptions,
			bytes, c->out.n_trace);
	tell_lost(s);
	tell_first(c, s->jumps, s->first_jump,
		   " times the log goes on elsewhere without a reason: the trace has a gap there");
	tell_first(c, s->no_code, s->first_no_code,
		   " instructions have no opcode in the log, nor in an --elf");
	tell_first(c, s->wide, s->first_wide,
		   " instructions are A64, which this trace unit cannot trace");
	tell_first(c, s->open, s->first_open,
		   " times the log ends with a branch whose target is not known");
	tell_first(c, s->faulted, s->first_fault,
		   " instructions faulted: they are in the log, and not in the trace");
	if (why_not_changed(c))
		log_say(LOG_ROUGH, "csflow encode: code changed, %" PRIu64 " times an instruction differed from before, first at 0x%"
			PRIx64 ": %s\n", c->code.changed, c->code.changed_at,
			why_not_changed(c));
}

static int write_out(struct encode_cmd *c)
{
	const char *path;
	int err;

	if (c->format == TO_RAW && c->out.n_trace != 1 && !c->out.formatted) {
		log_say(LOG_USAGE, "csflow encode: %s: %zu CPUs: raw bytes are of one CPU: choose it with -C, or use --formatted\n",
			c->path, c->out.n_trace);
		return CMD_USAGE;
	}
	err = c->format == TO_PERF ? encode_out_perf(&c->out) :
	      c->format == TO_RAW ? encode_out_raw(&c->out) : encode_out_snapshot(&c->out);
	path = c->out.failed ? c->out.failed : c->out.path;
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
		err = all_streams(c, source);
	if (source)
		problems_print(source_problems(source), "csflow encode: ");
	if (err && (opened || !source || !source_problems(source)->n))
		log_say(LOG_FILE, "csflow encode: %s: %s\n", c->path, strerror(-err));
	/* All that was read is written, whatever errors came after it. */
	if (opened) {
		tell(c);
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
	for (size_t i = 0; i < c->out.n_trace; i++)
		fclose(c->out.trace[i].file);
	free(c->out.trace);
	free(c->out.tid);
	free(c->out.failed);
	free(c->elf.value);
	free(c->cpus);
	operands_free(&c->files);
	encode_code_fini(&c->code);
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
		c->out.name = slash ? slash + 1 : c->path;
		c->out.setup = &c->setup;
		c->out.code = &c->code;
		c->encode.code = &c->code;
		c->encode.tid_seen = add_tid;
		c->encode.tid_owner = c;
		status = add_tid(c, OWN_PID, OWN_PID) ? CMD_FAILED : work(c);
	}
	tidy(c);
	return status;
}
