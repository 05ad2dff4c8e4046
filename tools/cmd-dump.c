// SPDX-License-Identifier: GPL-2.0-only
/* csflow dump: packets and elements of a trace. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd.h"
#include "dump/dump.h"
#include "lib/failed.h"
#include "dump/figures.h"
#include "lib/file.h"
#include "lib/log.h"
#include "lib/operands.h"
#include "dump/list.h"
#include "dump/list-order.h"
#include "dump/list-opencsd.h"
#include "input/recording.h"
#include "input/snapshot.h"

#define CHUNK	(1u << 20)

static const char usage[] = "dump [OPTIONS] [FILE] | dump [OPTIONS] --snapshot=DIR";

static const char *const formats[] = { "csflow", "opencsd", NULL };
static const char *const orders[] = { "place", "time", NULL };

int dump_framing(const struct dump *d, int fallback)
{
	return input_framing(d->framing, fallback);
}

static const char *printer(const struct input_source *source)
{
	switch (csf_config_protocol(&source->config)) {
	case CSF_PROTOCOL_ETE:
		return "ETE";
	case CSF_PROTOCOL_ETM3:
		return "ETMV3";
	case CSF_PROTOCOL_PTM:
		return "PTM";
	default:
		return "ETMV4I";
	}
}

static void opencsd_head(struct dump *d, const struct input *in)
{
	printf("** Library Version : %s\n", ocsd_release_names[d->release]);
	printf("Using %s as trace source\n", in->name);
	for (size_t i = 0; i < in->n_source; i++)
		printf("Trace Packet Lister : Protocol printer %s on Trace ID 0x%x\n",
		       printer(&in->source[i]),
		       in->framing == INPUT_RAW ? 0 : in->source[i].id);
	if (d->elements)
		printf("Trace Packet Lister : Set trace element decode printer\n");
}

static int list_as_opencsd(struct dump *d, const struct input *in)
{
	struct ocsd_options options = {
		.bytes = d->bytes || d->elements, .packets = d->packets, .elements = d->elements,
		.split = d->split, .reset = d->reset, .progress = &d->progress,
		.release = ocsd_release_at(d->release),
	};
	int err;

	if (!d->reset)
		opencsd_head(d, in);
	err = list_opencsd(in, &options, &d->out);
	out_flush(&d->out);
	if (!err)
		printf("Trace Packet Lister : Trace buffer done, processed %zu bytes.\n", in->n);
	return err;
}

static int list_own(struct dump *d, const struct input *in)
{
	struct list_options options = {
		.packets = d->packets, .elements = d->elements, .split = d->split,
		.stats = d->stats, .progress = &d->progress,
	};

	return list_trace(in, &options, &d->out);
}

/* SOURCE=TICKS.  Return: it is well-formed; @n: length of SOURCE. */
static bool read_skew(const char *word, size_t *n, int64_t *ticks)
{
	const char *value = strrchr(word, '=');
	char *end;

	if (!value || value == word || !value[1])
		return false;
	*n = value - word;
	errno = 0;
	*ticks = strtoll(value + 1, &end, 0);
	return !errno && !*end;
}

/* Is it the label of a source, or that without the buffer? */
static bool is_label(const struct list_part *part, const char *word, size_t n)
{
	const char *dot = strrchr(part->label, '.'), *label = part->label;

	return (strlen(label) == n && !strncmp(label, word, n)) ||
	       (dot && strlen(dot + 1) == n && !strncmp(dot + 1, word, n));
}

/* Return: CMD_OK; or it reports an error. */
static int set_skews(const struct dump *d, struct list_part *part, size_t n_part)
{
	for (size_t i = 0; i < d->skew.n; i++) {
		const char *word = d->skew.value[i];
		bool found = false;
		int64_t ticks = 0;
		size_t n;

		if (!read_skew(word, &n, &ticks))
			return CMD_USAGE;	/* it was reported: skews_fit() */
		for (size_t k = 0; k < n_part; k++) {
			if (!is_label(&part[k], word, n))
				continue;
			part[k].skew = ticks;
			found = true;
		}
		if (found)
			continue;
		log_say(LOG_USAGE, "csflow dump: --skew=%s: there is no source %.*s\n", word,
			(int)n, word);
		return CMD_FAILED;
	}
	return CMD_OK;
}

int dump_in_order(struct dump *d, struct list_part *part, size_t n)
{
	const struct list_options options = { .elements = true, .split = d->split };
	int err = set_skews(d, part, n);

	if (err)
		return err;
	err = list_in_order(part, n, &options, &d->out);
	out_flush(&d->out);
	if (!err)
		return CMD_OK;
	log_say(LOG_FILE, "csflow dump: %s: %s\n", d->path, csf_strerror(err));
	return CMD_FAILED;
}

