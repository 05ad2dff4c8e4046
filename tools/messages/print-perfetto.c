// SPDX-License-Identifier: GPL-2.0-only
/*
 * A protobuf for Perfetto: a track for each source, and below it one for each port or channel, with
 * its messages as instants; one for exceptions, with slices; one for each comparator of the DWT, a
 * counter of the values that it saw; one for samples of the program counter.
 *
 * The used fields, with the names of Perfetto's messages:
 *
 * Trace		1 packet
 * TracePacket		8 timestamp, 10 trusted_packet_sequence_id, 11 track_event,
 *			60 track_descriptor
 * TrackDescriptor	1 uuid, 2 name, 5 parent_uuid, 8 counter
 * TrackEvent		4 debug_annotations, 9 type, 11 track_uuid, 22 categories, 23 name,
 *			30 counter_value
 * DebugAnnotation	3 uint_value, 10 name
 */
#include <errno.h>
#include <stdlib.h>

#include "../../perf-plugin/hash.h"
#include "../lib/protobuf.h"
#include "clock.h"
#include "exceptions.h"
#include "print.h"

enum { SLICE_BEGIN = 1, SLICE_END = 2, INSTANT = 3, COUNTER = 4 };
enum track { TRACK_SOURCE, TRACK_PORT, TRACK_EXCEPTIONS, TRACK_COMPARATOR, TRACK_PC };

#define SEQUENCE	1
/* Further channels are shown on the track of their source. */
#define TRACKS_MAX	65536
/* Longer names are cut. */
#define NAME_MAX_BYTES	1024

/* What runs on the processor of a source. */
struct handlers {
	struct exceptions exceptions;
	uint64_t last;
};

struct perfetto {
	uint64_t *track;
	size_t n_track, size;
	struct hash_table by_uuid;
	struct handlers **handlers;
	size_t n_handlers;
};

static void write_packet(struct print *p, const struct proto *packet)
{
	struct proto trace;

	trace.n = 0;
	proto_message(&trace, 1, packet);
	out_room(&p->out, trace.n);
	memcpy(p->out.buf + p->out.n, trace.bytes, trace.n);
	p->out.n += trace.n;
}

/* ---------------------------------------------------------------- tracks */

static uint64_t uuid_of(const struct row *row, enum track track)
{
	uint64_t uuid = (uint64_t)(row->source->number + 1) << 48 | (uint64_t)track << 44;

	if (track == TRACK_PORT || track == TRACK_COMPARATOR)
		uuid |= (uint64_t)row->m.master << 20 | row->m.channel;
	return uuid;
}

static void name_track(const struct row *row, enum track track, char *name, size_t n)
{
	switch (track) {
	case TRACK_SOURCE:
		snprintf(name, n, "%s", row->source->name);
		break;
	case TRACK_PORT:
		if (row->kind == ROW_ITE)
			snprintf(name, n, "EL%u", row->m.channel);
		else if (row->m.flags & CSF_MESSAGE_HAS_MASTER)
			snprintf(name, n, "channel %u:%u", row->m.master, row->m.channel);
		else
			snprintf(name, n, "port %u", row->m.channel);
		break;
	case TRACK_EXCEPTIONS:
		snprintf(name, n, "exceptions");
		break;
	case TRACK_COMPARATOR:
		snprintf(name, n, "comparator %u", row->m.channel);
		break;
	default:
		snprintf(name, n, "program counter");
		break;
	}
}

static void write_track(struct print *p, const struct row *row, enum track track)
{
	struct proto descriptor, packet;
	char name[80];

	descriptor.n = 0;
	packet.n = 0;
	name_track(row, track, name, sizeof(name));
	proto_number(&descriptor, 1, uuid_of(row, track));
	proto_text(&descriptor, 2, name);
	if (track != TRACK_SOURCE)
		proto_number(&descriptor, 5, uuid_of(row, TRACK_SOURCE));
	if (track == TRACK_COMPARATOR)
		proto_bytes(&descriptor, 8, "", 0);
	proto_number(&packet, 10, SEQUENCE);
	proto_message(&packet, 60, &descriptor);
	write_packet(p, &packet);
}

