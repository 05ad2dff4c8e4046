/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What is around trace that came over a serial wire: samples of a logic analyser, packets of a
 * program that reads the wire, frames without syncs.
 */
#ifndef CSF_TRANSPORT_H
#define CSF_TRANSPORT_H

#include "input.h"
#include "../lib/options.h"

/**
 * struct transport_options - how samples are to be read; zero: as they seem to be
 * @code: enum line_code; @baud: bits a second; @rate: samples a second; @channel: of the wire
 */
struct transport_options {
	int code;
	uint64_t baud, rate;
	const char *channel;
};

extern const char *const transport_codes[];

/* Rows of an option table. */
#define TRANSPORT_OPTIONS(o) \
	OPT_CHOICE(0, "line", &(o)->code, transport_codes, "CODE", \
		   "samples of a logic analyser: the code on the wire"), \
	OPT_U64(0, "baud", &(o)->baud, "N", "likewise: bits a second (default: found)"), \
	OPT_U64(0, "rate", &(o)->rate, "N", "likewise: samples a second, if it has only samples"), \
	OPT_STRING(0, "wire", &(o)->channel, "CHANNEL", \
		   "likewise: the channel with it, by name or number " \
		   "(default: one with SWO in its name)")

/**
 * struct transport - private
 * @source: in place of that of the input, if its trace ID was found
 */
struct transport {
	uint8_t *bytes;
	struct input_cut *cut;
	struct input_source source;
};

/* Does a file need transport_open()?  @framing: as of an input; @head: its first @n bytes */
bool transport_wanted(const struct transport_options *o, int framing, const uint8_t *head,
		      size_t n);

/* The same for the file at @path. */
bool transport_wanted_at(const struct transport_options *o, int framing, const char *path);

/**
 * transport_open() - find the trace in an input
 * @in: a file as it is; changed to what is in it, up to transport_close().  @framing is enum
 *      csf_framing or INPUT_RAW then
 * @path: of the file
 * @command: name for messages
 *
 * Says on standard error what was found.
 *
 * Return: CMD_x of ../lib/status.h.
 */
int transport_open(struct transport *t, const struct transport_options *o, struct input *in,
		   const char *path, const char *command);
void transport_close(struct transport *t);

#endif /* CSF_TRANSPORT_H */
