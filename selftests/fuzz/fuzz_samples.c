// SPDX-License-Identifier: GPL-2.0-only
/*
 * Fuzzes cs_samples: four bytes choose which samples, each of the others a packet of the list
 * below.  For any options, there are as many samples of every instruction as were executed, time
 * does not go back, every branch is reported once, and branches in short are the same branches.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "../../perf-plugin/call-stack.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))
#define HEAD	4
#define CODE	0x400000ull
#define THUMB	0x600000ull

static const uint32_t code[] = {
	0x94000004,	/* 00 bl 10 */
	0xd4000001,	/* 04 svc #0 */
	0x54000040,	/* 08 b.eq 10 */
	0xd61f0200,	/* 0c br x16 */
	0x14000002,	/* 10 b 18 */
	0xd69f03e0,	/* 14 eret */
	0xd65f03c0,	/* 18 ret */
	0xd63f0000,	/* 1c blr x0 */
	0xd503201f,	/* 20 nop */
	0x17fffff7,	/* 24 b 0 */
};

static const uint8_t thumb[] = { 0x00, 0xbf, 0x00, 0xf0, 0x00, 0xb8, 0x70, 0x47, 0xfc, 0xe7 };

static const char *const words[] = {
	"async", "info", "info trans", "info cc cyct=0x10", "on", "overflow", "discard",
	"addr.ctx 0x400000 el0 ns 64", "addr.ctx 0x400004 el0 ns 64", "addr.ctx 0x400008 el1 ns 64",
	"addr.ctx.is1 0x600000 el0 ns 32", "addr 0x40000c", "addr 0x400010", "addr 0x400018",
	"addr 0x40001c", "addr 0x400020", "addr 0x500000", "addr 0x400024",
	"atom E", "atom N", "atom EE", "atom EN", "atom NE", "atom EEE", "atom NEE",
	"exception call addr", "exception irq addr", "exception irq target",
	"exception trans.fail unknown", "exception reset unknown",
	"tm.start", "tm.commit", "time 1000", "time 1010", "time 1500", "time 0x7fffffffffffffff",
	"time 0", "time 2000 cc=3", "cc3 count=0", "cc3 count=3", "cc1 unknown", "cc1 count=0x1234",
	"event 1", "marker", "ignore",
};

static const struct csf_config config = {
	.size = sizeof(config), .trcidr0 = 0x28800ea1, .trcdevarch = 0x47735a13,
	.trcconfigr = 0x8d0,
};

static size_t write_packets(uint8_t *out, const uint8_t *data, size_t n)
{
	size_t at = 0;

	for (size_t i = 0; i < n; i++) {
		struct csf_packet packet;
		const char *where;

		if (!csf_packet_parse(&config, words[data[i] % ARRAY_SIZE(words)], &packet, &where))
			at += csf_packet_write(&config, out + at, &packet);
	}
	return at;
}

/*
 * What all samples of a trace came to; @all: each of them, in order.  Branches come in short,
 * @in_short at a time, where they can; 0: nowhere; @in_steps: as steps.
 */
struct sums {
	size_t in_short;
	bool in_steps;
	uint64_t steps_insns, insns, moves, time;
	uint64_t all;
};

static void mix(struct sums *sums, uint64_t v)
{
	sums->all = (sums->all ^ v) * 0x9e3779b97f4a7c15ull;
	sums->all ^= sums->all >> 29;
}

static void look(struct sums *sums, const struct cs_samples_options *o, struct call_stacks *stacks,
		 const struct cs_sample *s)
{
	assert(s->wanted || s->moves);
	assert(s->kind == CS_SAMPLE_BRANCH || !s->moves);
	assert(s->insn_len <= sizeof(s->insn));
	if (s->wanted && s->kind != CS_SAMPLE_ERROR && !o->compat) {
		assert(s->time >= sums->time);
		sums->time = s->time;
	}
	if (s->kind == CS_SAMPLE_INSN)
		sums->insns += s->period;
	if (s->moves) {
		call_stack_move(call_stacks_of(stacks, s->from.tid), s, 0);
		sums->moves++;
	}
	mix(sums, s->kind | s->flags << 8);
	mix(sums, s->ip);
	mix(sums, s->addr);
	mix(sums, s->time);
	mix(sums, s->period);
	/* an instruction that is not shown has no bytes */
	mix(sums, s->wanted && s->insn_len ? s->insn[0] : 0);
}