static int add_track(struct perfetto *pf, uint64_t uuid)
{
	if (!HASH_ROOM(&pf->by_uuid, pf->n_track, 1, i, hash_mix(0, pf->track[i - 1])))
		return -ENOMEM;
	if (pf->n_track == pf->size) {
		const size_t size = pf->size ? 2 * pf->size : 64;
		uint64_t *more = realloc(pf->track, size * sizeof(*more));

		if (!more)
			return -ENOMEM;
		pf->track = more;
		pf->size = size;
	}
	pf->track[pf->n_track++] = uuid;
	*HASH_SLOT(&pf->by_uuid, hash_mix(0, uuid), i, pf->track[i - 1] == uuid) = pf->n_track;
	return 0;
}

static bool is_known(const struct perfetto *pf, uint64_t uuid)
{
	return pf->n_track &&
	       *HASH_SLOT(&pf->by_uuid, hash_mix(0, uuid), i, pf->track[i - 1] == uuid);
}

/* Makes the track known, and its parent.  Return: 0, and *@uuid is the track to use. */
static int find_track(struct print *p, const struct row *row, enum track track, uint64_t *uuid)
{
	struct perfetto *pf = p->state;
	int err;

	*uuid = uuid_of(row, track);
	if (is_known(pf, *uuid))
		return 0;
	if (track != TRACK_SOURCE) {
		uint64_t parent;

		err = find_track(p, row, TRACK_SOURCE, &parent);
		if (err)
			return err;
		if (pf->n_track >= TRACKS_MAX) {
			*uuid = parent;
			return 0;
		}
	}
	err = add_track(pf, *uuid);
	if (!err)
		write_track(p, row, track);
	return err;
}

/* ---------------------------------------------------------------- events */

static void write_event(struct print *p, const struct proto *event, uint64_t ns)
{
	struct proto packet;

	packet.n = 0;
	proto_number(&packet, 8, ns);
	proto_number(&packet, 10, SEQUENCE);
	proto_message(&packet, 11, event);
	write_packet(p, &packet);
}

static void put_name(struct proto *event, const char *name)
{
	size_t n = strlen(name);

	if (n > NAME_MAX_BYTES) {
		for (n = NAME_MAX_BYTES; (name[n] & 0xc0) == 0x80;)
			n--;
	}
	proto_bytes(event, 23, name, n);
}

static void annotate(struct proto *event, const char *name, uint64_t value)
{
	struct proto note;

	note.n = 0;
	proto_number(&note, 3, value);
	proto_text(&note, 10, name);
	proto_message(event, 4, &note);
}

static void begin_event(struct proto *event, const struct row *row, int type, uint64_t uuid)
{
	event->n = 0;
	proto_number(event, 9, type);
	proto_number(event, 11, uuid);
	if (type == SLICE_BEGIN || type == INSTANT)
		proto_text(event, 22, row_kind(row));
}

static int instant(struct print *p, const struct row *row, enum track track, uint64_t ns,
		   const char *name)
{
	struct proto event;
	uint64_t uuid;
	int err = find_track(p, row, track, &uuid);

	if (err)
		return err;
	begin_event(&event, row, INSTANT, uuid);
	put_name(&event, name);
	if (row_has_value(row))
		annotate(&event, "value", row->m.value);
	if (row->has & ROW_GLOBAL)
		annotate(&event, "global", row->global);
	if (row->has & ROW_PC)
		annotate(&event, "pc", row->pc);
	write_event(p, &event, ns);
	return 0;
}

static int counter(struct print *p, const struct row *row, uint64_t ns)
{
	struct proto event;
	uint64_t uuid;
	int err = find_track(p, row, TRACK_COMPARATOR, &uuid);

	if (err)
		return err;
	begin_event(&event, row, COUNTER, uuid);
	proto_number(&event, 30, row->m.value);
	write_event(p, &event, ns);
	return 0;
}

static void end_slices(struct print *p, const struct row *row, size_t n, uint64_t ns)
{
	struct proto event;

	while (n--) {
		begin_event(&event, row, SLICE_END, uuid_of(row, TRACK_EXCEPTIONS));
		write_event(p, &event, ns);
	}
}

static struct handlers *handlers_of(struct perfetto *pf, uint32_t number)
{
	struct handlers **more;

