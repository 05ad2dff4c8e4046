// SPDX-License-Identifier: GPL-2.0-only
/* csflow messages: what software and the processor wrote into the trace, and when. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../perf-plugin/elf.h"
#include "../perf-plugin/new-file.h"
#include "cmd.h"
#include "input/snapshot.h"
#include "lib/failed.h"
#include "lib/file.h"
#include "lib/log.h"
#include "input/recording.h"
#include "lib/operands.h"
#include "lib/terminal.h"
#include "messages/message-files.h"
#include "messages/samples.h"

static const char usage[] = "messages [OPTIONS] [FILE] | messages [OPTIONS] --snapshot=DIR";

enum { FORMAT_TEXT, FORMAT_CSV, FORMAT_JSON, FORMAT_CTF, FORMAT_PERFETTO, FORMAT_SAMPLES };

static const char *const format_names[] = {
	"text", "csv", "json", "ctf", "perfetto", "samples", NULL
};

static const struct print_format *const formats[] = {
	&print_text, &print_csv, &print_json, &print_ctf, &print_perfetto, &print_samples,
};

/* The options as the user wrote them. */
struct words {
	const char *snapshot, *output, *time, *masters, *channels, *text, *syst, *syst_ports,
		*frequency;
	struct opt_list binary, elf;
	int format, framing;
	bool output_given;
};

struct command {
	struct words words;
	struct operands files;
	struct message_files input;
	struct listing listing;
	struct syst_catalog catalog;
	struct samples samples;
};

static int wrong(const char *option, const char *value, const char *why)
{
	log_say(LOG_USAGE, "csflow: %s=%s: %s\n", option, value, why);
	return CMD_USAGE;
}

/* ---------------------------------------------------------------- options */

static int read_channels(struct command *c, const char *option, const char *text,
			 struct channels *channels)
{
	if (!text || !channels_read(channels, text))
		return CMD_OK;
	return wrong(option, text, "not a list of ports, such as 0 or 0,2-4, or of MASTER:CHANNEL");
}

static int read_binaries(struct command *c)
{
	for (size_t i = 0; i < c->words.binary.n; i++)
		if (binaries_read(&c->listing.binaries, c->words.binary.value[i]))
			return wrong("--binary", c->words.binary.value[i], "not PORT=FILE");
	return CMD_OK;
}

static int read_catalog(struct command *c)
{
	char problem[SYST_PROBLEM_MAX];
	int err;

	if (!c->words.syst)
		return CMD_OK;
	err = syst_catalog_read(&c->catalog, c->words.syst, problem);
	c->listing.syst.catalog = &c->catalog;
	if (!err)
		return CMD_OK;
	if (err == -EBADMSG)
		log_say(LOG_EMPTY, "csflow: %s: not a collateral of SyS-T: %s\n", c->words.syst,
			problem);
	else
		log_say(LOG_FILE, "csflow: %s: %s\n",
			c->words.syst, file_words(c->words.syst, err));
	return CMD_FAILED;
}

static int read_filters(struct command *c)
{
	const struct words *w = &c->words;
	struct listing *l = &c->listing;

	if (w->masters && numbers_read(&l->masters, w->masters, 0xffff))
		return wrong("--master", w->masters, "not a list of masters, such as 64 or 1,4-7");
	if (w->time && !clock_read_span(w->time, &l->span))
		return wrong("--time", w->time, "not START,STOP in ticks or, as 0.5s,1s, in seconds");
	l->span_given = w->time;
	if (w->frequency && !clock_read_hz(w->frequency, &c->input.hz))
		return wrong("--frequency", w->frequency, "not a frequency, such as 64MHz");
	if (c->input.id_given) {
		char id[24];

		snprintf(id, sizeof(id), "%u", (unsigned int)c->input.id);
		if (numbers_read(&l->ids, id, 0x7f))
			return CMD_USAGE;
	}
	return read_channels(c, "--channel", w->channels, &l->channels);
}

/* Text for a terminal, and nothing else. */
static int check_output(const struct command *c)
{
	const struct words *w = &c->words;

	if (w->format == FORMAT_CTF && !w->output) {
		log_say(LOG_USAGE, "csflow: --format=ctf writes a folder: name it with --output\n");
		return CMD_USAGE;
	}
	if (w->format == FORMAT_PERFETTO && !terminal_takes_binary(w->output))
		return CMD_USAGE;
	if (w->elf.n && w->format != FORMAT_SAMPLES) {
		log_say(LOG_USAGE, "csflow: --elf is for --format=samples\n");
		return CMD_USAGE;
	}
	if (w->format == FORMAT_SAMPLES && w->output) {
		log_say(LOG_USAGE, "csflow: --format=samples writes to standard output\n");
		return CMD_USAGE;
	}
	return CMD_OK;
}

