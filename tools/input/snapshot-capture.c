// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "crash-dump.h"
#include "mtb.h"
#include "snapshot-capture.h"

/* Trace IDs from here on carry no trace. */
#define ID_RESERVED	0x70

void snapshot_capture_close(struct snapshot_capture *c)
{
	for (size_t i = 0; i < c->n_file; i++)
		file_unmap(&c->file[i]);
	free(c->file);
	free(c->joined);
	memset(c, 0, sizeof(*c));
}

static int join(struct snapshot_capture *c)
{
	size_t at = 0;

	c->joined = malloc(c->n + 1);
	if (!c->joined)
		return -ENOMEM;
	for (size_t i = 0; i < c->n_file; i++) {
		memcpy(c->joined + at, c->file[i].data, c->file[i].n);
		at += c->file[i].n;
	}
	c->data = c->joined;
	return 0;
}

/* The first file has the registers, the next the buffer; or the first has both. */
static int read_crash(struct snapshot_capture *c, struct snapshot *s)
{
	struct crash_dump dump = {
		.name = c->buffer->n_path ? c->buffer->path[0] : c->buffer->name,
		.problems = &s->problems, .registers = c->data, .n_registers = c->n,
	};
	const size_t size = crash_dump_size(c->data, c->n);
	size_t ring = size && size < c->n - CRASH_REGISTERS ? c->n - size : CRASH_REGISTERS;
	uint8_t *trace;
	int err;

	if (c->n_file > 1)
		ring = c->file[0].n;
	if (ring < c->n) {
		dump.n_registers = ring;
		dump.ring = c->data + ring;
		dump.n_ring = c->n - ring;
	}
	err = crash_dump_read(&dump, &trace, &c->n);
	free(c->joined);
	c->joined = trace;
	c->data = trace;
	return err;
}

/* The memory of an MTB: the oldest packet comes first. */
static int order_mtb(struct snapshot_capture *c, struct snapshot *s,
		     const struct snapshot_device *unit)
{
	struct mtb_memory m = {
		.data = c->data, .n = c->n, .position = snapshot_reg(unit, "POSITION", 0),
		.master = snapshot_reg(unit, "MASTER", 0),
		.has_master = snapshot_has_reg(unit, "MASTER"),
	};
	uint8_t *packets;

	if (!snapshot_has_reg(unit, "POSITION"))
		return 0;
	if (c->n % 8)
		problems_warn(&s->problems, unit->ini, 0,
			      "buffer %s has %zu bytes, which is not a multiple of 8: the last packet is cut off",
			      c->buffer->name, c->n);
	mtb_buffer(&m);
	if ((m.position & ~7u) > m.n) {
		problems_warn(&s->problems, unit->ini, 0,
			      "POSITION=0x%x: the buffer has only 0x%zx bytes: the packets are read in the order of the memory",
			      m.position, m.n);
		return 0;
	}
	packets = mtb_in_order(m.data, m.n, m.position, &c->n);
	if (!packets)
		return -ENOMEM;
	free(c->joined);
	c->joined = packets;
	c->data = packets;
	return 0;
}

/* The caller reports the reason; this is where the file is named. */
static void tell_line(struct snapshot *s, const struct snapshot_buffer *buffer)
{
	char *ini = s->trace_ini ? snapshot_path(s, s->trace_ini) : NULL;

	if (ini)
		problems_warn(&s->problems, ini, buffer->line,
			      "a file of buffer %s cannot be read", buffer->name);
	free(ini);
}