/* Branches in short, to @edge.  Return: their number; *@any: some steps are passed. */
static size_t some_edges(const struct sums *sums, struct cs_samples *it, struct cs_edge *edge,
			 bool *any)
{
	struct cs_steps steps;
	size_t n = 0;

	*any = sums->in_steps && cs_samples_steps(it, &steps, sums->in_short);
	for (size_t i = 0; *any && i < steps.n; i++)
		n += cs_steps_edge(&steps, i, &edge[n]);
	if (!*any && sums->in_short)
		n = cs_samples_edges(it, edge, sums->in_short);
	*any |= n;
	return n;
}

static void look_at_run(struct sums *sums, struct cs_samples *it,
			const struct cs_samples_options *o, struct call_stacks *stacks)
{
	struct cs_edge edge[8 + 1];
	struct cs_sample sample;

	for (;;) {
		bool any;
		size_t n = some_edges(sums, it, edge, &any);

		assert(n <= sums->in_short);
		for (size_t i = 0; i < n; i++)
			if (cs_samples_edge(it, &edge[i], &sample))
				look(sums, o, stacks, &sample);
		if (any)
			continue;
		if (!cs_samples_next(it, &sample))
			return;
		look(sums, o, stacks, &sample);
	}
}

static void play(struct csf_image *image, const struct cs_samples_options *o,
		 const uint8_t *trace, size_t n, struct sums *sums)
{
	struct cs_sample_state state = { 0 };
	struct call_stacks stacks;
	struct csf_decoder *dec;
	struct cs_samples it;
	struct csf_run run;
	bool starts = true;

	*sums = (struct sums){ .in_short = sums->in_short, .in_steps = sums->in_steps };
	if (csf_new(&dec, &config, image))
		abort();
	cs_samples_init(&it, o, image);
	call_stacks_init(&stacks, 4);
	csf_feed(dec, trace, n);
	csf_end(dec);
	for (; csf_next(dec, &run) > 0; starts = false) {
		const struct cs_samples_input in = {
			.dec = dec, .run = &run, .tid = run.context.el, .starts = starts,
		};

		for (size_t i = 0; i < run.n; i++) {
			struct csf_block block;

			csf_block(image, run.step[i] >> 1, &block);
			sums->steps_insns += block.n_insn;
		}
		if (cs_samples_run(&it, &state, &in))
			break;
		look_at_run(sums, &it, o, &stacks);
	}
	assert(sums->in_steps || state.clock.insns == sums->steps_insns);
	call_stacks_fini(&stacks);
	cs_samples_fini(&it);
	csf_free(dec);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	static uint8_t trace[512 * CSF_PACKET_MAX];
	struct cs_samples_options o = { .insn_bytes = true, .ipc = true };
	struct csf_image *image;
	struct sums sums = { 0 }, all = { 0 };
	size_t size;

	if (n < HEAD || n > 512 || csf_image_new(&image))
		return 0;
	csf_map(image, 0, CODE, sizeof(code), csf_section_bytes(image, code, sizeof(code)), 0);
	csf_map(image, 0, THUMB, sizeof(thumb),
		csf_section_bytes(image, thumb, sizeof(thumb)), 0);
	size = write_packets(trace, data + HEAD, n - HEAD);

	o.branches = data[0] & 1;
	o.calls = data[0] & 2;
	o.returns = data[0] & 4;
	o.insns = data[0] & 8;
	o.cycles = data[0] & 16;
	o.transactions = data[0] & 32;
	o.errors = data[0] & 64;
	o.moves = data[0] & 128;
	o.period_unit = data[1] & 1;
	o.quick = data[1] >> 1 & 1;
	o.approx_ipc = data[1] & 4;
	o.compat = data[1] & 8;
	o.last_branch = data[1] & 16;
	o.timeless = data[1] & 32;
	o.period = data[2];
	o.skip = data[3];
	all.in_short = 1 + data[2] % 8;
	play(image, &o, trace, size, &sums);
	play(image, &o, trace, size, &all);
	assert(sums.all == all.all && sums.steps_insns == all.steps_insns);
	o.ipc = false;
	o.insns = false;
	o.cycles = false;
	o.moves = false;
	play(image, &o, trace, size, &sums);
	play(image, &o, trace, size, &all);
	assert(sums.all == all.all);
	all.in_steps = true;
	play(image, &o, trace, size, &all);
	assert(sums.all == all.all);
	all.in_steps = false;

	/* every instruction and every branch, whatever else there is */
	o = (struct cs_samples_options){ .insns = true, .moves = true, .compat = o.compat };
	play(image, &o, trace, size, &all);
	assert(all.insns == all.steps_insns && all.insns == sums.steps_insns);
	o.insns = false;
	o.branches = true;
	play(image, &o, trace, size, &sums);
	assert(sums.moves == all.moves);
	csf_image_free(image);
	return 0;
}
