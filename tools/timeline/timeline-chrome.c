// SPDX-License-Identifier: GPL-2.0-only
/*
 * JSON in the format of Chrome's trace events: B and E begin and end a slice, C is a counter, M a
 * name; ts is in microseconds.
 */
#include <inttypes.h>

#include "timeline-out.h"

/* Longer than anything but names */
#define ROOM	512

static void put_string(struct out *out, const char *text)
{
	const char *digits = "0123456789abcdef";

	/* the longest character */
	out_room(out, 8);
	out_char(out, '"');
	for (const char *s = text; *s; s++) {
		out_room(out, 8);
		if (*s == '"' || *s == '\\')
			out_char(out, '\\');
		if ((unsigned char)*s >= 0x20) {
			out_char(out, *s);
			continue;
		}
		out_text(out, "\\u00");
		out_char(out, digits[*s >> 4]);
		out_char(out, digits[*s & 15]);
	}
	out_room(out, 8);
	out_char(out, '"');
}

/* Threads of one process have numbers of their own: a CPU has three tracks. */
static uint64_t thread_of(const struct timeline_track *track)
{
	if (track->kind == TRACK_THREAD)
		return track->number;
	return 2 * (uint64_t)track->number + (track->kind == TRACK_UNKNOWN);
}

/* {"ph":"B","pid":1,"tid":2 */
static void open_event(struct timeline_out *o, char ph, const struct timeline_track *track)
{
	out_room(o->out, ROOM);
	out_text(o->out, o->begun ? ",\n{\"ph\":\"" : "\n{\"ph\":\"");
	o->begun = true;
	out_char(o->out, ph);
	out_text(o->out, "\",\"pid\":");
	out_dec(o->out, track->kind == TRACK_THREAD ? track->pid : TIMELINE_CPUS);
	out_text(o->out, ",\"tid\":");
	out_dec(o->out, thread_of(track));
}

static void put_time(struct out *out, uint64_t ns)
{
	uint64_t part = ns % 1000;

	out_text(out, ",\"ts\":");
	out_dec(out, ns / 1000);
	out_char(out, '.');
	out_char(out, '0' + part / 100);
	out_char(out, '0' + part / 10 % 10);
	out_char(out, '0' + part % 10);
}

static void put_name(struct timeline_out *o, const struct timeline_track *track, const char *what,
		     const char *name)
{
	open_event(o, 'M', track);
	out_text(o->out, ",\"name\":\"");
	out_text(o->out, what);
	out_text(o->out, "\",\"args\":{\"name\":");
	put_string(o->out, name);
	out_room(o->out, ROOM);
	out_text(o->out, "}}");
}

static void start(struct timeline_out *o)
{
	out_room(o->out, ROOM);
	out_text(o->out, "{\"displayTimeUnit\":\"ns\",\"otherData\":{\"producer\":\"csflow\",\"unit\":\"");
	out_text(o->out, o->insns ? "instructions" : "nanoseconds");
	out_text(o->out, "\"},\"traceEvents\":[");
}

static void track(struct timeline_out *o, const struct timeline_track *track)
{
	char name[64];

	if (track->process)
		put_name(o, track, "process_name", track->process);
	if (track->kind == TRACK_IPC || track->kind == TRACK_CYCLES)
		return;
	snprintf(name, sizeof(name), track->kind == TRACK_CPU ? "CPU %u" :
		 "CPU %u, nobody knows who", track->number);
	put_name(o, track, "thread_name", track->name ? track->name : name);
}

static void begin(struct timeline_out *o, const struct timeline_track *track,
		  const struct timeline_slice *slice)
{
	open_event(o, 'B', track);
	put_time(o->out, slice->time);
	out_text(o->out, ",\"cat\":\"");
	out_text(o->out, timeline_kinds[slice->kind]);
	out_text(o->out, "\",\"name\":");
	put_string(o->out, o->names->name[slice->name].text);
	out_room(o->out, ROOM);
	if (slice->loss) {
		out_text(o->out, ",\"args\":{\"atoms\":");
		out_dec(o->out, slice->loss->atoms);
		out_text(o->out, ",\"bytes\":");
		out_dec(o->out, slice->loss->bytes);
		out_char(o->out, '}');
	}
	out_char(o->out, '}');
}

static void end(struct timeline_out *o, const struct timeline_track *track, uint64_t time)
{
	open_event(o, 'E', track);
	put_time(o->out, time);
	out_char(o->out, '}');
}

static void count(struct timeline_out *o, const struct timeline_track *track, uint64_t time,
		  double value)
{
	const char *what = track->kind == TRACK_IPC ? "IPC" : "cycles";
	char text[64];

	open_event(o, 'C', track);
	put_time(o->out, time);
	snprintf(text, sizeof(text), ",\"name\":\"CPU %u %s\",\"args\":{\"%s\":%.*f}}",
		 track->number, what, what, track->kind == TRACK_IPC ? 3 : 0, value);
	out_text(o->out, text);
}

static void finish(struct timeline_out *o)
{
	out_room(o->out, ROOM);
	out_text(o->out, "\n]}\n");
}

const struct timeline_format timeline_chrome = {
	.start = start, .track = track, .begin = begin, .end = end, .count = count,
	.finish = finish,
};