int snapshot_capture_open(struct snapshot_capture *c, struct snapshot *s,
			  const struct snapshot_buffer *buffer, const char **path)
{
	const struct snapshot_device *unit;
	int joined;

	memset(c, 0, sizeof(*c));
	c->buffer = buffer;
	*path = buffer->name;
	c->file = calloc(buffer->n_path + 1, sizeof(*c->file));
	if (!c->file)
		return -ENOMEM;
	for (size_t i = 0; i < buffer->n_path; i++) {
		int err = file_map(&c->file[i], buffer->path[i]);

		if (err) {
			tell_line(s, buffer);
			*path = buffer->path[i];
			return err;
		}
		c->n_file++;
		c->n += c->file[i].n;
	}
	c->data = c->n_file ? c->file[0].data : (const uint8_t *)"";
	joined = c->n_file > 1 ? join(c) : 0;
	if (joined)
		return joined;
	unit = buffer->format == FORMAT_RAW ? snapshot_raw_unit(s, buffer) : NULL;
	if (unit && unit->protocol == CSF_PROTOCOL_MTB)
		return order_mtb(c, s, unit);
	if (buffer->format != FORMAT_CRASH)
		return 0;
	*path = c->n_file ? buffer->path[0] : buffer->name;
	return read_crash(c, s);
}

static int by_id(const void *a, const void *b)
{
	const struct input_source *x = a, *y = b;

	return x->id - y->id;
}

static int rank(const struct input_source *source)
{
	return csf_config_has_messages(&source->config) ? 2 : source->data;
}

/* Data streams, and then sources of messages, come last. */
static int by_name(const void *a, const void *b)
{
	const struct input_source *x = a, *y = b;

	return rank(x) - rank(y) ?: strcmp(x->name, y->name);
}

/* TRCIDR0.TRCDATA: the unit has data trace; TRCCONFIGR.DA, DV: it is on. */
static bool traces_data(const struct csf_config *config)
{
	return csf_config_protocol(config) == CSF_PROTOCOL_ETM4 &&
	       (config->trcidr0 >> 3 & 3) == 3 && config->trcconfigr >> 16 & 3;
}

/* Counts the bytes of each trace ID. */
static int count_ids(const struct snapshot_capture *c, struct csf_frame_stats *stats)
{
	struct csf_frames *frames;
	int err = csf_frames_new(&frames, snapshot_framing(c->buffer), 0);
	long n = 1;

	*stats = (struct csf_frame_stats){ .size = sizeof(*stats) };
	for (size_t at = 0; !err && at < c->n && n > 0; at += n)
		n = csf_frames_feed(frames, c->data + at, c->n - at);
	if (!err)
		csf_frames_stats(frames, stats);
	csf_frames_free(frames);
	return err;
}

/* The IDs that no source has, as text; *@id is the last.  Return: how many. */
static size_t unclaimed(const struct snapshot_capture *c, const struct input_source *source,
			size_t n, char text[5 * CSF_ID_MAX])
{
	struct csf_frame_stats stats;
	size_t n_id = 0;

	*text = '\0';
	if (count_ids(c, &stats))
		return 0;
	for (size_t i = 0; i < n; i++) {
		stats.id[source[i].id] = 0;
		if (traces_data(&source[i].config))
			stats.id[(source[i].id + 1) % CSF_ID_MAX] = 0;
	}
	for (int id = 1; id < ID_RESERVED; id++)
		if (stats.id[id])
			sprintf(text + 5 * n_id++, " 0x%02x", id);
	return n_id;
}

static const char *id_register(const struct snapshot_device *d)
{
	switch (d->protocol) {
	case CSF_PROTOCOL_PTM:
		return "ETMTRACEIDR";
	case CSF_PROTOCOL_ITM:
		return "ITMTCR";
	case CSF_PROTOCOL_STM:
		return "STMTCSR";
	default:
		return "TRCTRACEIDR";
	}
}

/* Finds the trace ID of a unit whose registers lack it.  Return: it was found. */
static bool find_id(struct snapshot *s, const struct snapshot_capture *c,
		    struct input_source *source, size_t n)
{
	struct input_source *unit = &source[n];
	const struct snapshot_device *d = snapshot_device(s, unit->name);
	char text[5 * CSF_ID_MAX];
	const size_t n_id = unclaimed(c, source, n, text);

	if (n_id == 1) {
		unit->id = strtoul(text, NULL, 0);
		problems_warn(&s->problems, d->ini, 0,
			      "no %s in [regs]; taken for 0x%02x, which no other trace source of buffer %s has",
			      id_register(d), unit->id, c->buffer->name);
		return true;
	}
	problems_warn(&s->problems, d->ini, 0,
		      "trace source %s is left out: no %s in [regs], and buffer %s has %s%s: write the one that it has there",
		      unit->name, id_register(d), c->buffer->name,
		      n_id ? "several trace IDs that no other one has:" : "no trace ID that no other one has",
		      text);
	return false;
}

