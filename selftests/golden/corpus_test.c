// SPDX-License-Identifier: GPL-2.0-only
/*
 * Real trace against known facts: an instruction log of the same run, counts of four recordings,
 * and itself, fed in other pieces.
 */
#include <stdlib.h>

#include "kselftest.h"
#undef ARRAY_SIZE
#include "../../decoder/bytes.h"
#include "../../decoder/csflow-debug.h"
#include "../../decoder/read-ahead.h"
#include "../lib/rig.h"

static const char *root;

static const char *path(const char *name)
{
	static char buf[512];

	snprintf(buf, sizeof(buf), "%s/%s", root, name);
	return buf;
}

/* -------- the instruction log of a model, beside the trace of the same run */

struct logged {
	uint64_t pc;
	bool executed;		/* IT; else IS: its condition failed */
};

struct log {
	struct logged *insn;
	size_t n;
};

/* "4 clk cpu0 IT (4) 10310008 d5033fdf O EL3h_s : ISB" */
static int read_log(struct log *log, const char *name)
{
	FILE *f = fopen(name, "r");
	char line[512], kind[4];
	size_t size = 0;
	uint64_t pc;

	if (!f)
		return -1;
	while (fgets(line, sizeof(line), f)) {
		unsigned long long addr;

		if (sscanf(line, "%*u clk %*s %3s (%*u) %llx", kind, &addr) != 2 ||
		    (strcmp(kind, "IT") && strcmp(kind, "IS")))
			continue;
		pc = addr;
		if (log->n == size) {
			size = size ? 2 * size : 4096;
			log->insn = realloc(log->insn, size * sizeof(*log->insn));
			if (!log->insn)
				break;
		}
		log->insn[log->n++] = (struct logged){ pc, kind[1] == 'T' };
	}
	fclose(f);
	return log->insn ? 0 : -1;
}

/* Instructions of one segment of trace: between two Trace On. */
struct piece {
	uint64_t pc[8192];
	uint8_t atom[8192];	/* of the last instruction of a block: 'E', 'N'; else 0 */
	size_t n;
};

static void add_step(struct piece *s, struct csf_decoder *dec, const struct csf_run *run,
		     struct csf_image *image, uint32_t step)
{
	uint64_t pc = csf_block_addr(dec, run, step >> 1);
	struct csf_block b;

	csf_block(image, step >> 1, &b);
	for (unsigned int i = 0; i < b.n_insn && s->n < ARRAY_SIZE(s->pc); i++, s->n++) {
		s->pc[s->n] = pc + 4 * i;
		s->atom[s->n] = i + 1 < b.n_insn || b.flags & CSF_FLAG_CUT ? 0 :
				"NE"[step & 1];
	}
}

/* Is @s as a whole a part of the log from *at on?  Moves *at to the place after it. */
static bool in_log(const struct piece *s, const struct log *log, size_t *at)
{
	for (size_t i = *at; i + s->n <= log->n; i++) {
		size_t k = 0;

		while (k < s->n && s->pc[k] == log->insn[i + k].pc &&
		       (!s->atom[k] || (s->atom[k] == 'E') == log->insn[i + k].executed))
			k++;
		if (k == s->n) {
			*at = i + k;
			return true;
		}
	}
	return false;
}

static void test_log(void)
{
	static const size_t want[] = { 4437, 82, 627 };
	static struct piece s;
	struct rig rig = { 0 };
	struct log log = { 0 };
	size_t at = 0, n = 0, total = 0;
	struct csf_run run;
	bool ok;

	ok = !rig_open(&rig, path("snapshots-ete/002-ack_test_scr"), NULL) &&
	     !read_log(&log, path("snapshots-ete/002-ack_test_scr/test_TARMAC")) &&
	     !csf_feed(rig.stream[0].dec, rig.data, rig.n) && !csf_end(rig.stream[0].dec);
	s.n = 0;
	while (ok && csf_next(rig.stream[0].dec, &run) > 0) {
		for (size_t i = 0; i < run.n; i++)
			add_step(&s, rig.stream[0].dec, &run, rig.image.image, run.step[i]);
		if (run.end != CSF_END_TRACE &&
		    (run.end != CSF_END_GAP || run.value != CSF_GAP_OFF || !s.n))
			continue;
		ok = n < ARRAY_SIZE(want) && s.n == want[n] && in_log(&s, &log, &at);
		ksft_print_msg("segment %zu: %zu instructions\n", n, s.n);
		total += s.n;
		n++;
		s.n = 0;
	}
	ksft_test_result(ok && n == 3 && total == 5146, "instruction_log\n");
	free(log.insn);
	rig_close(&rig);
}

/* -------- four recordings of a program that calls itself */

struct counts {
	uint64_t ranges, insns, on, overflow, missing;
};