/* All sources of one capture. */
static int order_input(struct dump *d, const struct input *in)
{
	struct list_part *part = calloc(in->n_source + 1, sizeof(*part));
	int status;

	if (!part)
		return dump_end(d, in, CSF_ERR_MEMORY);
	for (size_t i = 0; i < in->n_source; i++) {
		part[i] = (struct list_part){ .in = in, .source = &in->source[i] };
		snprintf(part[i].label, sizeof(part[i].label), "%02x", in->source[i].id);
	}
	status = dump_in_order(d, part, in->n_source);
	free(part);
	return status;
}

/* How many of @left bytes are fed at once. */
static size_t chunk(size_t left)
{
	return left < CHUNK ? left : CHUNK;
}

/* Feeds everything at once: it is in memory. */
static int count(struct dump *d, const struct input *in)
{
	struct figures figures;
	int err = figures_open(&figures, in, d->threads);

	for (size_t at = 0, n; at < in->n && !err; at += n) {
		n = chunk(in->n - at);
		err = figures_feed(&figures, in->data + at, n, chunk(in->n - at - n));
		progress_at(&d->progress, at + n);
	}
	if (!err)
		err = figures_end(&figures);
	if (!err)
		figures_print(&figures, stdout);
	figures_close(&figures);
	return err;
}

void dump_units(const struct dump *d, const struct input *in)
{
	char text[UNIT_TEXT_MAX];

	if (d->format == DUMP_OPENCSD || d->frames || !d->packets)
		return;
	for (size_t i = 0; i < in->n_source; i++) {
		unit_text(&in->source[i].config, text);
		printf("# [%02x] %s\n", in->source[i].id, text);
	}
}

int dump_end(const struct dump *d, const struct input *in, int err)
{
	if (!err)
		return CMD_OK;
	log_say(LOG_FILE, "csflow dump: %s", d->path);
	if (strcmp(d->path, in->name))
		log_say(LOG_FILE, ": %s", in->name);
	log_say(LOG_FILE, ": %s\n", csf_strerror(err));
	return CMD_FAILED;
}

int dump_input(struct dump *d, const struct input *in)
{
	int err;

	if (d->order == DUMP_BY_TIME)
		return order_input(d, in);
	progress_start(&d->progress, in->name, in->n, d->show_progress);
	if (d->frames)
		err = list_frames(in, &d->out);
	else if (d->format == DUMP_OPENCSD)
		err = list_as_opencsd(d, in);
	else if (dump_counts(d))
		err = count(d, in);
	else
		err = list_own(d, in);
	progress_stop(&d->progress);
	out_flush(&d->out);
	return dump_end(d, in, err);
}

/* A recording is read more than once, and so is everything that is listed. */
static int run_standard(struct dump *d)
{
	const bool counts = dump_counts(d);
	int err = spool_begin(&d->spool, STDIN_FILENO);

	if (!err && (!counts || spool_is_perf(&d->spool) ||
		     transport_wanted(&d->transport, dump_framing(d, INPUT_RAW), d->spool.head,
				      d->spool.n_head)))
		err = spool_all(&d->spool);
	if (err) {
		log_say(LOG_FILE, "csflow dump: -: %s\n", strerror(-err));
		return CMD_FAILED;
	}
	return spool_is_perf(&d->spool) ? dump_perf(d, "-") : dump_raw(d, "-");
}

static int run(struct dump *d, const char *file)
{
	const char *other;

	d->path = d->snapshot ? d->snapshot : file;
	if (d->order == DUMP_BY_TIME)
		d->elements = true;
	if (!d->packets && !d->elements) {
		d->packets = !d->stats;
		d->elements = !d->stats;
	}
	if (d->snapshot)
		return dump_snapshot(d, d->snapshot);
	if (!strcmp(file, "-"))
		return run_standard(d);
	other = recording_no_trace(file, true);
	if (other) {
		log_say(LOG_INPUT, "csflow dump: %s: %s\n", file, other);
		return CMD_FAILED;
	}
	if (file_is_pipe(file)) {
		log_say(LOG_FILE, "csflow dump: %s: %s\n", file, FILE_PIPE);
		return CMD_FAILED;
	}
	if (spool_perf_at(file))		/* maybe of a folder */
		return dump_perf(d, file);
	return snapshot_is(file) ? dump_snapshot(d, file) : dump_raw(d, file);
}

static int run_all(struct dump *d, const char *file)
{
	const uint32_t n = options_threads(d->n_threads);
	int status;

	if (csf_threads_new(&d->threads, n - 1)) {
		log_say(LOG_MEMORY, "csflow dump: no memory for %u threads\n", n);
		return CMD_FAILED;
	}
	status = run(d, file);
	csf_threads_free(d->threads);
	spool_end(&d->spool);
	return status;
}

static bool skews_fit(const struct dump *d)
{
	int64_t ticks;
	size_t n;

	for (size_t i = 0; i < d->skew.n; i++) {
		if (read_skew(d->skew.value[i], &n, &ticks))
			continue;
		log_say(LOG_USAGE, "csflow dump: --skew=%s: want SOURCE=TICKS\n", d->skew.value[i]);
		return false;
	}
	if (d->order == DUMP_BY_TIME || !d->skew.n)
		return true;
	log_say(LOG_USAGE, "csflow dump: --skew goes with --order=time\n");
	return false;
}