/* Return: source[n] can be decoded, together with those before it. */
static bool is_good(struct snapshot *s, const struct snapshot_capture *c,
		    const struct input_source *source, size_t n)
{
	const struct input_source *unit = &source[n];
	const struct snapshot_device *d = snapshot_device(s, unit->name);
	const char *problem = csf_config_problem(&unit->config);

	if (problem && d->protocol == CSF_PROTOCOL_PTM) {
		problems_warn(&s->problems, d->ini, 0,
			      "trace source %s is left out: [regs]: %s: ETMIDR=0x%x", unit->name,
			      problem + (*problem == '.'), unit->config.etmidr);
		return false;
	}
	if (problem) {
		problems_warn(&s->problems, d->ini, 0,
			      "trace source %s is left out: [regs]: %s: TRCIDR1=0x%x, TRCIDR2=0x%x, TRCDEVARCH=0x%x",
			      unit->name, problem + (*problem == '.'), unit->config.trcidr1,
			      unit->config.trcidr2, unit->config.trcdevarch);
		return false;
	}
	if (c->buffer->format == FORMAT_RAW)
		return true;
	if (unit->id >= ID_RESERVED) {
		problems_warn(&s->problems, d->ini, 0,
			      "trace source %s is left out: %s=0x%02x in [regs] is reserved, want 1 to 0x6f",
			      unit->name, id_register(d), unit->id);
		return false;
	}
	for (size_t i = 0; i < n; i++) {
		if (source[i].id != unit->id)
			continue;
		problems_warn(&s->problems, d->ini, 0,
			      "trace source %s is left out: %s has the same %s=0x%02x in buffer %s; correct it in [regs], or name the buffers of each in [source_buffers]",
			      unit->name, source[i].name, id_register(d), unit->id,
			      c->buffer->name);
		return false;
	}
	return true;
}

/* Is it a source of messages, which the caller does not want?  If so, says that. */
static bool is_unwanted(struct snapshot *s, const struct snapshot_device *d,
			const struct csf_config *config, enum snapshot_take take)
{
	if (take >= SNAPSHOT_MESSAGES || !csf_config_has_messages(config))
		return false;
	problems_warn(&s->problems, d->ini, 0,
		      "trace source %s is left out: an %s sends messages, not execution: csflow messages lists them",
		      d->name, csf_protocol_name(d->protocol));
	return true;
}

/* Units with an ID come first; the others get the remaining IDs. */
static size_t add_sources(struct snapshot *s, const struct snapshot_capture *c,
			  enum snapshot_take take, struct input_source *source, bool with_id)
{
	const bool raw = c->buffer->format == FORMAT_RAW;
	size_t n = 0;

	while (source[n].name)
		n++;
	for (size_t i = 0; i < s->n_device; i++) {
		const struct snapshot_device *device = &s->device[i];
		const struct snapshot_device *core = snapshot_core(s, device);

		if (device->class != CLASS_SOURCE ||
		    !snapshot_in_buffer(s, device, STREAM_INSTRUCTIONS, c->buffer))
			continue;
		if (snapshot_config(device, core, &source[n].config, &source[n].id) ||
		    (!source[n].id && !raw) == with_id ||
		    is_unwanted(s, device, &source[n].config, take))
			continue;
		source[n].name = device->name;
		if ((with_id || find_id(s, c, source, n)) && is_good(s, c, source, n))
			n++;
		else
			source[n].name = NULL;
	}
	return n;
}

/* The first of the @n sources with the trace ID of @unit; NULL: there is none. */
static const struct input_source *same_id(const struct input_source *source, size_t n,
					  const struct input_source *unit)
{
	for (size_t i = 0; i < n; i++)
		if (source[i].id == unit->id)
			return &source[i];
	return NULL;
}

