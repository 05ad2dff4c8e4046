// SPDX-License-Identifier: GPL-2.0-only
/*
 * A folder in the Common Trace Format, version 1.8: "metadata" is text, and there is a file of
 * packets for each source.  Version 2 would be newer, but what is installed reads 1.8.
 *
 * A packet begins with magic and number of the stream, and then has its first and last time and its
 * size in bits, twice, as it has no padding.  An event is its kind, its time and the fields of the
 * kind.  Times of a stream do not go back: the field "time" has the one of the source.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../perf-plugin/new-file.h"
#include "print.h"

#define MAGIC		0xc1fc1fc1u
#define HEAD		40
#define PACKET_FULL	(48u << 10)
#define PACKET_SIZE	(128u << 10)

/* All clocks have this, so that a reader shows several sources on one axis. */
#define CLOCKS_UUID	"5d5f0a0e-6c3b-4b0e-9d43-c5f10a6d7301"

/**
 * struct stream - the file of a source
 * @used: bit n: there are events of kind n
 */
struct stream {
	const struct message_source *source;
	FILE *file;
	uint8_t *bytes;
	size_t n;
	uint64_t first, last;
	uint32_t used;
};

struct ctf {
	struct stream **stream;
	size_t n;
};

static int path_of(const struct print *p, const char *name, char path[4096])
{
	const int n = snprintf(path, 4096, "%s/%s", p->folder, name);

	return n < 4096 ? 0 : -ENAMETOOLONG;
}

static int start(struct print *p)
{
	p->state = calloc(1, sizeof(struct ctf));
	if (!p->state)
		return -ENOMEM;
	if (!mkdir(p->folder, 0777))
		new_file_passing(p->folder);
	else if (errno != EEXIST || rmdir(p->folder) || mkdir(p->folder, 0777))
		return -errno;
	return 0;
}

/* ---------------------------------------------------------------- packets */

static void put(struct stream *s, uint64_t v, unsigned int size)
{
	for (unsigned int i = 0; i < size; i++)
		s->bytes[s->n++] = v >> 8 * i;
}

static void put_string(struct stream *s, const char *text)
{
	const size_t n = strlen(text) + 1;

	memcpy(s->bytes + s->n, text, n);
	s->n += n;
}

static int flush(struct stream *s)
{
	const size_t n = s->n;

	if (n == HEAD)
		return 0;
	s->n = 0;
	put(s, MAGIC, 4);
	put(s, s->source->number, 4);
	put(s, s->first, 8);
	put(s, s->last, 8);
	put(s, 8 * n, 8);
	put(s, 8 * n, 8);
	return fwrite(s->bytes, 1, n, s->file) == n ? 0 : -errno;
}

static bool room(struct ctf *ctf, uint32_t number)
{
	struct stream **more;

	if (number < ctf->n)
		return true;
	more = realloc(ctf->stream, (number + 1) * sizeof(*more));
	if (!more)
		return false;
	ctf->stream = more;
	while (ctf->n <= number)
		ctf->stream[ctf->n++] = NULL;
	return true;
}

static int add(struct print *p, const struct message_source *source)
{
	struct ctf *ctf = p->state;
	char name[32], path[4096];
	struct stream *s;

	if (!room(ctf, source->number))
		return -ENOMEM;
	s = calloc(1, sizeof(*s));
	if (!s)
		return -ENOMEM;
	ctf->stream[source->number] = s;
	s->source = source;
	s->n = HEAD;
	s->bytes = malloc(PACKET_SIZE);
	snprintf(name, sizeof(name), "source_%u", source->number);
	if (!s->bytes || path_of(p, name, path))
		return -ENOMEM;
	s->file = new_file(path);
	return s->file ? 0 : -errno;
}

/* Which fields a kind has, by the kind alone. */
static bool has_words(int kind)
{
	switch (kind) {
	case CSF_MESSAGE_COUNTERS:
	case CSF_MESSAGE_EXCEPTION:
	case CSF_MESSAGE_NO_PC:
	case CSF_MESSAGE_ERROR:
	case CSF_MESSAGE_OTHER:
	case CSF_MESSAGE_GAP:
	case ROW_TEXT:
	case ROW_SYST:
		return true;
	default:
		return false;
	}
}