static int count_elements(struct csf_decoder *dec, struct csf_elements *it, struct counts *c)
{
	struct csf_element e;
	struct csf_run run;
	int ret;

	while ((ret = csf_next(dec, &run)) > 0) {
		csf_elements_run(it, &run);
		while (csf_elements_next(it, &e)) {
			c->ranges += e.type == CSF_ELEM_INSTR_RANGE;
			c->insns += e.type == CSF_ELEM_INSTR_RANGE ? e.n_insn : 0;
			c->on += e.type == CSF_ELEM_TRACE_ON;
			c->missing += e.type == CSF_ELEM_ADDR_NACC;
		}
		c->overflow += csf_run_is_gap(&run) && run.value == CSF_GAP_OVERFLOW;
	}
	return ret;
}

#define FIB_FILES	3

/* "cstrace.bin 0x10 3 FILE FIRST END FILE FIRST END FILE FIRST END" */
static int map_fib(struct csf_image *image, struct file *file, const char *args)
{
	char line[512], name[FIB_FILES][64];
	unsigned long long first[FIB_FILES], end[FIB_FILES];
	FILE *f = fopen(args, "r");
	int section, n;

	if (!f || !fgets(line, sizeof(line), f))
		return -1;
	fclose(f);
	n = sscanf(line, "%*s %*s %*s %63s %llx %llx %63s %llx %llx %63s %llx %llx",
		   name[0], &first[0], &end[0], name[1], &first[1], &end[1], name[2], &first[2],
		   &end[2]);
	if (n != 9)
		return -1;
	for (int i = 0; i < FIB_FILES; i++) {
		char p[128];

		snprintf(p, sizeof(p), "ric/fib/%s", name[i]);
		if (file_map(&file[i], path(p)))
			return -1;
		section = csf_section_bytes(image, file[i].data, file[i].n);
		if (section < 0 || csf_map(image, CSF_SPACE_ALL, first[i],
					   file[i].n < end[i] - first[i] ? file[i].n :
					   end[i] - first[i], section, 0))
			return -1;
	}
	return 0;
}

static int run_fib(unsigned int nr, struct counts *c)
{
	const struct csf_config config = {
		.size = sizeof(config), .trcidr0 = 0x28000ea1, .trcidr1 = 0x4100f403,
		.trcidr2 = 0x488,
	};
	struct file file[FIB_FILES] = { 0 }, trace = { 0 };
	struct csf_frames *frames = NULL;
	struct csf_elements it = { 0 };
	struct csf_image *image = NULL;
	struct csf_decoder *dec = NULL;
	char name[64];
	long took = 1;
	int ret = -1;

	snprintf(name, sizeof(name), "ric/fib/trace%u/decoderargs.txt", nr);
	if (csf_image_new(&image) || map_fib(image, file, path(name)))
		goto out;
	snprintf(name, sizeof(name), "ric/fib/trace%u/cstrace.bin", nr);
	if (file_map(&trace, path(name)) || csf_new(&dec, &config, image) ||
	    csf_frames_new(&frames, CSF_FRAMES_MEMORY, 0) || csf_attach(frames, 0x10, dec))
		goto out;
	it.dec = dec;
	for (size_t done = 0; done < trace.n && took > 0; done += took) {
		took = csf_frames_feed(frames, trace.data + done, trace.n - done);
		if (count_elements(dec, &it, c))
			goto out;
	}
	ret = csf_frames_end(frames);
	if (!ret)
		ret = count_elements(dec, &it, c);
out:
	csf_frames_free(frames);
	csf_free(dec);
	csf_image_free(image);
	for (int i = 0; i < FIB_FILES; i++)
		file_unmap(&file[i]);
	file_unmap(&trace);
	return ret;
}

static void test_fib(void)
{
	static const struct counts want[] = {
		{ 15599, 77438, 51, 0, 0 }, { 15600, 77438, 55, 1, 0 },
		{ 15598, 77438, 52, 0, 0 }, { 15599, 77438, 52, 0, 0 },
	};

	for (unsigned int i = 0; i < ARRAY_SIZE(want); i++) {
		struct counts c = { 0 };
		int ret = run_fib(i + 1, &c);

		ksft_print_msg("fib %u: ranges %llu, instructions %llu, on %llu, overflow %llu, missing %llu\n",
			       i + 1, (unsigned long long)c.ranges, (unsigned long long)c.insns,
			       (unsigned long long)c.on, (unsigned long long)c.overflow,
			       (unsigned long long)c.missing);
		ksft_test_result(!ret && !memcmp(&c, &want[i], sizeof(c)), "fib_%u\n", i + 1);
	}
}

/* -------- the same trace in other pieces */

/* Sizes of pieces: 0: random, 1..1000. */
static void test_pieces(const char *name, size_t piece)
{
	struct rig_sum whole = { 0 }, cut = { 0 };
	struct rig rig = { 0 };
	bool ok;

	ok = !rig_open(&rig, path(name), NULL) && !rig_sum(&rig, rig.data, rig.n, &whole);
	rig_reset(&rig);
	rig.piece = piece ? piece : RIG_RANDOM;
	ok = ok && !rig_sum(&rig, rig.data, rig.n, &cut);
	if (whole.sum != cut.sum || whole.lost != cut.lost)
		ksft_print_msg("%s in pieces of %zu: %llu ranges, lost %llu; whole %llu, %llu\n",
			       name, piece, (unsigned long long)cut.ranges,
			       (unsigned long long)cut.lost, (unsigned long long)whole.ranges,
			       (unsigned long long)whole.lost);
	ksft_test_result(ok && whole.ranges && whole.sum == cut.sum && whole.gaps == cut.gaps &&
			 whole.lost == cut.lost, "%s in pieces of %zu\n", name, piece);
	rig_close(&rig);
}