/* Packets have no time of their own. */
static bool order_fits(const struct dump *d)
{
	if (!skews_fit(d))
		return false;
	if (d->order != DUMP_BY_TIME ||
	    !(d->packets || d->frames || d->stats || d->format == DUMP_OPENCSD))
		return true;
	log_say(LOG_USAGE, "csflow dump: --order=time lists elements and messages: --packets, --frames, --stats and --format=opencsd do not go with it\n");
	return false;
}

/* Long because it is the table of all options. */
int cmd_dump(int argc, char **argv)
{
	struct dump *d = calloc(1, sizeof(*d));
	struct operands files = { .most = 1, .otherwise = "perf.data" };
	int n, status = CMD_USAGE;

	if (!d)
		return failed_at_once("dump");
	d->out.file = stdout;
	const struct opt table[] = {
		OPT_GROUP("Output:"),
		OPT_FLAG(0, "packets", &d->packets, "list only packets"),
		OPT_FLAG(0, "elements", &d->elements, "list only elements"),
		OPT_FLAG(0, "frames", &d->frames,
			 "list the contents of the frames, without decoding"),
		OPT_FLAG(0, "stats", &d->stats,
			 "print statistics: bytes, packets, atoms, gaps by reason"),
		OPT_FLAG(0, "split-source", &d->split,
			 "one range for each branch that a source address passed"),
		OPT_CHOICE(0, "format", &d->format, formats, "FORMAT", "the format of the listing"),
		OPT_CHOICE(0, "release", &d->release, ocsd_release_names, "VERSION",
			   "with opencsd, the release to compare with"),
		OPT_CHOICE(0, "order", &d->order, orders, "ORDER",
			   "by place in the capture, or all sources by time"),
		OPT_LIST(0, "skew", &d->skew, "SOURCE=TICKS",
			 "with time, add TICKS to the timestamps of a source"),
		OPT_FLAG(0, "bytes", &d->bytes, "with opencsd, the bytes of each packet"),
		OPT_PROGRESS(&d->show_progress),
		OPT_GROUP("Input:"),
		OPT_INPUT(&files.inputs),
		OPT_STRING('S', "snapshot", &d->snapshot, "DIR", "an Arm snapshot"),
		OPT_STRING(0, "source", &d->source, "BUFFER",
			   "a trace buffer of the snapshot (default: the first)"),
		OPT_FLAG(0, "multi-session", &d->multi_session,
			 "all buffers of the snapshot, one after another"),
		OPT_FLAG(0, "all-buffers", &d->multi_session, "as --multi-session"),
		OPT_U64_SEEN(0, "buffer", &d->buffer, &d->buffer_given, "N",
			     "only buffer N of a perf.data, from 0 (default: all)"),
		OPT_PATH(0, "symfs", &d->symfs, "DIR",
			 "the folder with its programs, instead of /"),
		OPT_PATH('k', "vmlinux", &d->vmlinux, "FILE", "the kernel of a perf.data"),
		OPT_U64_SEEN(0, "id", &d->id, &d->id_given, "ID", "only this trace ID"),
		OPT_CHOICE(0, "framing", &d->framing, input_framings, "FRAMING",
			   "how the trace is wrapped"),
		TRANSPORT_OPTIONS(&d->transport),
		OPT_GROUP("The trace unit of a raw file:"),
		UNIT_OPTIONS(&d->unit),
		OPT_U64_SEEN(0, "mtb-position", &d->mtb_position, &d->mtb_given, "VALUE",
			     "register POSITION of an MTB: where its next packet would go"),
		OPT_LIST(0, "code", &d->code, "FILE[@ADDR]",
			 "the bytes of FILE were at ADDR; no ADDR: an ELF file"),
		OPT_SPEED(&d->n_threads),
		OPT_NO_CPUS("a unit is chosen by --id; csflow script has it"),
		OPT_NO_THREADS("the trace itself has no threads; csflow script has it"),
		OPT_NO_TIME("csflow script has it; csflow index --timestamp=N finds a place"),
		OPT_NO_CODE("csflow script has it"),
		OPT_END
	};

	d->show_progress = true;
	n = options_parse(argc, argv, table, usage);
	/* the name of a snapshot is the only file, too */
	if (d->snapshot && !n && !files.inputs.n)
		status = CMD_OK;
	else if (d->snapshot)
		options_wrong("dump", usage, "give one file, or one snapshot");
	else
		status = operands_take(&files, n, argv, usage);
	if (!status && !(unit_id_fits(d->id, "dump") && order_fits(d)))
		status = CMD_USAGE;
	if (!status)
		status = run_all(d, files.n ? files.path[0] : NULL);
	operands_free(&files);
	free(d->code.value);
	free(d->skew.value);
	free(d);
	return status;
}
