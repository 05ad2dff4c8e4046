// SPDX-License-Identifier: GPL-2.0-only
/*
 * Any bytes, as packets of an ITM and as messages of an ITM or an STM: whatever is read can be
 * written and printed, and read back as it was; chunks do not matter; and the bytes of gaps add up
 *
 * The first bytes say how to cut and how the ITM was set, the rest is the trace.
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

static bool equal(const struct csf_packet *a, const struct csf_packet *b)
{
	return a->type == b->type && a->n == b->n && a->val == b->val && a->info == b->info;
}

/* There and back, by bytes and by words. */
static void check_packet(const struct csf_config *config, const struct csf_packet *pkt)
{
	uint8_t bytes[CSF_PACKET_MAX] = { 0 };
	struct csf_packet back;
	const char *where;
	char text[160];
	int n;

	must(csf_packet_print(config, pkt, text, sizeof(text)) < (int)sizeof(text));
	must(!csf_packet_parse(config, text, &back, &where));
	must(equal(pkt, &back) && pkt->size == back.size);
	if (pkt->type == CSF_PKT_BAD)
		return;
	n = csf_packet_write(config, bytes, pkt);
	must(n == pkt->size && csf_packet_read(config, bytes, n, &back) == n);
	must(equal(pkt, &back));
}

static void read_packets(const struct csf_config *config, const uint8_t *p, size_t n)
{
	struct csf_monitor *mon;
	struct csf_packet pkt;
	const uint8_t *bytes;
	uint64_t offset, next = 0;

	must(!csf_monitor_new(&mon, config) && !csf_monitor_feed(mon, p, n));
	must(!csf_monitor_end(mon));
	while (csf_monitor_next(mon, &pkt, &offset, &bytes) > 0) {
		must(pkt.size && offset == next && !memcmp(bytes, p + next, pkt.size));
		next += pkt.size;
		check_packet(config, &pkt);
	}
	must(next == n);
	csf_monitor_free(mon);
}

static uint64_t mix(uint64_t sum, uint64_t v)
{
	return (sum ^ v) * 0x100000001b3;
}

/* Packets of STP: each ends inside the bytes, and a sync is read where it is found. */
static void read_stp(const uint8_t *p, size_t n, uint32_t order)
{
	struct csf_stp_format format = { .high_first = order == CSF_STP_HIGH_FIRST };
	struct csf_stp_packet pkt;
	size_t at = 0;

	while (at < 2 * n) {
		const int size = csf_stp_read(&format, p, n, at, &pkt);

		must(size >= 0 && at + size <= 2 * n && size <= CSF_STP_NIBBLES);
		if (!size)
			break;
		must(pkt.size <= 16 && pkt.time_size <= 16);
		if (pkt.kind > CSF_STP_CUT) {
			at += size;
		} else {
			const size_t found = csf_stp_find_sync(&format, p, n, at);

			must(found >= at && found <= 2 * n);
			if (found < 2 * n)
				must(csf_stp_read(&format, p, n, found, &pkt) ==
				     CSF_STP_SYNC_NIBBLES && pkt.kind == CSF_STP_SYNC);
			at = found;
		}
		if (pkt.kind == CSF_STP_VERSION)
			csf_stp_version(&format, &pkt);
	}
}

/* What all messages say, together; @skipped: bytes in gaps. */
static uint64_t drain(struct csf_messages *messages, uint64_t sum, uint64_t *skipped)
{
	struct csf_message m;

	while (csf_messages_next(messages, &m) > 0) {
		sum = mix(mix(mix(sum, m.offset), m.value), m.time);
		sum = mix(mix(sum, m.channel), m.kind | m.info << 8 | m.size << 16);
		sum = mix(sum, m.flags);
		must(m.kind < CSF_MESSAGE_NR && m.size <= CSF_PACKET_MAX);
		*skipped += m.kind == CSF_MESSAGE_GAP ? m.value : 0;
	}
	return sum;
}

/* Reads in chunks of @chunk bytes, each in memory of its own. */
static uint64_t read_messages(const struct csf_config *config, const uint8_t *p, size_t n,
			      size_t chunk)
{
	struct csf_message_stats stats = { .size = sizeof(stats) };
	struct csf_messages *messages;
	uint64_t sum = 0, skipped = 0;

	must(!csf_messages_new(&messages, config));
	for (size_t done = 0; done <= n; done += chunk) {
		const size_t take = chunk < n - done ? chunk : n - done;
		uint8_t *copy = malloc(take + 1);

		memcpy(copy, p + done, take);
		must(!csf_messages_feed(messages, copy, take));
		if (done + chunk > n)
			must(!csf_messages_end(messages));
		sum = drain(messages, sum, &skipped);
		free(copy);
	}
	csf_messages_stats(messages, &stats);
	must(stats.bytes == n && stats.skipped == skipped);
	csf_messages_free(messages);
	return sum;
}

/* The input as words. */
static void read_words(const struct csf_config *config, const uint8_t *data, size_t n)
{
	char *text = malloc(n + 1);
	struct csf_packet pkt;
	const char *where;

	memcpy(text, data, n);
	text[n] = 0;
	if (!csf_packet_parse(config, text, &pkt, &where))
		check_packet(config, &pkt);
	else
		must(where >= text && where <= text + n);
	free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct csf_config config = { .size = sizeof(config), .protocol = CSF_PROTOCOL_ITM };
	uint64_t sum;

	if (n < 4)
		return 0;
	config.itmtcr = data[1] << 8 | data[2];
	if (data[0] & 0x80) {
		config.protocol = CSF_PROTOCOL_STM;
		config.stp_order = data[1] % 3;
		config.itmtcr = 0;
		read_stp(data + 3, n - 3, config.stp_order);
	} else {
		read_packets(&config, data + 3, n - 3);
	}
	sum = read_messages(&config, data + 3, n - 3, n);
	must(sum == read_messages(&config, data + 3, n - 3, 1 + data[0] % 100));
	must(sum == read_messages(&config, data + 3, n - 3, 1 + data[0] % 7));
	if (config.protocol == CSF_PROTOCOL_ITM)
		read_words(&config, data + 3, n - 3);
	return 0;
}
