// SPDX-License-Identifier: GPL-2.0-only
/*
 * Any bytes, as packets, as words and as a stream: all that is read can be written and printed, and
 * is the same when it is read back, and chunks do not matter.
 */
#include <stdlib.h>
#include <string.h>

#include "../../decoder/etm4/packet-text.h"
#include "../../decoder/window.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static void must(bool holds)
{
	if (!holds)
		abort();
}

static struct csf_config any_config(const uint8_t *p)
{
	struct csf_config config = {
		.size = sizeof(config), .profile = p[0] & 1 ? CSF_PROFILE_M : CSF_PROFILE_A,
		.trcidr0 = get_le32(p), .trcidr2 = p[1] & 0x80 ? 0xd0001088 : get_le32(p + 4),
		.trcidr8 = p[2] & 8,
		.trcdevarch = 0x47704a13 | (p[3] & 7) << 16 | (p[3] & 8) << 9,
	};

	return config;
}

static bool equal(const struct csf_packet *a, const struct csf_packet *b)
{
	return a->type == b->type && a->n == b->n && a->val == b->val && a->val2 == b->val2 &&
	       a->count == b->count && a->commit == b->commit && a->vmid == b->vmid &&
	       a->contextid == b->contextid && a->exception == b->exception &&
	       a->info == b->info && a->flags == b->flags;
}

/* There and back, by bytes and by words. */
static void check_packet(const struct config *c, const struct csf_packet *pkt)
{
	uint8_t byte[CSF_PACKET_MAX] = { 0 };
	struct csf_packet back = { 0 };
	const char *where;
	char text[160];

	must(pkt->size && pkt->size <= CSF_PACKET_MAX);
	must(packet_print(c, pkt, text, sizeof(text)) < sizeof(text));
	must(!packet_parse(c, text, &back, &where));
	must(equal(pkt, &back));
	if (pkt->type == CSF_PKT_BAD)
		return;

	must(packet_write(c, byte, pkt) == back.size);
	packet_read(c, byte, &back);
	must(equal(pkt, &back));
}

#define MAX	40

/* Reads a stream in chunks of @chunk bytes, @max packets at a time; of one each is checked. */
static uint64_t read_stream(const struct csf_config *config, const uint8_t *p, size_t n,
			    size_t chunk, size_t max)
{
	uint64_t sum = 0, offset, next = 0;
	struct csf_packet pkt[MAX];
	struct csf_monitor *mon;
	const uint8_t *bytes;
	struct config c;
	long k;

	must(!config_read(&c, config) && !csf_monitor_new(&mon, config));
	for (size_t done = 0; done <= n; done += chunk) {
		size_t take = chunk < n - done ? chunk : n - done;
		uint8_t *copy = malloc(take + 1);

		memcpy(copy, p + done, take);
		must(!csf_monitor_feed(mon, copy, take));
		if (done + chunk > n)
			csf_monitor_end(mon);
		while ((k = csf_monitor_read(mon, pkt, max, &offset, &bytes)) > 0) {
			must(offset == next && k <= max);
			for (long i = 0; i < k; bytes += pkt[i].size, i++) {
				must(!memcmp(bytes, p + next, pkt[i].size));
				next += pkt[i].size;
				sum = (sum ^ pkt[i].type ^ pkt[i].n << 8 ^ pkt[i].val) *
				      0x100000001b3;
			}
			if (max == 1)
				check_packet(&c, pkt);
		}
		free(copy);
	}
	must(next == n);
	csf_monitor_free(mon);
	return sum;
}

/* The input as words. */
static void read_words(const struct config *c, const uint8_t *data, size_t n)
{
	char *text = malloc(n + 1);
	struct csf_packet pkt;
	const char *where;

	memcpy(text, data, n);
	text[n] = 0;
	if (!packet_parse(c, text, &pkt, &where))
		check_packet(c, &pkt);
	else
		must(where >= text && where <= text + n);
	free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct csf_config config;
	struct config c;
	uint64_t sum;

	if (n < 9)
		return 0;
	config = any_config(data);
	if (config_read(&c, &config))
		return 0;

	sum = read_stream(&config, data + 9, n - 9, n, 1);
	must(sum == read_stream(&config, data + 9, n - 9, n, 1 + data[8] % MAX));
	must(sum == read_stream(&config, data + 9, n - 9, 1 + data[8] % 100, MAX));
	must(sum == read_stream(&config, data + 9, n - 9, 1 + data[8] % 7, 1 + data[8] % MAX));
	read_words(&c, data + 9, n - 9);
	return 0;
}
