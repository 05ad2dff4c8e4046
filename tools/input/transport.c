// SPDX-License-Identifier: GPL-2.0-only
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../lib/log.h"
#include "../lib/status.h"
#include "frame-ids.h"
#include "orbflow.h"
#include "phase.h"
#include "sigrok.h"
#include "transport.h"

const char *const transport_codes[] = { "auto", "uart", "manchester", NULL };

static int wrong(const char *command, const char *name, const char *why)
{
	log_say(LOG_FILE, "csflow %s: %s: %s\n", command, name, why);
	return CMD_FAILED;
}

/* ---------------------------------------------------------------- samples */

static bool has_samples(const struct transport_options *o, const uint8_t *head, size_t n)
{
	return sigrok_is(head, n) || o->code || o->baud || o->channel;
}

/* A file that is nothing but samples, of a byte each.  Return: NULL, or what is wrong. */
static const char *bare_samples(struct line_samples *s, const struct transport_options *o,
				const struct input *in)
{
	const char *channel = o->channel ? o->channel : "1";

	if (!isdigit((unsigned char)*channel) || atoi(channel) < 1 || atoi(channel) > 8)
		return "--wire: a file of samples has channels 1 to 8, a bit of each byte";
	if (o->baud && !o->rate)
		return "--baud: a file of samples needs --rate, too";
	*s = (struct line_samples){
		.data = in->data, .n = in->n, .unit = 1, .bit = atoi(channel) - 1,
	};
	return NULL;
}

static void tell_line(const struct line *line, double rate, const char *command, const char *name)
{
	log_say(LOG_NOTE, "csflow %s: %s: %s, ", command, name, transport_codes[line->code]);
	if (rate > 0 && line->bit > 0)
		log_say(LOG_NOTE, "%.0f bit/s, ", rate / line->bit);
	log_say(LOG_NOTE, "%zu bytes, %zu damaged\n", line->n, line->bad);
}

static int read_samples(struct transport *t, const struct transport_options *o, struct input *in,
			const char *path, const char *command)
{
	struct sigrok s = { .rate = o->rate };
	struct line line = { 0 };
	const char *why;
	int err = 0;

	if (sigrok_is(in->data, in->n))
		why = sigrok_read(&s, path, o->channel);
	else
		why = bare_samples(&s.samples, o, in);
	if (!why && o->baud && s.rate <= 0)
		why = "--baud: the file does not say how many samples a second has";
	if (!why)
		err = line_read(&line, &s.samples, o->code, o->baud ? s.rate / o->baud : 0);
	if (err)
		why = err == -ENODATA ? "the wire never changes" : strerror(-err);
	free(s.data);
	t->bytes = line.bytes;
	if (why)
		return wrong(command, in->name, why);
	tell_line(&line, s.rate, command, in->name);
	in->data = line.bytes;
	in->n = line.n;
	return CMD_OK;
}

/* ---------------------------------------------------------------- packets of a program */

/* The only trace unit there is, if its trace ID is not known. */
static void set_id(struct transport *t, struct input *in, uint8_t id)
{
	t->source = in->source[0];
	t->source.id = id;
	in->source = &t->source;
}

static void tell_tags(const struct orbflow *o)
{
	const char *separator = "tags ";

	for (unsigned int tag = 0; tag < 256; tag++) {
		if (!o->tagged[tag])
			continue;
		log_say(LOG_UNKNOWN, "%s0x%02x", separator, tag);
		separator = ", ";
	}
	log_say(LOG_UNKNOWN, *separator == ',' ? ": name the trace unit with --id\n" :
					    "no whole packet in it: see --framing\n");
}

static int read_orbflow(struct transport *t, struct input *in, const char *command)
{
	struct orbflow o;
	uint8_t *bytes;

	if (in->n_source == 1 && !in->source[0].id) {
		const uint8_t only = orbflow_only(&o, in->data, in->n);

		log_say(LOG_UNKNOWN, "csflow %s: %s: ", command, in->name);
		if (!only) {
			tell_tags(&o);
			return CMD_USAGE;
		}
		log_say(LOG_UNKNOWN, "tag 0x%02x is the only one\n", only);
		set_id(t, in, only);
	}
	if (in->n_source != 1)
		return wrong(command, in->name, "orbflow: name one trace unit with --id");
	if (orbflow_read(&o, in->data, in->n, in->source[0].id))
		return wrong(command, in->name, strerror(ENOMEM));
	if (o.bad)
		log_say(LOG_INPUT, "csflow %s: %s: %zu packets are not whole\n", command, in->name,
			o.bad);
	bytes = t->bytes;
	t->bytes = o.bytes;
	free(bytes);
	in->data = o.bytes;
	in->n = o.n;
	in->framing = INPUT_RAW;
	return CMD_OK;
}

/* ---------------------------------------------------------------- frames without syncs */

static int find_phase(struct transport *t, struct input *in)
{
	int err;

	free(t->cut);
	err = phase_find(in, &t->cut, &in->n_cut);
	in->cut = t->cut;
	return err;
}

/* IDs that are found help to find the frames, if the trace unit is known with its ID. */
static int find_frames(struct transport *t, struct input *in, const char *command)
{
	size_t bytes = 0;
	uint8_t only;
	int err = find_phase(t, in);

	in->framing = CSF_FRAMES_MEMORY;
	if (!err && in->n_source == 1 && !in->source[0].id) {
		only = frame_ids_single(in);
		if (only)
			set_id(t, in, only);
		err = only ? find_phase(t, in) : 0;
	}
	if (err)
		return wrong(command, in->name, csf_strerror(err));
	for (size_t i = 0; i < in->n_cut; i++)
		bytes += in->cut[i].n;
	if (bytes)
		log_say(LOG_INPUT, "csflow %s: %s: %zu bytes in %zu places are in no frame\n",
			command, in->name, bytes, in->n_cut);
	return CMD_OK;
}

bool transport_wanted(const struct transport_options *o, int framing, const uint8_t *head,
		      size_t n)
{
	return framing < INPUT_RAW || has_samples(o, head, n);
}

bool transport_wanted_at(const struct transport_options *o, int framing, const char *path)
{
	FILE *f = fopen(path, "rb");
	uint8_t head[8];
	size_t n = f ? fread(head, 1, sizeof(head), f) : 0;

	if (f)
		fclose(f);
	return transport_wanted(o, framing, head, n);
}

int transport_open(struct transport *t, const struct transport_options *o, struct input *in,
		   const char *path, const char *command)
{
	int status = CMD_OK;

	*t = (struct transport){ 0 };
	if (has_samples(o, in->data, in->n))
		status = read_samples(t, o, in, path, command);
	if (status == CMD_OK && in->framing == INPUT_ORBFLOW)
		status = read_orbflow(t, in, command);
	else if (status == CMD_OK && in->framing == INPUT_SWO)
		status = find_frames(t, in, command);
	return status;
}

void transport_close(struct transport *t)
{
	free(t->bytes);
	free(t->cut);
	*t = (struct transport){ 0 };
}
