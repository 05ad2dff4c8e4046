// SPDX-License-Identifier: GPL-2.0-only
/*
 * Fuzzes the decoders of PTM and ETMv3 against their naive walkers, and their packets there and
 * back.  The first bytes choose the protocol, its registers and how the decoder is fed; the rest is
 * trace of one program.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../lib/case-run.h"
#include "../lib/random-case.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

#define HEAD	8
#define LONGEST	4096	/* of trace, because the walkers are slow */
#define BATCH	16

static const char program[] =
	"code 0x8000 a32\n"
	"a:	dmb\n"
	"	blx t\n"
	"	blne a4\n"
	"	.word 0xe890000e\n"		/* ldm r0, {r1-r3} */
	"a3:	beq a\n"
	"	svc\n"
	"a4:	bx\n"
	"	isb\n"
	"	.word 0xe1c020d0\n"		/* ldrd r2, [r0] */
	"	.word 0xee110f10\n"		/* mrc p15, 0, r0, c1, c0, 0 */
	"	.word 0xe1001092\n"		/* swp r1, r2, [r0] */
	"	bl a3\n"
	"	pop.pc\n"
	"code 0x8100 t32\n"
	"t:	dmb\n"
	"	nop\n"
	"	.half 0xb503\n"		/* push {r0, r1, lr} */
	"	cbz t3\n"
	"	beq t\n"
	"	bl t4\n"
	"	it\n"
	"	bx\n"
	"t3:	blx a\n"
	"	nop.w\n"
	"	.word 0x8f0ff3bf\n"		/* leavex */
	"	cbz t4\n"
	"	.word 0x8f1ff3bf\n"		/* enterx */
	"t4:	bx\n"
	"	.repeat 8 nop\n"
	"	b t\n";

/* A-sync, and I-sync at "a" where there are no context IDs: a start that both protocols have. */
static const uint8_t begin[] = { 0, 0, 0, 0, 0, 0x80, 0x08, 0x00, 0x80, 0, 0, 0x21 };

static void must_line(bool holds, int line)
{
	if (holds)
		return;
	fprintf(stderr, "%s:%d does not hold\n", __FILE__, line);
	abort();
}

#define must(holds)	must_line(holds, __LINE__)

/* The program, and a configuration that @p chooses. */
static void make_case(struct trace_case *c, const uint8_t *p)
{
	static const uint32_t etm3[] = { 0x4104f230, 0x4114f240, 0x4100f210, 0x410cf250 };
	static const uint32_t ptm[] = { 0x411cf301, 0x411cf312 };
	const bool is_ptm = p[0] & 1;
	struct text text = { 0 }, error = { 0 };
	FILE *f;

	text_add(&text, "config %s\n%s", is_ptm ? "ptm1.1" : "etmv3.3", program);
	f = fmemopen(text.s, text.n, "r");
	must(f && case_read(c, f, "program", 0, &error) > 0);
	fclose(f);
	text_fini(&text);
	text_fini(&error);
	/* Cycle counts, context IDs, broadcast, data, return stack. */
	c->config.etmcr = p[1] << 8 | (p[2] & 0x0f) | (p[2] & 0x10) << 16 | (p[2] & 0x20) << 24;
	c->config.etmccer = (p[3] & 0x0f) << 26 | (p[3] & 0x10) << 19 | (p[3] & 0x20) << 19;
	c->config.etmidr = is_ptm ? ptm[p[0] >> 1 & 1] : etm3[p[0] >> 1 & 3];
	c->config.profile = !is_ptm && p[0] & 8 ? CSF_PROFILE_M : CSF_PROFILE_A;
	c->config.marks = CSF_MARK_DEFAULT | (p[0] & 16 ? CSF_MARK_PACKET : 0) |
			  (p[0] & 32 ? CSF_MARK_DATA : 0);
}

/* A packet, as words and as bytes, is the same when it is read back. */
static void check_packet(const struct csf_config *config, const struct csf_packet *pkt)
{
	uint8_t bytes[CSF_PACKET_MAX];
	struct csf_packet back = { 0 };
	char text[160], again[160];
	int n;

	n = csf_packet_print(config, pkt, text, sizeof(text));
	must(n > 0 && n < (int)sizeof(text));
	if (csf_packet_parse(config, text, &back, NULL)) {
		fprintf(stderr, "not read back: \"%s\"\n", text);
		abort();
	}
	must(csf_packet_print(config, &back, again, sizeof(again)) == n && !strcmp(text, again));
	if (pkt->type == CSF_PKT_BAD)
		return;
	n = csf_packet_write(config, bytes, pkt);
	must(n > 0 && csf_packet_read(config, bytes, n, &back) == n);
	must(csf_packet_print(config, &back, again, sizeof(again)) > 0 && !strcmp(text, again));
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

static void differ(const struct trace_case *c, const struct text *want, const struct text *got)
{
	struct text why = { 0 };

	case_differ(want, got, &why);
	random_print(c, &why);
	fprintf(stderr, "%s\nwant:\n%s\ngot:\n%s\n", why.s, want->s, got->s);
	abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct text want = { 0 }, got = { 0 };
	struct feeding how = { .offsets = true };
	struct trace_case c;

	if (n <= HEAD || n > HEAD + LONGEST)
		return 0;
	make_case(&c, data);
	if (csf_config_problem(&c.config)) {
		case_fini(&c);
		return 0;
	}
	how.chunk = data[4] & 15;
	how.seed = data[4] >> 4 & 3;
	how.run_max = data[4] >> 6;
	how.flush = (data[5] & 7) % 3 - 1;
	how.paths = data[5] & 8;
	check_packets(&c.config, data + HEAD, n - HEAD);
	if (data[6] & 1)
		random_put(&c, begin, sizeof(begin));
	random_put(&c, data + HEAD, n - HEAD);
	if (case_walk(&c, true, &want) || case_decode(&c, &how, &got) ||
	    strcmp(want.s ?: "", got.s ?: ""))
		differ(&c, &want, &got);
	text_fini(&want);
	text_fini(&got);
	case_fini(&c);
	return 0;
}
