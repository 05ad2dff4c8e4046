// SPDX-License-Identifier: GPL-2.0-only
/*
 * A protobuf for Perfetto: a Trace of packets, each of which is a track, or an event on one.
 * Names and categories are written once and then used by number; this state is common to the
 * packets of one sequence, and all of ours are of one.
 *
 * The used fields, with the names of Perfetto's messages:
 *
 * Trace		1 packet
 * TracePacket		8 timestamp, 10 trusted_packet_sequence_id, 11 track_event,
 *			12 interned_data, 13 sequence_flags, 60 track_descriptor
 * TrackDescriptor	1 uuid, 2 name, 3 process, 4 thread, 5 parent_uuid, 8 counter
 * ProcessDescriptor	1 pid, 6 process_name
 * ThreadDescriptor	1 pid, 2 tid, 5 thread_name
 * CounterDescriptor	6 unit_name
 * TrackEvent		3 category_iids, 4 debug_annotations, 9 type, 10 name_iid, 11 track_uuid,
 *			44 double_counter_value
 * DebugAnnotation	3 uint_value, 10 name
 * InternedData		1 event_categories, 2 event_names; in each 1 iid, 2 name
 */
#include <stdio.h>

#include "../lib/protobuf.h"
#include "timeline-out.h"

enum { SLICE_BEGIN = 1, SLICE_END = 2, COUNTER = 4 };
enum { STATE_CLEARED = 1, NEEDS_STATE = 2 };

#define SEQUENCE	1

/* Above this are the tracks of CPUs, and their parent. */
#define UUID_CPUS	(1ull << 40)

static uint64_t process_uuid(uint32_t pid)
{
	return 1ull << 32 | pid;
}

static uint64_t uuid_of(const struct timeline_track *track)
{
	if (track->kind == TRACK_THREAD)
		return 2ull << 32 | track->number;
	return UUID_CPUS | (uint64_t)track->kind << 32 | track->number;
}

static void write_packet(struct timeline_out *o, const struct proto *packet)
{
	struct proto trace;

	trace.n = 0;
	proto_message(&trace, 1, packet);
	out_room(o->out, trace.n);
	memcpy(o->out->buf + o->out->n, trace.bytes, trace.n);
	o->out->n += trace.n;
}

/* ---------------------------------------------------------------- tracks */

static void write_track(struct timeline_out *o, const struct proto *descriptor)
{
	struct proto packet;

	packet.n = 0;
	proto_number(&packet, 10, SEQUENCE);
	proto_message(&packet, 60, descriptor);
	write_packet(o, &packet);
}

/* Writes a parent track: a process, or that of all CPUs. */
static void write_parent(struct timeline_out *o, const struct timeline_track *track)
{
	struct proto descriptor, process;

	descriptor.n = 0;
	process.n = 0;
	if (track->kind == TRACK_THREAD) {
		proto_number(&descriptor, 1, process_uuid(track->pid));
		proto_number(&process, 1, track->pid);
		proto_text(&process, 6, track->process);
		proto_message(&descriptor, 3, &process);
	} else {
		proto_number(&descriptor, 1, UUID_CPUS);
		proto_text(&descriptor, 2, track->process);
	}
	write_track(o, &descriptor);
}

static void put_thread(struct proto *descriptor, const struct timeline_track *track)
{
	struct proto thread;

	thread.n = 0;
	proto_number(&thread, 1, track->pid);
	proto_number(&thread, 2, track->number);
	proto_text(&thread, 5, track->name);
	proto_number(descriptor, 5, process_uuid(track->pid));
	proto_message(descriptor, 4, &thread);
}

