// SPDX-License-Identifier: GPL-2.0-only
/*
 * A packet reader of the caller that does what the bytes say, rules or not: a broken rule is an
 * error, chunks do not matter, and the bytes of packets and gaps add up.
 *
 * The first byte says how to cut, and whether rules may be broken; the rest is the trace.
 */
#include <stdlib.h>
#include <string.h>

#include "../../decoder/csflow.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static void must(bool holds)
{
	if (!holds)
		abort();
}

/* @context: may it break rules? */
static int read_packet(void *context, const uint8_t *p, size_t n, struct csf_reading *reading)
{
	const bool bad = *(const bool *)context;
	const unsigned int size = p[0] & 31;

	must(n && n <= CSF_READER_BYTES);
	if (bad && p[0] == 0xff) {
		reading->size = n > 1 ? p[1] : 0;
		reading->n = n > 2 ? p[2] : UINT32_MAX;
		reading->message[0].kind = n > 3 ? p[3] : 0;
		reading->message[3].size = n > 4 ? p[4] : 0;
		return n > 5 ? (int8_t)p[5] : 0;
	}
	reading->size = size + 1;
	if (p[0] & 0x80)
		reading->size = 1;
	else if (n < reading->size)
		return CSF_READ_MORE;
	reading->n = p[0] & 0x80 ? 0 : p[0] >> 5 & 3;
	for (unsigned int i = 0; i < reading->n; i++)
		reading->message[i] = (struct csf_message){
			.kind = (p[0] + i) % CSF_MESSAGE_GAP, .value = p[size], .size = 1,
		};
	return p[0] & 0x80 ? CSF_READ_BAD : CSF_READ_PACKET;
}

static uint64_t mix(uint64_t sum, uint64_t v)
{
	return (sum ^ v) * 0x100000001b3;
}

/* All messages until there are no more.  Return: of csf_messages_next(). */
static int drain(struct csf_messages *messages, uint64_t *sum, uint64_t *skipped, uint64_t *last)
{
	struct csf_message m;
	int got;

	while ((got = csf_messages_next(messages, &m)) > 0) {
		*sum = mix(mix(mix(*sum, m.offset), m.value), m.kind << 8 | m.info);
		must(m.kind < CSF_MESSAGE_NR && m.size <= sizeof(m.value) && m.offset >= *last);
		*last = m.offset;
		*skipped += m.kind == CSF_MESSAGE_GAP ? m.value : 0;
	}
	return got;
}

/* Reads in chunks of @chunk bytes, each in memory of its own. */
static uint64_t read_messages(bool bad, const uint8_t *p, size_t n, size_t chunk)
{
	const struct csf_reader reader = {
		.size = sizeof(reader), .context = &bad, .read = read_packet,
	};
	struct csf_message_stats stats = { .size = sizeof(stats) };
	uint64_t sum = 0, skipped = 0, last = 0;
	struct csf_messages *messages;
	int got = 0;

	must(!csf_messages_new_reader(&messages, &reader));
	for (size_t done = 0; done <= n && !got; done += chunk) {
		const size_t take = chunk < n - done ? chunk : n - done;
		uint8_t *copy = malloc(take + 1);

		memcpy(copy, p + done, take);
		must(!csf_messages_feed(messages, copy, take));
		if (done + chunk > n)
			must(!csf_messages_end(messages));
		got = drain(messages, &sum, &skipped, &last);
		free(copy);
	}
	must(!got || (bad && got == CSF_ERR_READER && csf_messages_problem(messages)));
	csf_messages_stats(messages, &stats);
	must(got ? stats.bytes <= n : stats.bytes == n && stats.skipped == skipped);
	csf_messages_free(messages);
	return mix(mix(sum, stats.bytes), got);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	const bool bad = n && data[0] & 0x80;
	uint64_t sum;

	if (n < 2)
		return 0;
	sum = read_messages(bad, data + 1, n - 1, n);
	must(sum == read_messages(bad, data + 1, n - 1, 1 + data[0] % 100));
	must(sum == read_messages(bad, data + 1, n - 1, 1 + data[0] % 7));
	return 0;
}
