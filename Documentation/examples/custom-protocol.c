// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Reads a protocol that csflow does not know, with a packet reader of its own:
 *
 *	custom-protocol TRACE [ID]
 *
 * TRACE is the trace of one source; with ID it is frames of 16 bytes, of which those of ID count.
 *
 * The packets of the protocol; numbers have their low byte first:
 *
 *	00		padding
 *	1c V V V V	the value V was written to channel c
 *	20 A A A A N	instructions in N bytes from address A on were executed
 *	30 T		T ticks have passed
 *	40 V V		another unit has the state V
 */
#include "example.h"

/* The number of bytes of a packet that begins with @header; 0: there is none. */
static size_t packet_size(uint8_t header)
{
	static const uint8_t size[16] = { 1, 5, 6, 2, 3 };

	return header >> 4 != 1 && header & 15 ? 0 : size[header >> 4];
}

static uint32_t number(const uint8_t *p, size_t n)
{
	uint32_t v = 0;

	while (n--)
		v = v << 8 | p[n];
	return v;
}

/* @ticks: ticks since the start */
static void fill(struct csf_message *message, uint64_t *ticks, const uint8_t *p)
{
	switch (p[0] & 0xf0) {
	case 0x10:
		message->kind = CSF_MESSAGE_DATA;
		message->channel = p[0] & 15;
		message->value = number(p + 1, 4);
		message->size = 4;
		break;
	case 0x20:
		message->kind = CSF_MESSAGE_RANGE;
		message->value = number(p + 1, 4);
		message->channel = p[5];
		break;
	case 0x30:
		*ticks += p[1];
		message->kind = CSF_MESSAGE_TIME;
		message->value = p[1];
		break;
	case 0x40:
		message->kind = CSF_MESSAGE_CUSTOM;
		message->value = number(p + 1, 2);
		message->size = 2;
		break;
	}
	message->time = *ticks;
	message->flags = CSF_MESSAGE_HAS_TIME;
}

static int read_packet(void *context, const uint8_t *bytes, size_t n, struct csf_reading *reading)
{
	reading->size = packet_size(bytes[0]);
	if (!reading->size) {
		reading->size = 1;
		return CSF_READ_BAD;
	}
	if (n < reading->size)
		return CSF_READ_MORE;
	if (bytes[0]) {
		reading->n = 1;
		fill(&reading->message[0], context, bytes);
	}
	return CSF_READ_PACKET;
}

static void forget(void *context)
{
	*(uint64_t *)context = 0;
}

static void print_all(struct csf_messages *messages)
{
	struct csf_message m;
	int got;

	while ((got = csf_messages_next(messages, &m)) > 0) {
		printf("%llu %s", (unsigned long long)m.offset, csf_message_name(m.kind));
		if (m.kind == CSF_MESSAGE_GAP)
			printf(" %s", csf_gap_name(m.info));
		printf(" %u %#llx\n", m.channel, (unsigned long long)m.value);
	}
	if (got < 0)
		die(csf_strerror(got), csf_messages_problem(messages));
}

static void read_frames(struct csf_messages *messages, unsigned int id, const uint8_t *bytes,
			size_t n)
{
	struct csf_frames *frames;
	int err = csf_frames_new(&frames, CSF_FRAMES_MEMORY, 0);

	if (!err)
		err = csf_attach_messages(frames, id, messages);
	if (err)
		die("frames", csf_strerror(err));
	for (long at = 0, taken; at < (long)n; at += taken) {
		taken = csf_frames_feed(frames, bytes + at, n - at);
		if (taken < 0)
			die("frames", csf_strerror(taken));
		print_all(messages);
	}
	csf_frames_end(frames);
	print_all(messages);
	csf_frames_free(frames);
}

int main(int argc, char **argv)
{
	uint64_t ticks;
	const struct csf_reader reader = {
		.size = sizeof(reader), .context = &ticks, .read = read_packet, .reset = forget,
	};
	struct csf_messages *messages;
	unsigned char *bytes;
	size_t n;

	if (argc < 2)
		die("custom-protocol", "want TRACE [ID]");
	bytes = read_file(argv[1], &n);
	if (csf_messages_new_reader(&messages, &reader))
		die("messages", csf_strerror(CSF_ERR_MEMORY));
	if (argc > 2)
		read_frames(messages, strtoul(argv[2], NULL, 0), bytes, n);
	else if (!csf_messages_feed(messages, bytes, n) && !csf_messages_end(messages))
		print_all(messages);
	csf_messages_free(messages);
	free(bytes);
	return 0;
}