static void put_cpu(struct proto *descriptor, const struct timeline_track *track)
{
	static const char *const names[] = {
		[TRACK_CPU] = "CPU %u", [TRACK_UNKNOWN] = "CPU %u, nobody knows who",
		[TRACK_IPC] = "CPU %u IPC", [TRACK_CYCLES] = "CPU %u cycles",
	};
	struct proto counter;
	char name[64];

	snprintf(name, sizeof(name), names[track->kind], track->number);
	proto_text(descriptor, 2, name);
	proto_number(descriptor, 5, UUID_CPUS);
	if (track->kind != TRACK_IPC && track->kind != TRACK_CYCLES)
		return;
	counter.n = 0;
	proto_text(&counter, 6, track->kind == TRACK_IPC ? "instructions/cycle" : "cycles");
	proto_message(descriptor, 8, &counter);
}

static void track(struct timeline_out *o, const struct timeline_track *track)
{
	struct proto descriptor;

	if (track->process)
		write_parent(o, track);
	descriptor.n = 0;
	proto_number(&descriptor, 1, uuid_of(track));
	if (track->kind == TRACK_THREAD)
		put_thread(&descriptor, track);
	else
		put_cpu(&descriptor, track);
	write_track(o, &descriptor);
}

/* ---------------------------------------------------------------- events */

static void write_event(struct timeline_out *o, uint64_t time, const struct proto *event,
			const struct proto *interned)
{
	struct proto packet;

	packet.n = 0;
	proto_number(&packet, 8, time);
	proto_number(&packet, 10, SEQUENCE);
	proto_message(&packet, 11, event);
	if (interned && interned->n)
		proto_message(&packet, 12, interned);
	proto_number(&packet, 13, NEEDS_STATE);
	write_packet(o, &packet);
}

/* An entry of InternedData. */
static void intern(struct proto *interned, int field, uint64_t number, const char *text)
{
	struct proto entry;

	entry.n = 0;
	proto_number(&entry, 1, number);
	proto_text(&entry, 2, text);
	proto_message(interned, field, &entry);
}

static void start(struct timeline_out *o)
{
	struct proto packet, interned;

	packet.n = 0;
	interned.n = 0;
	for (int i = 0; i < SLICE_NR; i++)
		intern(&interned, 1, i + 1, timeline_kinds[i]);
	proto_number(&packet, 10, SEQUENCE);
	proto_message(&packet, 12, &interned);
	proto_number(&packet, 13, STATE_CLEARED);
	write_packet(o, &packet);
}

static void annotate(struct proto *event, const char *name, uint64_t value)
{
	struct proto note;

	note.n = 0;
	proto_number(&note, 3, value);
	proto_text(&note, 10, name);
	proto_message(event, 4, &note);
}

static void begin(struct timeline_out *o, const struct timeline_track *track,
		  const struct timeline_slice *slice)
{
	struct timeline_name *name = &o->names->name[slice->name];
	struct proto event, interned;

	event.n = 0;
	interned.n = 0;
	proto_number(&event, 3, slice->kind + 1);
	if (slice->loss) {
		annotate(&event, "atoms", slice->loss->atoms);
		annotate(&event, "bytes", slice->loss->bytes);
	}
	proto_number(&event, 9, SLICE_BEGIN);
	proto_number(&event, 10, slice->name);
	proto_number(&event, 11, uuid_of(track));
	if (!name->told)
		intern(&interned, 2, slice->name, name->text);
	name->told = true;
	write_event(o, slice->time, &event, &interned);
}

static void end(struct timeline_out *o, const struct timeline_track *track, uint64_t time)
{
	struct proto event;

	event.n = 0;
	proto_number(&event, 9, SLICE_END);
	proto_number(&event, 11, uuid_of(track));
	write_event(o, time, &event, NULL);
}

static void count(struct timeline_out *o, const struct timeline_track *track, uint64_t time,
		  double value)
{
	struct proto event;

	event.n = 0;
	proto_number(&event, 9, COUNTER);
	proto_number(&event, 11, uuid_of(track));
	proto_double(&event, 44, value);
	write_event(o, time, &event, NULL);
}

static void finish(struct timeline_out *o)
{
}

const struct timeline_format timeline_perfetto = {
	.start = start, .track = track, .begin = begin, .end = end, .count = count,
	.finish = finish,
};