/* -------- the same trace without layers of the decoder */

#define LAYERS	9

static bool sum_of(const char *name, uint64_t without, struct rig_sum *sum)
{
	struct rig rig = { .without = without };
	bool ok = !rig_open(&rig, path(name), NULL) && !rig_sum(&rig, rig.data, rig.n, sum);

	rig_close(&rig);
	return ok;
}

/* @layer: number of the one that is missing; LAYERS: all are. */
static void test_without(const char *name, unsigned int layer)
{
	const uint64_t without = layer < LAYERS ? 1ull << layer : CSF_WITHOUT_ALL;
	struct rig_sum all = { 0 }, less = { 0 };
	bool ok = sum_of(name, 0, &all) && sum_of(name, without, &less);

	ksft_test_result(ok && all.ranges && !memcmp(&all, &less, sizeof(all)),
			 "%s without layers %llx\n", name, (unsigned long long)without);
}

/* Each trace without all of them and without one of them; CSFLOW_LONG: without each. */
static unsigned int n_without(void)
{
	return getenv("CSFLOW_LONG") ? LAYERS : 1;
}

static const char *const cut_up[] = {
	"snapshots/juno_r1_1", "snapshots/juno-ret-stck", "snapshots-ete/001-ack_test",
	"snapshots-ete/tme_test", "snapshots-ete/q_elem", "snapshots-ete/ete_spec_1",
	"snapshots-ete/ts_marker", "snapshots-ete/src_addr", "snapshots/tc2-ptm-rstk-t32",
	"snapshots/TC2", "classic/am243x-r5f/zephyr",
};

/* -------- older protocols: the same trace by several threads */

static const struct threaded {
	const char *name;
	unsigned int taken;	/* segments, if the caller decodes them itself; else it depends */
} threaded[] = {
	{ "snapshots/tc2-ptm-rstk-t32", 20 },
	{ "snapshots/TC2", 5 },
	{ "classic/am243x-r5f/zephyr", 0 },
};

static void test_threads(const struct threaded *t, unsigned int n)
{
	struct rig_sum alone = { 0 }, all = { 0 };
	struct csf_threads *threads = NULL;
	struct rig rig = { 0 };
	uint64_t taken = 0;
	bool ok;

	ok = !csf_threads_new(&threads, n) && !rig_open(&rig, path(t->name), NULL) &&
	     !rig_sum(&rig, rig.data, rig.n, &alone);
	rig_reset(&rig);
	threads->segment = 1;
	for (unsigned int i = 0; ok && i < rig.n_stream; i++)
		ok = !csf_set_threads(rig.stream[i].dec, threads);
	ok = ok && !rig_sum(&rig, rig.data, rig.n, &all);
	for (unsigned int i = 0; ok && i < rig.n_stream; i++)
		taken += rig.stream[i].dec->read_ahead->n_taken;
	ksft_print_msg("%s: %llu segments taken\n", t->name, (unsigned long long)taken);
	ksft_test_result(ok && alone.ranges && (n || taken >= t->taken) &&
			 !memcmp(&alone, &all, sizeof(all)), "%s with %u threads\n", t->name, n);
	rig_close(&rig);
	csf_threads_free(threads);
}

static const size_t pieces[] = { 1, 7, 16, 1000, 0 };

int main(void)
{
	root = getenv("CSFLOW_CORPUS");
	ksft_print_header();
	if (!root) {
		ksft_set_plan(1);
		ksft_test_result_skip("corpus: CSFLOW_CORPUS is not set\n");
		ksft_finished();
	}
	ksft_set_plan(1 + 4 + ARRAY_SIZE(cut_up) * (ARRAY_SIZE(pieces) + 1 + n_without()) +
		      2 * ARRAY_SIZE(threaded));
	test_log();
	test_fib();
	for (size_t i = 0; i < ARRAY_SIZE(cut_up); i++)
		for (size_t k = 0; k < ARRAY_SIZE(pieces); k++)
			test_pieces(cut_up[i], pieces[k]);
	for (size_t i = 0; i < ARRAY_SIZE(cut_up); i++) {
		test_without(cut_up[i], LAYERS);
		for (size_t k = 0; k < n_without(); k++)
			test_without(cut_up[i], (i + k) % LAYERS);
	}
	for (size_t i = 0; i < ARRAY_SIZE(threaded); i++) {
		test_threads(&threaded[i], 0);
		test_threads(&threaded[i], 3);
	}
	ksft_finished();
}