static bool has_places(int kind)
{
	return kind == CSF_MESSAGE_READ || kind == CSF_MESSAGE_WRITE ||
	       kind == CSF_MESSAGE_ACCESS_ADDR;
}

static bool has_text(int kind)
{
	return kind == ROW_TEXT || kind == ROW_SYST;
}

static bool has_master(const struct stream *s)
{
	return s->source->protocol == CSF_PROTOCOL_STM;
}

static void put_fields(struct stream *s, const struct row *row)
{
	char words[ROW_WORDS_MAX];

	put(s, row->m.time, 8);
	put(s, row->m.flags, 2);
	if (has_master(s))
		put(s, row->m.master, 2);
	if (row_has_channel(row))
		put(s, row->m.channel, 4);
	if (row_has_value(row)) {
		put(s, row->m.size, 1);
		put(s, row->m.value, 8);
	}
	if (has_places(row->kind)) {
		put(s, row->has & ROW_PC ? row->pc : 0, 8);
		put(s, row->has & ROW_ADDRESS ? row->address : 0, 8);
	}
	if (has_words(row->kind))
		put_string(s, row_words(row, words));
	if (has_text(row->kind))
		put_string(s, row->text);
}

static int put_row(struct print *p, const struct row *row)
{
	struct ctf *ctf = p->state;
	const uint32_t number = row->source->number;
	int err = number < ctf->n && ctf->stream[number] ? 0 : add(p, row->source);
	struct stream *s;

	if (err)
		return err;
	s = ctf->stream[number];
	if (row->m.flags & CSF_MESSAGE_HAS_TIME && row->m.time > s->last)
		s->last = row->m.time;
	if (s->n == HEAD)
		s->first = s->last;
	s->used |= 1u << row->kind;
	put(s, row->kind, 4);
	put(s, s->last, 8);
	put_fields(s, row);
	if (s->n < PACKET_FULL)
		return 0;
	err = flush(s);
	s->n = HEAD;
	return err;
}

/* ---------------------------------------------------------------- metadata */

static void write_clock(FILE *f, const struct stream *s)
{
	const uint32_t number = s->source->number;
	const uint64_t hz = s->source->hz;

	fprintf(f, "clock {\n\tname = clock_%u;\n\tuuid = \"" CLOCKS_UUID "\";\n", number);
	fprintf(f, "\tdescription = \"%s\";\n", hz ? "the clock of the source" :
		"ticks of the source, whose frequency is not known, as nanoseconds");
	fprintf(f, "\tfreq = %" PRIu64 ";\n\toffset = 0;\n};\n\n", hz ? hz : 1000000000);
	fputs("typealias integer { size = 64; align = 8; signed = false; ", f);
	fprintf(f, "map = clock.clock_%u.value; } := time_%u_t;\n\n", number, number);
}

static void write_stream(FILE *f, const struct stream *s)
{
	const uint32_t n = s->source->number;

	fprintf(f, "stream {\n\tid = %u;\n", n);
	fputs("\tpacket.context := struct {\n", f);
	fprintf(f, "\t\ttime_%u_t timestamp_begin;\n\t\ttime_%u_t timestamp_end;\n", n, n);
	fputs("\t\tu64 content_size;\n\t\tu64 packet_size;\n\t};\n", f);
	fputs("\tevent.header := struct {\n\t\tu32 id;\n", f);
	fprintf(f, "\t\ttime_%u_t timestamp;\n\t};\n};\n\n", n);
}

/* A text of the trace, in a string of TSDL. */
static void write_string(FILE *f, const char *text)
{
	fputc('"', f);
	for (; *text; text++) {
		if (*text == '"' || *text == '\\')
			fputc('\\', f);
		if (*text >= 0x20 && *text < 0x7f)
			fputc(*text, f);
	}
	fputc('"', f);
}

