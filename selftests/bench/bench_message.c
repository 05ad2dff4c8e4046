// SPDX-License-Identifier: GPL-2.0-only
/*
 * bench_message - messages of an STM: csflow and libopencsd over the same frames, in one run
 *
 *	bench_message [-r ROUNDS] FILE ID
 *
 * Both must find as many messages, with the same sum of values.  Both are timed in turn, frames
 * included, and the best CPU time of all rounds counts.  Only the ratio means something.
 */
#include <opencsd/c_api/opencsd_c_api.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../decoder/csflow.h"
#include "../../tools/lib/file.h"
#include "speed.h"

#define ROUND	0.05	/* seconds, at least */

/* What one side found. */
struct found {
	uint64_t messages, values;
};

/**
 * struct bench - both sides
 * @at: of the peer's elements: the other side's are handed out by csf_messages_next()
 */
struct bench {
	struct file file;
	uint8_t id;
	struct csf_frames *frames;
	struct csf_messages *messages;
	dcd_tree_handle_t tree;
	struct found at;
};

static ocsd_datapath_resp_t on_element(const void *context, const ocsd_trc_index_t index,
				       const uint8_t id, const ocsd_generic_trace_elem *e)
{
	struct bench *b = (struct bench *)context;
	uint64_t value = 0;

	if (e->elem_type != OCSD_GEN_TRC_ELEM_SWTRACE)
		return OCSD_RESP_CONT;
	b->at.messages++;
	if (e->extended_data)
		memcpy(&value, e->ptr_extended_data,
		       (e->sw_trace_info.swt_payload_pkt_bitsize + 7) / 8);
	b->at.values += value;
	return OCSD_RESP_CONT;
}

static void pass_peer(struct bench *b)
{
	uint32_t used;

	b->at = (struct found){ 0 };
	ocsd_dt_process_data(b->tree, OCSD_OP_RESET, 0, 0, NULL, NULL);
	ocsd_dt_process_data(b->tree, OCSD_OP_DATA, 0, b->file.n, b->file.data, &used);
	ocsd_dt_process_data(b->tree, OCSD_OP_EOT, 0, 0, NULL, NULL);
}

static void drain(struct bench *b)
{
	struct csf_message m;

	while (csf_messages_next(b->messages, &m) > 0) {
		if (m.kind == CSF_MESSAGE_GAP)
			continue;
		b->at.messages++;
		b->at.values += m.value;
	}
}

static void pass_own(struct bench *b)
{
	b->at = (struct found){ 0 };
	csf_frames_reset(b->frames);
	csf_messages_reset(b->messages);
	for (size_t at = 0; at < b->file.n;) {
		const long taken = csf_frames_feed(b->frames, b->file.data + at, b->file.n - at);

		if (taken <= 0)
			break;
		at += taken;
		drain(b);
	}
	csf_frames_end(b->frames);
	drain(b);
}

static double time_of(struct bench *b, void (*pass)(struct bench *b))
{
	const double start = speed_clock();
	unsigned int n = 0;

	do {
		pass(b);
		n++;
	} while (speed_clock() - start < ROUND);
	return (speed_clock() - start) / n;
}

static int open_bench(struct bench *b, const char *path)
{
	const struct csf_config config = { .size = sizeof(config), .protocol = CSF_PROTOCOL_STM };
	ocsd_stm_cfg c;
	unsigned char id;

	if (file_map(&b->file, path) || csf_messages_new(&b->messages, &config) ||
	    csf_frames_new(&b->frames, CSF_FRAMES_MEMORY, 0) ||
	    csf_attach_messages(b->frames, b->id, b->messages))
		return -1;
	memset(&c, 0, sizeof(c));
	c.reg_tcsr = (uint32_t)b->id << 16;
	ocsd_def_errlog_init(OCSD_ERR_SEV_NONE, 0);
	b->tree = ocsd_create_dcd_tree(OCSD_TRC_SRC_FRAME_FORMATTED, OCSD_DFRMTR_FRAME_MEM_ALIGN);
	return !b->tree || ocsd_dt_create_decoder(b->tree, OCSD_BUILTIN_DCD_STM,
						  OCSD_CREATE_FLG_FULL_DECODER, &c, &id) ||
	       ocsd_dt_set_gen_elem_outfn(b->tree, on_element, b);
}

/* Return: both found the same. */
static bool verify(struct bench *b)
{
	struct found own;

	pass_own(b);
	own = b->at;
	pass_peer(b);
	printf("%llu messages, sum of values %llx; peer: %llu, %llx\n",
	       (unsigned long long)own.messages, (unsigned long long)own.values,
	       (unsigned long long)b->at.messages, (unsigned long long)b->at.values);
	return own.messages && !memcmp(&own, &b->at, sizeof(own));
}

static void run(struct bench *b, unsigned int rounds)
{
	double own = 1e9, peer = 1e9;

	for (unsigned int i = 0; i < rounds; i++) {
		double took = time_of(b, pass_own);

		own = took < own ? took : own;
		took = time_of(b, pass_peer);
		peer = took < peer ? took : peer;
	}
	printf("  %-14s %8.1f MB/s %7.2f ns   peer %7.2f MB/s %7.1f ns   ratio %6.1f\n", "messages",
	       b->file.n / own / 1e6, own * 1e9 / b->at.messages, b->file.n / peer / 1e6,
	       peer * 1e9 / b->at.messages, peer / own);
}

int main(int argc, char **argv)
{
	struct bench b = { .at = { 0 } };
	unsigned int rounds = 5;
	int i = 1;

	if (argc > 2 && !strcmp(argv[1], "-r")) {
		rounds = strtoul(argv[2], NULL, 10);
		i = 3;
	}
	if (i + 2 != argc) {
		fprintf(stderr, "usage: bench_message [-r ROUNDS] FILE ID\n");
		return 2;
	}
	b.id = strtoul(argv[i + 1], NULL, 0) & 0x7f;
	printf("%s: ", argv[i]);
	if (open_bench(&b, argv[i]) || !verify(&b)) {
		printf("not equal; not timed\n");
		return 1;
	}
	run(&b, rounds);
	return 0;
}
