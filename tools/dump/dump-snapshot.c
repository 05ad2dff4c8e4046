// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../lib/log.h"
#include "../lib/status.h"
#include "dump.h"
#include "../lib/file.h"
#include "../input/snapshot-capture.h"
#include "../input/snapshot-image.h"
#include "list-order.h"

static void choose(const struct input *in, const struct input_source *source,
		   struct csf_decoder *dec, const struct csf_context *context)
{
	if (context)
		csf_set_space(dec, snapshot_image_space(in->owner, context));
}

static void tell(struct snapshot *s)
{
	problems_print(&s->problems, "csflow dump: ");
	problems_free(&s->problems);
}

static void no_source(const struct dump *d, const struct snapshot *s,
		      const struct snapshot_buffer *buffer)
{
	log_say(LOG_UNKNOWN, "csflow dump: %s: no trace unit that csflow reads wrote into buffer %s",
		s->dir, buffer->name);
	if (d->id_given)
		log_say(LOG_UNKNOWN, " with trace ID 0x%02x", (unsigned int)d->id);
	log_say(LOG_UNKNOWN, ": see [source_buffers] in %s, and what --frames shows\n",
		s->trace_ini);
}

/**
 * struct opened - a buffer that is open
 * @transport: what is around its trace, as --framing may say
 * @source: for @in
 */
struct opened {
	struct snapshot_capture capture;
	struct transport transport;
	struct input_source *source;
	struct input in;
};

static void close_buffer(struct opened *o)
{
	transport_close(&o->transport);
	snapshot_capture_close(&o->capture);
	free(o->source);
}

/* Reads a buffer, and finds its sources.  Return: the exit status. */
static int open_buffer(struct dump *d, struct snapshot *s, const struct snapshot_image *si,
		       const struct snapshot_buffer *buffer, struct opened *o)
{
	const enum snapshot_take take =
		d->format == DUMP_CSFLOW ? SNAPSHOT_ALL : SNAPSHOT_EXECUTION;
	const char *path = buffer->name;
	int err;

	*o = (struct opened){ .source = calloc(2 * s->n_device + 1, sizeof(*o->source)) };
	err = o->source ? snapshot_capture_open(&o->capture, s, buffer, &path) : -ENOMEM;
	if (err) {
		tell(s);
		log_say(LOG_FILE, "csflow dump: %s: %s\n", path, file_words(path, err));
		return CMD_FAILED;
	}
	o->in = (struct input){
		.name = buffer->name, .data = o->capture.data, .n = o->capture.n,
		.framing = dump_framing(d, snapshot_framing(buffer)), .source = o->source,
		.image = si->image, .choose = choose, .owner = (void *)si,
	};
	o->in.n_source = snapshot_sources(s, &o->capture, d->id_given ? (int)d->id : -1, take,
					  o->source);
	tell(s);
	if (o->in.framing >= INPUT_RAW)
		return CMD_OK;
	return transport_open(&o->transport, &d->transport, &o->in, buffer->name, "dump");
}

static int dump_buffer(struct dump *d, struct snapshot *s, const struct snapshot_image *si,
		       const struct snapshot_buffer *buffer)
{
	struct opened o;
	int status = open_buffer(d, s, si, buffer, &o);

	if (status == CMD_OK) {
		dump_units(d, &o.in);
		if (o.in.n_source || d->frames) {
			status = dump_input(d, &o.in);
		} else {
			no_source(d, s, buffer);
			status = CMD_FAILED;
		}
	}
	close_buffer(&o);
	return status;
}

static void session_line(struct dump *d, const struct snapshot *s, size_t i, bool begin)
{
	if (d->format != DUMP_OPENCSD || !d->multi_session)
		return;
	out_flush(&d->out);
	if (begin)
		printf("####### Multi Session decode: Buffer %zu of %zu; Source name = %s.\n\n",
		       i + 1, s->n_buffer, s->buffer[i].name);
	else
		printf("####### Buffer %zu : %s Complete\n\n", i + 1, s->buffer[i].name);
}

static int dump_sessions(struct dump *d, struct snapshot *s, const struct snapshot_image *si)
{
	int status = CMD_OK;

	for (size_t i = 0; i < s->n_buffer && status == CMD_OK; i++) {
		session_line(d, s, i, true);
		status = dump_buffer(d, s, si, &s->buffer[i]);
		session_line(d, s, i, false);
		d->reset = true;
	}
	return status;
}

static int dump_one(struct dump *d, struct snapshot *s, const struct snapshot_image *si)
{
	const struct snapshot_buffer *buffer = d->source ? snapshot_buffer(s, d->source) :
					       s->n_buffer ? &s->buffer[0] : NULL;

	if (buffer)
		return dump_buffer(d, s, si, buffer);
	log_say(LOG_USAGE, "csflow dump: %s: there is no buffer %s\n", s->dir,
		d->source ? d->source : "");
	for (size_t i = 0; d->source && i < s->n_buffer; i++)
		log_say(LOG_USAGE, "csflow dump: but there is %s\n", s->buffer[i].name);
	return CMD_FAILED;
}

/* Adds the sources of a buffer to @part, which has room.  Return: how many there are now. */
static size_t add_parts(const struct opened *o, bool only, struct list_part *part, size_t n)
{
	for (size_t i = 0; i < o->in.n_source; i++) {
		struct list_part *p = &part[n++];

		*p = (struct list_part){
			.in = &o->in, .source = &o->source[i], .name = o->source[i].name,
		};
		snprintf(p->label, sizeof(p->label), "%.*s%s%02x", only ? 0 : 48, o->in.name,
			 only ? "" : ".", p->source->id);
	}
	return n;
}

/* All sources of all buffers, or of the one that is named, in one order of time. */
static int dump_in_time(struct dump *d, struct snapshot *s, const struct snapshot_image *si)
{
	const bool only = s->n_buffer < 2 || d->source;
	struct opened *o = calloc(s->n_buffer + 1, sizeof(*o));
	struct list_part *part = calloc((2 * s->n_device + 1) * s->n_buffer + 1, sizeof(*part));
	int status = o && part ? CMD_OK : CMD_FAILED;
	size_t n = 0;

	/* what can be read is listed, whatever else cannot */
	for (size_t i = 0; i < s->n_buffer && o && part; i++) {
		if (d->source && snapshot_buffer(s, d->source) != &s->buffer[i])
			continue;
		if (open_buffer(d, s, si, &s->buffer[i], &o[i]))
			status = CMD_FAILED;
		else if (!o[i].in.n_source)
			no_source(d, s, &s->buffer[i]);
		n = add_parts(&o[i], only, part, n);
	}
	if (!n || dump_in_order(d, part, n))
		status = CMD_FAILED;
	for (size_t i = 0; o && i < s->n_buffer; i++)
		close_buffer(&o[i]);
	free(part);
	free(o);
	return status;
}

static int dump_any(struct dump *d, struct snapshot *s, const struct snapshot_image *si)
{
	if (d->order == DUMP_BY_TIME && (!d->source || snapshot_buffer(s, d->source)))
		return dump_in_time(d, s, si);
	return d->multi_session ? dump_sessions(d, s, si) : dump_one(d, s, si);
}

int dump_snapshot(struct dump *d, const char *dir)
{
	struct snapshot_image si = { 0 };
	struct snapshot s;
	int status = CMD_FAILED;
	int err = snapshot_open(&s, dir);

	if (!err)
		err = snapshot_image_open(&si, &s);
	tell(&s);
	if (!err)
		status = dump_any(d, &s, &si);
	snapshot_image_close(&si);
	snapshot_close(&s);
	return status;
}