	if (number >= pf->n_handlers) {
		more = realloc(pf->handlers, (number + 1) * sizeof(*more));
		if (!more)
			return NULL;
		pf->handlers = more;
		while (pf->n_handlers <= number)
			pf->handlers[pf->n_handlers++] = NULL;
	}
	if (!pf->handlers[number])
		pf->handlers[number] = calloc(1, sizeof(**more));
	return pf->handlers[number];
}

static int exception(struct print *p, const struct row *row, struct handlers *h, uint64_t ns)
{
	char name[EXCEPTION_NAME_MAX];
	struct proto event;
	uint64_t uuid;
	size_t ends;
	bool begins = exceptions_step(&h->exceptions, &row->m, &ends);
	int err = find_track(p, row, TRACK_EXCEPTIONS, &uuid);

	if (err)
		return err;
	end_slices(p, row, ends, ns);
	if (!begins)
		return 0;
	begin_event(&event, row, SLICE_BEGIN, uuid);
	put_name(&event, exception_name(row->m.value, name));
	annotate(&event, "number", row->m.value);
	write_event(p, &event, ns);
	return 0;
}

/* Which handlers run after a loss is not known. */
static void lose(struct print *p, const struct row *row, struct handlers *h, uint64_t ns)
{
	end_slices(p, row, h->exceptions.n, ns);
	h->exceptions.n = 0;
}

static void name_of(const struct row *row, char *name, size_t n)
{
	char words[ROW_WORDS_MAX];
	const char *word = row_words(row, words);

	if (row->kind == CSF_MESSAGE_DATA && row->m.size == 1 && row->m.value >= 0x20 &&
	    row->m.value < 0x7f)
		snprintf(name, n, "%c", (char)row->m.value);
	else if (row->kind == CSF_MESSAGE_DATA || row->kind == ROW_ITE ||
		 row->kind == CSF_MESSAGE_PC)
		snprintf(name, n, "0x%llx", (unsigned long long)row->m.value);
	else
		snprintf(name, n, "%s%s%s", row_kind(row), *word ? " " : "", word);
}

static int put_event(struct print *p, const struct row *row, struct handlers *h, uint64_t ns)
{
	char name[160];

	name_of(row, name, sizeof(name));
	switch (row->kind) {
	case CSF_MESSAGE_EXCEPTION:
		return exception(p, row, h, ns);
	case CSF_MESSAGE_READ:
	case CSF_MESSAGE_WRITE:
		return counter(p, row, ns);
	case CSF_MESSAGE_PC:
	case CSF_MESSAGE_NO_PC:
		return instant(p, row, TRACK_PC, ns, name);
	case CSF_MESSAGE_DATA:
	case CSF_MESSAGE_FLAG:
	case ROW_ITE:
		return instant(p, row, TRACK_PORT, ns, name);
	case ROW_TEXT:
	case ROW_SYST:
		return instant(p, row, TRACK_PORT, ns, row->text);
	case CSF_MESSAGE_OVERFLOW:
	case CSF_MESSAGE_GAP:
		lose(p, row, h, ns);
		break;
	default:
		break;
	}
	return instant(p, row, TRACK_SOURCE, ns, name);
}

static int start(struct print *p)
{
	p->state = calloc(1, sizeof(struct perfetto));
	return p->state ? 0 : -ENOMEM;
}

static int put_row(struct print *p, const struct row *row)
{
	struct handlers *h = handlers_of(p->state, row->source->number);

	if (!h)
		return -ENOMEM;
	if (row->m.flags & CSF_MESSAGE_HAS_TIME)
		h->last = clock_ns(row->m.time, row->source->hz);
	return put_event(p, row, h, h->last);
}

static int end(struct print *p)
{
	struct perfetto *pf = p->state;

	for (size_t i = 0; i < pf->n_handlers; i++) {
		struct message_source source = { .number = i };
		const struct row row = { .source = &source };

		if (pf->handlers[i])
			lose(p, &row, pf->handlers[i], pf->handlers[i]->last);
		free(pf->handlers[i]);
	}
	free(pf->handlers);
	free(pf->track);
	free(pf->by_uuid.slot);
	free(pf);
	p->state = NULL;
	return 0;
}

const struct print_format print_perfetto = { .start = start, .row = put_row, .end = end };