static int understand(struct command *c)
{
	const struct words *w = &c->words;
	struct message_files *f = &c->input;
	int status = check_output(c);

	if (!status)
		status = unit_id_fits(f->id, "messages") ? read_filters(c) : CMD_USAGE;
	if (!status)
		status = read_channels(c, "--text", w->text, &c->listing.lines.channels);
	if (!status)
		status = read_channels(c, "--syst-port", w->syst_ports, &c->listing.syst.channels);
	if (!status)
		status = read_binaries(c);
	if (!status)
		status = read_catalog(c);
	f->listing = &c->listing;
	f->framing = input_framing(w->framing, INPUT_RAW);
	f->framing_given = w->framing;
	if (!status && !unit_complete(&f->unit)) {
		log_say(LOG_UNKNOWN, "csflow: %s\n", UNIT_UNKNOWN);
		status = CMD_USAGE;
	}
	return status;
}

/* Long because it is the table of all options. */
static int parse(struct command *c, int argc, char **argv)
{
	struct words *w = &c->words;
	struct message_files *f = &c->input;
	const struct opt table[] = {
		OPT_GROUP("Output:"),
		OPT_CHOICE(0, "format", &w->format, format_names, "FORMAT", "what to write"),
		OPT_OUTPUT_SEEN('o', "output", &w->output, &w->output_given, "FILE",
				"where to write; for ctf a folder (default: standard output)"),
		OPT_STRING(0, "frequency", &w->frequency, "HZ",
			   "the clock of the source, such as 64MHz: times are seconds"),
		OPT_STRING(0, "text", &w->text, "PORT,...",
			   "ports, or MASTER:CHANNEL, that carry text: list its lines"),
		OPT_LIST(0, "binary", &w->binary, "PORT=FILE",
			 "write the bytes of a port, or MASTER:CHANNEL, to FILE"),
		OPT_PATH(0, "syst", &w->syst, "FILE",
			 "decode messages of MIPI SyS-T with the texts of a collateral"),
		OPT_STRING(0, "syst-port", &w->syst_ports, "PORT,...",
			   "ports, or MASTER:CHANNEL, that carry them (default: all)"),
		OPT_PATHS(0, "elf", &w->elf, "FILE",
			  "with samples, a program, for names of functions"),
		OPT_PROGRESS(&f->show_progress),
		OPT_GROUP("Which messages:"),
		OPT_U64_SEEN(0, "id", &f->id, &f->id_given, "ID", "only of this trace ID"),
		OPT_STRING(0, "master", &w->masters, "LIST",
			   "only of these masters, such as 1,4-7"),
		OPT_STRING(0, "channel", &w->channels, "LIST",
			   "only of these ports, channels or comparators"),
		OPT_WORDS(0, "kind", &c->listing.kinds, row_kinds, "KIND,...",
			  "only these kinds (default: all but time)"),
		OPT_STRING(0, "time", &w->time, "START,STOP",
			   "only from START to STOP, in ticks or, as 0.5s,1s, in seconds"),
		OPT_GROUP("Input:"),
		OPT_INPUT(&c->files.inputs),
		OPT_PATH('S', "snapshot", &w->snapshot, "DIR", "an Arm snapshot"),
		OPT_STRING(0, "buffer", &f->buffer, "NAME",
			   "a trace buffer of the snapshot (default: all)"),
		OPT_CHOICE(0, "framing", &w->framing, input_framings, "FRAMING",
			   "how the trace is wrapped"),
		TRANSPORT_OPTIONS(&f->wire),
		OPT_GROUP("The source of a raw file:"),
		UNIT_OPTIONS(&f->unit),
		OPT_GROUP("Memory:"),
		OPT_MEMORY,
		OPT_NO_CPUS("a source is chosen by --id; csflow script has it"),
		OPT_NO_THREADS("messages have no threads; csflow script has it"),
		OPT_NO_CODE("messages have no code; csflow script has it"),
		OPT_END
	};
	int n, status;

	n = options_parse(argc, argv, table, usage);
	/* the name of a snapshot is the only file, too */
	if (w->snapshot && (n || c->files.inputs.n))
		return options_wrong("messages", usage, "give one file, or one snapshot");
	status = w->snapshot ? CMD_OK : operands_take(&c->files, n, argv, usage);
	return status ? status : understand(c);
}

/* ---------------------------------------------------------------- work */

static int failed(const char *path, int err)
{
	log_say(LOG_FILE, "csflow: %s: %s\n", path ? path : "standard output",
		err == -ENOTEMPTY ? "it is not empty" : file_words(path, err));
	return CMD_FAILED;
}

static int open_samples(struct command *c)
{
	const struct opt_list *elf = &c->words.elf;

	c->samples.elf = calloc(elf->n + 1, sizeof(*c->samples.elf));
	if (!c->samples.elf)
		return failed_at_once("messages");
	c->listing.print.state = &c->samples;
	for (size_t i = 0; i < elf->n; i++) {
		struct elf_file *file;
		int err = elf_file_open(&file, elf->value[i]);

		if (err) {
			log_say(LOG_FILE, "csflow: %s: %s\n", elf->value[i],
				file_elf_words(elf->value[i], err));
			return CMD_FAILED;
		}
		c->samples.elf[c->samples.n_elf++] = file;
	}
	return CMD_OK;
}