/* Says what becomes of a data stream.  Return: it can be listed. */
static bool tell_data(struct snapshot *s, const struct snapshot_capture *c,
		      enum snapshot_take take, const struct input_source *source, size_t n)
{
	const struct input_source *unit = &source[n], *other = same_id(source, n, unit);
	const char *ini = snapshot_device(s, unit->name)->ini;

	if (take < SNAPSHOT_ALL) {
		problems_warn(&s->problems, ini, 0,
			      "data trace of %s, trace ID 0x%02x, is left out: csflow knows only its bytes, which csflow dump lists",
			      unit->name, unit->id);
		return false;
	}
	if (c->buffer->format != FORMAT_RAW && (unit->id >= ID_RESERVED || other)) {
		problems_warn(&s->problems, ini, 0,
			      "data trace of %s is left out: its trace ID would be 0x%02x, which %s",
			      unit->name, unit->id,
			      other ? "another trace source has" : "is reserved");
		return false;
	}
	problems_warn(&s->problems, ini, 0,
		      "data trace of %s, trace ID 0x%02x: csflow knows only its bytes",
		      unit->name, unit->id);
	return true;
}

/* Adds the data streams.  The trace ID of each is the one after that of its instruction stream. */
static size_t add_data(struct snapshot *s, const struct snapshot_capture *c,
		       enum snapshot_take take, struct input_source *source, size_t n)
{
	for (size_t i = 0; i < s->n_device; i++) {
		const struct snapshot_device *d = &s->device[i];
		struct input_source *unit = &source[n];

		if (d->class != CLASS_SOURCE ||
		    !snapshot_in_buffer(s, d, STREAM_DATA, c->buffer) ||
		    snapshot_config(d, snapshot_core(s, d), &unit->config, &unit->id) ||
		    !traces_data(&unit->config))
			continue;
		unit->id = (unit->id + 1) % CSF_ID_MAX;
		unit->name = d->name;
		unit->data = true;
		if (tell_data(s, c, take, source, n))
			n++;
		else
			*unit = (struct input_source){ 0 };
	}
	return n;
}

size_t snapshot_sources(struct snapshot *s, const struct snapshot_capture *c, int id,
			enum snapshot_take take, struct input_source *source)
{
	const bool raw = c->buffer->format == FORMAT_RAW;
	size_t n, kept = 0;

	add_sources(s, c, take, source, true);
	n = add_sources(s, c, take, source, false);
	n = add_data(s, c, take, source, n);
	for (size_t i = 0; i < n; i++)
		if (id < 0 || id == source[i].id)
			source[kept++] = source[i];
	qsort(source, kept, sizeof(*source), raw ? by_name : by_id);
	return raw && kept ? 1 : kept;
}

/* "cpu_0", "Cortex-A57_1": the number at the end of the name of the core, else @fallback. */
static uint32_t core_number(const struct snapshot *s, const char *name, uint32_t fallback)
{
	const struct snapshot_device *core = snapshot_core(s, snapshot_device(s, name));
	const char *p;
	uint32_t v = 0;

	if (!core || !core->name)
		return fallback;
	p = core->name + strlen(core->name);
	while (p > core->name && p[-1] >= '0' && p[-1] <= '9')
		p--;
	if (!*p)
		return fallback;
	for (; *p; p++)
		v = v * 10 + (*p - '0');
	return v;
}

/* Two cores may end in the same number, as big_0 and little_0 do. */
void snapshot_number_units(const struct snapshot *s, struct input_source *source, size_t n)
{
	for (size_t i = 0, k; i < n; i++) {
		struct input_source *unit = &source[i];

		unit->number = core_number(s, unit->name, i);
		for (k = 0; k < i; k++) {
			if (source[k].number != unit->number)
				continue;
			unit->number += 1u << 16;
			k = -1;
		}
	}
}

int snapshot_framing(const struct snapshot_buffer *buffer)
{
	switch (buffer->format) {
	case FORMAT_DSTREAM:
		return CSF_FRAMES_DSTREAM;
	case FORMAT_RAW:
		return INPUT_RAW;
	case FORMAT_FRAMES:
	case FORMAT_CRASH:
	case FORMAT_OTHER:
		break;
	}
	return CSF_FRAMES_MEMORY;
}