static void write_event(FILE *f, const struct stream *s, int kind)
{
	const struct row row = { .kind = kind };

	fputs("event {\n\tname = ", f);
	write_string(f, row_kind(&row));
	fprintf(f, ";\n\tid = %d;\n\tstream_id = %u;\n", kind, s->source->number);
	fputs("\tfields := struct {\n\t\tu64 time;\n\t\tx16 flags;\n", f);
	if (has_master(s))
		fputs("\t\tu16 master;\n", f);
	if (row_has_channel(&row))
		fputs("\t\tu32 channel;\n", f);
	if (row_has_value(&row))
		fputs("\t\tu8 size;\n\t\tx64 value;\n", f);
	if (has_places(kind))
		fputs("\t\tx64 pc;\n\t\tx64 address;\n", f);
	if (has_words(kind))
		fputs("\t\tstring words;\n", f);
	if (has_text(kind))
		fputs("\t\tstring text;\n", f);
	fputs("\t};\n};\n\n", f);
}

static void write_types(FILE *f)
{
	static const struct { const char *name; int size, base; } types[] = {
		{ "u8", 8, 10 }, { "u16", 16, 10 }, { "u32", 32, 10 }, { "u64", 64, 10 },
		{ "x16", 16, 16 }, { "x64", 64, 16 },
	};

	for (size_t i = 0; i < sizeof(types) / sizeof(*types); i++)
		fprintf(f, "typealias integer { size = %d; align = 8; signed = false; base = %d; } := %s;\n",
			types[i].size, types[i].base, types[i].name);
}

static int write_metadata(const struct print *p)
{
	const struct ctf *ctf = p->state;
	char path[4096];
	FILE *f;
	int err = path_of(p, "metadata", path);

	f = err ? NULL : new_file(path);
	if (!f)
		return err ? err : -errno;
	fputs("/* CTF 1.8 */\n\n", f);
	write_types(f);
	fputs("\ntrace {\n\tmajor = 1;\n\tminor = 8;\n\tbyte_order = le;\n"
	      "\tpacket.header := struct {\n\t\tu32 magic;\n\t\tu32 stream_id;\n\t};\n};\n\n", f);
	fputs("env {\n\ttracer_name = \"csflow\";\n", f);
	for (size_t i = 0; i < ctf->n; i++) {
		if (!ctf->stream[i])
			continue;
		fprintf(f, "\tsource_%zu = ", i);
		write_string(f, ctf->stream[i]->source->name);
		fputs(";\n", f);
	}
	fputs("};\n\n", f);
	for (size_t i = 0; i < ctf->n; i++) {
		if (!ctf->stream[i])
			continue;
		write_clock(f, ctf->stream[i]);
		write_stream(f, ctf->stream[i]);
		for (int kind = 0; kind < ROW_NR; kind++)
			if (ctf->stream[i]->used >> kind & 1)
				write_event(f, ctf->stream[i], kind);
	}
	return new_file_hold(f, 0);
}

static int close_stream(struct stream *s, int err)
{
	if (!s)
		return err;
	if (!err && s->n)
		err = flush(s);
	if (s->file) {
		const int closed = new_file_hold(s->file, err);

		err = err ? err : closed;
	}
	free(s->bytes);
	s->bytes = NULL;
	return err;
}

static int end(struct print *p)
{
	struct ctf *ctf = p->state;
	int err = p->nothing ? -ECANCELED : 0;	/* the folder stays empty, and goes */

	for (size_t i = 0; i < ctf->n; i++)
		err = close_stream(ctf->stream[i], err);
	if (!err)
		err = write_metadata(p);
	if (!err)
		err = new_file_release();
	for (size_t i = 0; i < ctf->n; i++)
		free(ctf->stream[i]);
	free(ctf->stream);
	free(ctf);
	p->state = NULL;
	return err;
}

const struct print_format print_ctf = {
	.folder = true, .start = start, .row = put_row, .end = end,
};
