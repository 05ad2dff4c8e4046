// SPDX-License-Identifier: GPL-2.0-only
/*
 * Fuzzes the decoder of an MTB against the naive walker, its packets there and back, and the order
 * of the packets in its memory.
 *
 * After a head come code, then the memory.  The head chooses the registers and how the decoder is
 * fed.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../tools/input/mtb.h"
#include "../lib/case-run.h"
#include "../lib/random-case.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

#define LONGEST	2048	/* bytes of memory, because the walker is slow */
#define HALF_MAX 1024	/* half words of code */
#define PACKET	8
#define BATCH	16

/**
 * struct head - what an input begins with, little-endian
 * @feeding: bits 3:0: bytes at a time, 5:4: seed, 7:6: steps of a run
 * @how: bits 2:0: when to flush, 3: ask for paths, 4: mark packets, 5: break at the end,
 *       6: likewise in the middle
 * @use: bit 0: the memory is in order, whatever the registers say; bit 1: MASTER is known
 * @half: half words of code, at @addr
 */
struct head {
	uint8_t feeding, how, use, unused;
	uint32_t half, addr, position, master;
};

static void must_line(bool holds, int line)
{
	if (holds)
		return;
	fprintf(stderr, "%s:%d does not hold\n", __FILE__, line);
	abort();
}

#define must(holds)	must_line(holds, __LINE__)

/* The code, in the words of a case. */
static void make_case(struct trace_case *c, const struct head *head, const uint8_t *code)
{
	struct text text = { 0 }, error = { 0 };
	FILE *f;

	text_add(&text, "config mtb\ncode 0x%x t32\n", head->addr & ~3u);
	for (unsigned int i = 0; i < head->half; i++)
		text_add(&text, "	.half 0x%x\n", code[2 * i] | code[2 * i + 1] << 8);
	f = fmemopen(text.s, text.n, "r");
	must(f && case_read(c, f, "program", 0, &error) > 0);
	fclose(f);
	text_fini(&text);
	text_fini(&error);
	c->config.marks = CSF_MARK_DEFAULT | (head->how & 16 ? CSF_MARK_PACKET : 0);
}

/* ---------------------------------------------------------------- registers */

/* As the MTB wrote them: from POSITION to the end, if it was there, then from the start. */
static void check_order(const uint8_t *memory, size_t n, uint32_t position, const uint8_t *got,
			size_t n_got)
{
	const size_t packets = n / PACKET, at = position / PACKET;
	size_t from = position & 4 ? at : 0, k = 0;

	must(at <= packets && n_got == (position & 4 ? packets : at) * PACKET);
	for (; k < n_got / PACKET; k++, from++) {
		if (from == packets)
			from = 0;
		must(!memcmp(got + k * PACKET, memory + from * PACKET, PACKET));
	}
}

/* The packets of @memory; owned.  They are in order if the registers cannot be right. */
static uint8_t *packets_of(const struct head *head, const uint8_t *memory, size_t *n)
{
	struct mtb_memory m = {
		.data = memory, .n = *n, .position = head->position, .master = head->master,
		.has_master = head->use & 2,
	};
	uint8_t *ordered = NULL;
	size_t n_ordered;

	mtb_buffer(&m);
	must(m.data >= memory && m.n <= *n && m.data + m.n <= memory + *n);
	if (!(head->use & 1)) {
		ordered = mtb_in_order(m.data, m.n, m.position, &n_ordered);
		must(ordered || (m.position & ~7u) > m.n / PACKET * PACKET);
	}
	if (ordered) {
		check_order(m.data, m.n, m.position, ordered, n_ordered);
		*n = n_ordered;
		return ordered;
	}
	ordered = malloc(*n + 1);
	must(ordered);
	memcpy(ordered, memory, *n);
	return ordered;
}

/* ---------------------------------------------------------------- packets */

/* A packet, as words and as bytes, is the same when it is read back. */
static void check_packet(const struct csf_config *config, const struct csf_packet *pkt)
{
	uint8_t bytes[CSF_PACKET_MAX];
	struct csf_packet back = { 0 };
	char text[160], again[160];
	int n;

	n = csf_packet_print(config, pkt, text, sizeof(text));
	must(n > 0 && n < (int)sizeof(text));
	if (pkt->type == CSF_PKT_BAD)
		return;
	must(!csf_packet_parse(config, text, &back, NULL));
	must(csf_packet_print(config, &back, again, sizeof(again)) == n && !strcmp(text, again));
	must(csf_packet_write(config, bytes, pkt) == PACKET);
	must(csf_packet_read(config, bytes, PACKET, &back) == PACKET);
	must(csf_packet_print(config, &back, again, sizeof(again)) == n && !strcmp(text, again));
}

static void check_packets(const struct csf_config *config, const uint8_t *p, size_t n)
{
	struct csf_packet pkt[BATCH];
	struct csf_monitor *mon;
	size_t done = 0;
	long k;

	must(!csf_monitor_new(&mon, config) && !csf_monitor_feed(mon, p, n));
	for (int end = 0; end < 2; end++) {
		if (end)
			must(!csf_monitor_end(mon));
		while ((k = csf_monitor_read(mon, pkt, BATCH, NULL, NULL)) > 0)
			for (long i = 0; i < k; i++) {
				done += pkt[i].size;
				check_packet(config, &pkt[i]);
			}
	}
	must(done == n);
	csf_monitor_free(mon);
}

/* ---------------------------------------------------------------- flow */

static void differ(const struct trace_case *c, const struct text *want, const struct text *got)
{
	struct text why = { 0 };

	case_differ(want, got, &why);
	random_print(c, &why);
	fprintf(stderr, "%s\nwant:\n%s\ngot:\n%s\n", why.s, want->s, got->s);
	abort();
}

static void put_pieces(struct trace_case *c, const struct head *head, const uint8_t *p, size_t n)
{
	const size_t first = head->how & 64 ? n / 2 : n;

	random_put(c, p, first);
	c->piece[0].end = head->how & 32 ? CASE_BREAK : CASE_END;
	if (first == n)
		return;
	c->n_piece++;
	random_put(c, p + first, n - first);
}

static void check_flow(const struct trace_case *c, const struct head *head)
{
	const struct feeding how = {
		.offsets = true,
		.chunk = head->feeding & 15, .seed = head->feeding >> 4 & 3,
		.run_max = head->feeding >> 6,
		.flush = (head->how & 7) % 3 - 1, .paths = head->how & 8,
	};
	struct text want = { 0 }, got = { 0 };

	if (case_walk(c, true, &want) || case_decode(c, &how, &got) ||
	    strcmp(want.s ?: "", got.s ?: ""))
		differ(c, &want, &got);
	text_fini(&want);
	text_fini(&got);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct trace_case c;
	struct head head;
	uint8_t *packets;

	if (n < sizeof(head))
		return 0;
	memcpy(&head, data, sizeof(head));
	data += sizeof(head);
	n -= sizeof(head);
	if (!head.half || head.half > HALF_MAX || n < 2 * head.half ||
	    n > 2 * head.half + LONGEST)
		return 0;
	make_case(&c, &head, data);
	n -= 2 * head.half;
	packets = packets_of(&head, data + 2 * head.half, &n);
	check_packets(&c.config, packets, n);
	put_pieces(&c, &head, packets, n);
	check_flow(&c, &head);
	case_fini(&c);
	free(packets);
	return 0;
}
