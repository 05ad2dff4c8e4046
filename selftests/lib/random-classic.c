// SPDX-License-Identifier: GPL-2.0-only
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../decoder/csflow-debug.h"
#include "case-run.h"
#include "random-classic.h"

#define PACKETS	60

static const struct feeding ways[] = {
	{ .offsets = true },
	{ .chunk = 1, .offsets = true },
	{ .chunk = 90, .seed = 5, .run_max = 3, .offsets = true },
	{ .chunk = 40, .seed = 5, .flush = 1, .offsets = true },
	{ .chunk = 200, .seed = 5, .flush = -1, .offsets = true },
	{ .chunk = 200, .seed = 5, .ask = true, .offsets = true },
	{ .run_max = 1, .offsets = true },
	{ .paths = true, .offsets = true },
	{ .without = CSF_WITHOUT_ALL, .offsets = true },
	{ .without = CSF_WITHOUT_ADDRESSES, .chunk = 17, .offsets = true },
};

const char classic_code[] =
	"code 0x8000 a32\n"
	"a:	dmb\n"
	"a1:	blx t\n"
	"a2:	blne a4\n"
	"	ldr\n"
	"a3:	beq a\n"
	"	svc\n"
	"a4:	bx\n"
	"	isb\n"
	"	.word 0xe890000e\n"		/* ldm r0, {r1-r3} */
	"	.word 0xe1c020d0\n"		/* ldrd r2, [r0] */
	"	.word 0xee110f10\n"		/* mrc p15, 0, r0, c1, c0, 0 */
	"	.word 0xe1001092\n"		/* swp r1, r2, [r0] */
	"a5:	bl a3\n"
	"	pop.pc\n"
	"code 0x8100 t32\n"
	"t:	dmb\n"
	"	nop\n"
	"t1:	cbz t3\n"
	"	.half 0xb503\n"		/* push {r0, r1, lr} */
	"	.word 0x2301e9d0\n"		/* ldrd r2, r3, [r0, #4] */
	"	str\n"
	"	beq t\n"
	"t2:	bl t4\n"
	"	it\n"
	"	bx\n"
	"t3:	blx a\n"
	"	nop.w\n"
	"	.word 0x8f0ff3bf\n"		/* leavex */
	"	cbz t4\n"
	"	.word 0x8f1ff3bf\n"		/* enterx */
	"t4:	bx\n"
	"	.repeat 1200 nop\n"
	"t5:	b t\n";

void classic_put_packet(struct trace_case *c, const struct csf_packet *pkt)
{
	uint8_t bytes[CSF_PACKET_MAX];
	const int n = csf_packet_write(&c->config, bytes, pkt);

	if (n > 0)
		random_put(c, bytes, n);
}

void classic_roll_address(const struct trace_case *c, struct dice *d, struct csf_packet *pkt)
{
	pkt->val = c->label[roll(d, c->n_label)].addr;
	pkt->n = 32;
	if (!roll(d, 4))
		pkt->val += 2 * roll(d, 12);
	if (pkt->val >= 0x8100)
		pkt->flags |= CSF_PKT_IS1;
	else
		pkt->val &= ~3ull;
	if (!roll(d, 40))
		pkt->info |= 0x10;
}

void classic_roll_short(struct dice *d, const uint8_t bits[3], struct csf_packet *pkt)
{
	pkt->n = bits[roll(d, 3)];
	pkt->val = (0x8000 >> (1 + roll(d, 2))) + roll(d, 0x40);
	pkt->val &= (1u << pkt->n) - 1;
	pkt->info = 0;
	pkt->flags = 0;
}

bool classic_read_case(struct trace_case *c, const char *text)
{
	FILE *f = fmemopen((void *)text, strlen(text), "r");
	struct text error = { 0 };
	const bool ok = f && case_read(c, f, "program", 0, &error) > 0;

	if (!ok)
		printf("# %s\n", error.s ?: "");
	text_fini(&error);
	if (f)
		fclose(f);
	return ok;
}

bool classic_make(struct trace_case *c, const struct classic_dice *own, unsigned long seed)
{
	const struct csf_packet async = { .type = CSF_PKT_ASYNC };
	struct dice d = { .state = seed * 77 + 1 };
	struct text text = { 0 };
	bool ok;

	text_add(&text, "%s\n%s", own->config, classic_code);
	ok = classic_read_case(c, text.s);
	text_fini(&text);
	own->registers(&c->config, &d);
	for (int i = 0; ok && i < PACKETS; i++) {
		if (!roll(&d, 15) || !i) {
			classic_put_packet(c, &async);
			if (roll(&d, 5))
				own->isync(c, &d);
		}
		own->any(c, &d);
	}
	if (ok && !roll(&d, 4))
		random_damage(c, &d);
	return ok;
}

static void print_both(const struct trace_case *c, const struct text *want, const struct text *got)
{
	struct text trace = { 0 };

	random_print(c, &trace);
	printf("%s\nwant:\n%s\ngot:\n%s\n", trace.s, want->s ?: "", got->s ?: "");
	text_fini(&trace);
}

/* The counts do not depend on the way of feeding, either. */
static bool same_stats(const struct csf_stats *a, const struct csf_stats *b)
{
	if (!memcmp(a, b, sizeof(*a)))
		return true;
	printf("# packets %" PRIu64 " %" PRIu64 ", atoms %" PRIu64 " %" PRIu64 ", p0 %" PRIu64 " %"
	       PRIu64 ", steps %" PRIu64 " %" PRIu64 "\n", a->packets, b->packets, a->atoms,
	       b->atoms, a->p0, b->p0, a->steps, b->steps);
	return false;
}

bool classic_says(const struct trace_case *c, const struct text *want, bool offsets,
		  unsigned long seed)
{
	struct csf_stats first = { .size = sizeof(first) }, stats = first;
	struct text got = { 0 }, why = { 0 };
	bool ok = true;

	for (size_t i = 0; ok && i < sizeof(ways) / sizeof(*ways); i++) {
		struct feeding how = ways[i];

		how.offsets = offsets;
		how.stats = i ? &stats : &first;
		ok = !case_decode(c, &how, &got) && !strcmp(want->s ?: "", got.s ?: "") &&
		     (!i || same_stats(&first, &stats));
		if (ok)
			continue;
		case_differ(want, &got, &why);
		printf("# seed %lu, way %zu: %s\n", seed, i, why.s ?: "");
		if (getenv("CSFLOW_SEED"))
			print_both(c, want, &got);
	}
	text_fini(&got);
	text_fini(&why);
	return ok;
}

bool classic_as_walker(const struct trace_case *c, unsigned long seed)
{
	struct text want = { 0 };
	const bool ok = !case_walk(c, true, &want) && classic_says(c, &want, true, seed);

	text_fini(&want);
	return ok;
}

static unsigned long setting(const char *name, unsigned long otherwise)
{
	const char *s = getenv(name);

	return s ? strtoul(s, NULL, 0) : otherwise;
}

void classic_seeds(unsigned long n, unsigned long *from, unsigned long *to)
{
	*from = setting("CSFLOW_SEED", 0);
	*to = *from ? *from + 1 : setting("CSFLOW_SEEDS", CLASSIC_SEEDS) * n / CLASSIC_SEEDS;
}