/* With --binary alone there is no listing. */
static bool lists(const struct command *c)
{
	return !c->words.binary.n || c->words.format || c->words.output_given ||
	       c->words.text || c->words.syst;
}

static int open_output(struct command *c)
{
	struct print *p = &c->listing.print;
	const char *path;
	int err, status = CMD_OK;

	if (lists(c))
		p->format = formats[c->words.format];
	if (p->format == &print_samples)
		status = open_samples(c);
	if (status)
		return status;
	p->folder = c->words.output;
	if (p->format && !p->format->folder) {
		p->out.file = new_file(c->words.output);
		if (!p->out.file)
			return failed(c->words.output, -errno);
	}
	err = binaries_open(&c->listing.binaries, &path);
	if (err)
		return failed(path, err);
	err = listing_begin(&c->listing);
	return err ? failed(c->words.output, err) : CMD_OK;
}

static int close_output(struct command *c, int status)
{
	struct print *p = &c->listing.print;
	const char *path;
	int err = listing_end(&c->listing, !status);
	/* an old file stays if there is nothing to take its place */
	const bool nothing = p->nothing;

	if (!err && !nothing && p->format == &print_samples)
		err = samples_print(&c->samples);
	if (p->out.file) {
		out_flush(&p->out);
		err = new_file_close(p->out.file, err || !nothing ? err : -ECANCELED);
	}
	if (err && !(nothing && err == -ECANCELED))
		status = failed(c->words.output, err);
	err = binaries_close(&c->listing.binaries, !status, &path);
	return err ? failed(path, err) : status;
}

static int read_input(struct command *c, const char *path)
{
	const char *other;
	struct message_files *f = &c->input;

	if (c->words.snapshot)
		return message_files_snapshot(f, path);
	if (!strcmp(path, "-"))
		return message_files_standard(f);
	if (file_is_pipe(path)) {
		log_say(LOG_FILE, "csflow: %s: %s\n", path, FILE_PIPE);
		return CMD_FAILED;
	}
	other = recording_no_trace(path, true);
	if (other) {
		log_say(LOG_INPUT, "csflow: %s: %s\n", path, other);
		return CMD_FAILED;
	}
	if (spool_perf_at(path))
		return message_files_perf(f, path);
	return snapshot_is(path) ? message_files_snapshot(f, path) : message_files_raw(f, path);
}

/* Says what the listing cannot show.  Return: the exit status. */
static int tell(struct command *c, const char *path, int status)
{
	const struct listing *l = &c->listing;
	char name[32], others[200];

	if (l->unsynced && !l->synced)
		log_say(LOG_ROUGH, "csflow: %s: no sync: its first byte is taken for the start of a packet\n",
			path);
	if (l->no_clock) {
		log_say(LOG_USAGE, "csflow: %s: --time in seconds: the frequency of the clock is not known; --frequency gives it\n",
			path);
		return CMD_FAILED;
	}
	if (status == CMD_OK && listing_silent(l, name, others)) {
		log_say(LOG_EMPTY, "csflow: %s: no message came from %s%s%s\n", path, name,
			*others ? "; messages came from " : ", nor from another port", others);
		return CMD_FAILED;
	}
	if (status == CMD_OK && lists(c) && !l->shown)
		log_say(LOG_EMPTY, "csflow: %s: no messages%s\n", path,
			l->synced || l->unsynced ? " of these, but others" : "");
	else if (c->words.format == FORMAT_SAMPLES && !c->samples.all && !status)
		log_say(LOG_EMPTY, "csflow: %s: no samples of the program counter\n", path);
	return status;
}

static int run(struct command *c)
{
	const char *path = c->words.snapshot ? c->words.snapshot : c->files.path[0];
	int status = open_output(c);

	if (status) {
		new_file_drop();
		return status;
	}
	status = read_input(c, path);
	status = close_output(c, status);
	return tell(c, path, status);
}

/* The protocol of most raw files: an index into unit_protocols. */
static int itm(void)
{
	int i = 0;

	while (strcmp(unit_protocols[i], "itm"))
		i++;
	return i;
}

int cmd_messages(int argc, char **argv)
{
	struct command *c = calloc(1, sizeof(*c));
	int status;

	if (!c)
		return failed_at_once("messages");
	c->input.unit.protocol = itm();
	c->files.most = 1;
	c->files.otherwise = "perf.data";
	c->input.show_progress = true;
	status = parse(c, argc, argv);
	if (!status)
		status = run(c);
	for (size_t i = 0; i < c->samples.n_elf; i++)
		elf_file_close(c->samples.elf[i]);
	free(c->samples.elf);
	samples_free(&c->samples);
	message_files_close(&c->input);
	listing_free(&c->listing);
	syst_catalog_free(&c->catalog);
	operands_free(&c->files);
	free(c->words.binary.value);
	free(c->words.elf.value);
	free(c);
	return status;
}
