// SPDX-License-Identifier: GPL-2.0-only
/*
 * STM through libopencsd_c_api.so.1: a program that was linked with Debian's library gets the same
 * packets, elements, fields and words from ours.
 *
 * This test is itself that program: "FILE raw|frames packets|elements|words" lists what it gets.
 * Trace is the three captures of the corpus, and random packets by an encoder: all that OpenCSD
 * knows, as it gives up at the others.
 */
#include <opencsd/c_api/opencsd_c_api.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "kselftest.h"
#undef ARRAY_SIZE
#include "../../decoder/bytes.h"
#include "../../tools/encoder/stp-wire.h"

#define ID	0x20

/* ---------------------------------------------------------------- the program */

static void on_text(const void *context, const char *text, const int n)
{
	printf("%.*s", n, text);
}

static ocsd_datapath_resp_t on_element(const void *context, const ocsd_trc_index_t index,
				       const uint8_t id, const ocsd_generic_trace_elem *e)
{
	const ocsd_swt_info_t *info = &e->sw_trace_info;
	const bool has_id = info->swt_id_valid && !info->swt_frequency;
	uint64_t value = 0;

	if (e->elem_type != OCSD_GEN_TRC_ELEM_SWTRACE) {
		printf("element %u %x type %u\n", index, id, e->elem_type);
		return OCSD_RESP_CONT;
	}
	if (e->extended_data)
		memcpy(&value, e->ptr_extended_data, (info->swt_payload_pkt_bitsize + 7) / 8);
	/* 1.3.3 does not forget at a VERSION who wrote before */
	printf("element %u %x by %x:%x flags %x, %x value %llx time %llx\n", index, id,
	       has_id ? info->swt_master_id : 0, has_id ? info->swt_channel_id : 0,
	       info->swt_flag_bits, e->flag_bits,
	       (unsigned long long)value, e->has_ts ? (unsigned long long)e->timestamp : 0);
	return OCSD_RESP_CONT;
}

static void print_packet(ocsd_datapath_op_t op, ocsd_trc_index_t index, const ocsd_stm_pkt *p)
{
	if (!p) {
		printf("packet %u op %u\n", index, op);
		return;
	}
	printf("packet %u type %u by %x:%x time %llx %u/%u kind %u mark %u", index, p->type,
	       p->type == STM_PKT_VERSION ? 0 : p->master,
	       p->type == STM_PKT_VERSION ? 0 : p->channel,
	       p->pkt_has_ts ? (unsigned long long)p->timestamp : 0,
	       p->pkt_has_ts,
	       p->pkt_has_ts ? p->pkt_ts_bits : 0, p->ts_type, p->pkt_has_marker);
	if (p->type >= STM_PKT_D4 && p->type <= STM_PKT_D64)
		printf(" value %llx", (unsigned long long)
		       (p->type == STM_PKT_D64 ? p->payload.D64 :
			p->type == STM_PKT_D32 ? p->payload.D32 :
			p->type == STM_PKT_D16 ? p->payload.D16 : p->payload.D8));
	printf("\n");
}

/*
 * Where bytes F before a sync turn out not to be part of one, OpenCSD shows as many bytes after the
 * end of the next frame: these packets are not compared.
 */
static bool is_lost(const ocsd_stm_pkt *p)
{
	return p && p->type == STM_PKT_NOTSYNC;
}

static ocsd_datapath_resp_t on_packet(const void *context, const ocsd_datapath_op_t op,
				      const ocsd_trc_index_t index, const void *packet)
{
	if (!is_lost(packet))
		print_packet(op, index, packet);
	return OCSD_RESP_CONT;
}

static void on_monitor(const void *context, const ocsd_datapath_op_t op,
		       const ocsd_trc_index_t index, const void *packet, const uint32_t size,
		       const uint8_t *bytes)
{
	if (is_lost(packet))
		return;
	print_packet(op, index, packet);
	for (uint32_t i = 0; i < size; i++)
		printf(" %02x", bytes[i]);
	printf("\n");
}

/* @how: packets: to a sink and a monitor; elements: to a function; words: of both */
static int open_tree(dcd_tree_handle_t tree, const char *how)
{
	const bool packets = !strcmp(how, "packets");
	unsigned char id = 0;
	ocsd_stm_cfg c;
	int err;

	memset(&c, 0, sizeof(c));
	c.reg_tcsr = ID << 16;
	ocsd_def_errlog_init(OCSD_ERR_SEV_NONE, 1);
	ocsd_def_errlog_config_output(0, NULL);
	ocsd_def_errlog_set_strprint_cb(tree, NULL, on_text);
	err = ocsd_dt_create_decoder(tree, OCSD_BUILTIN_DCD_STM, packets ?
				     OCSD_CREATE_FLG_PACKET_PROC : OCSD_CREATE_FLG_FULL_DECODER,
				     &c, &id);
	if (err || id != ID)
		return -1;
	if (packets)
		return ocsd_dt_attach_packet_callback(tree, id, OCSD_C_API_CB_PKT_SINK,
						      (void *)on_packet, NULL) ||
		       ocsd_dt_attach_packet_callback(tree, id, OCSD_C_API_CB_PKT_MON,
						      (void *)on_monitor, NULL);
	if (!strcmp(how, "elements"))
		return ocsd_dt_set_gen_elem_outfn(tree, on_element, NULL);
	return ocsd_dt_set_pkt_protocol_printer(tree, id, 1) || ocsd_dt_set_gen_elem_printer(tree);
}

static int list(const char *path, bool framed, const char *how)
{
	static uint8_t bytes[1 << 20];
	dcd_tree_handle_t tree;
	ocsd_datapath_resp_t resp;
	FILE *f = fopen(path, "rb");
	uint32_t n, used = 0;

	if (!f)
		return 1;
	n = fread(bytes, 1, sizeof(bytes), f);
	fclose(f);
	tree = ocsd_create_dcd_tree(framed ? OCSD_TRC_SRC_FRAME_FORMATTED : OCSD_TRC_SRC_SINGLE,
				    framed ? OCSD_DFRMTR_FRAME_MEM_ALIGN : 0);
	if (!tree || open_tree(tree, how))
		return 1;
	printf("%s\n", ocsd_get_version_str());
	resp = ocsd_dt_process_data(tree, OCSD_OP_DATA, 0, n, bytes, &used);
	if (OCSD_DATA_RESP_IS_FATAL(resp))
		printf("fatal\n");
	else
		ocsd_dt_process_data(tree, OCSD_OP_EOT, 0, 0, NULL, &used);
	ocsd_destroy_dcd_tree(tree);
	return 0;
}

/* ---------------------------------------------------------------- trace */

static uint64_t random_state = 1;

static uint64_t rnd(uint64_t n)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return (random_state >> 11) % n;
}

static uint64_t number(void)
{
	return rnd(3) ? random_state * 0x2545f4914f6cdd1d : ~0ull << 4 * rnd(5);
}

static void send_version(struct stp_wire *w)
{
	stp_version(w, rnd(2) ? STP_LOW : STP_GRAY, 1, false);
	stp_master(w, rnd(256), false);
}

static void send_packet(struct stp_wire *w)
{
	/* in Gray code it does not decode times of more than 31 bits */
	const uint64_t time = (rnd(4) ? w->time + rnd(5000) : number()) &
			      (w->times == STP_GRAY ? 0x7fffffff : ~0ull);
	const uint64_t *timed = rnd(2) ? &time : NULL;

	/* 1.3.3 does not forget the time at a VERSION */
	w->spare = !w->time ? 16 : rnd(5) ? 0 : rnd(17);
	switch (rnd(14)) {
	case 0:
		stp_sync(w);
		send_version(w);
		break;
	case 1:
		stp_master(w, rnd(256), false);
		break;
	case 2:
		stp_channel(w, rnd(65536), rnd(2));
		break;
	case 3:
		stp_flag(w, timed);
		break;
	case 4:
		stp_trigger(w, number(), timed);
		break;
	case 5:
		stp_frequency(w, number() & 0xffffffff, false, NULL);
		break;
	case 6:
		stp_error(w, rnd(2) ? STP_MASTER_ERROR : STP_GLOBAL_ERROR, number());
		break;
	case 7:
		stp_null(w, NULL);
		break;
	default: {
		const unsigned int size = 1 << rnd(5);

		stp_data(w, number() & low_bits(4 * size), size, rnd(2), timed);
	}
	}
}

static int write_random(const char *path, unsigned int seed)
{
	static uint8_t bytes[1 << 16];
	struct stp_wire w = { .bytes = bytes, .max = 2 * sizeof(bytes) };
	FILE *f = fopen(path, "wb");
	bool ok;

	random_state = 0x9e3779b97f4a7c15 * (seed + 1);
	/* more nibbles F than a sync has are part of it there */
	for (unsigned int i = rnd(30); i; i--)
		stp_nibble(&w, rnd(i > 1 ? 16 : 15));
	stp_sync(&w);
	send_version(&w);
	for (unsigned int i = 0; i < 500; i++)
		send_packet(&w);
	if (w.n & 1 && seed % 2)
		stp_nibble(&w, 0);
	ok = f && fwrite(bytes, 1, (w.n + 1) / 2, f) == (w.n + 1) / 2;
	return f && !fclose(f) && ok ? 0 : -1;
}

/* ---------------------------------------------------------------- both libraries */

/* Runs this program.  Return: 0: the library is of @version. */
static int run(const char *self, const char *args, const char *lib, const char *version,
	       const char *to)
{
	char command[2048], line[64] = "";
	FILE *f;

	snprintf(command, sizeof(command),
		 "export ASAN_OPTIONS=detect_leaks=0:alloc_dealloc_mismatch=0; "
		 "{ %s%s %s %s; } | { read v; echo $v >%s.version; grep -v NOTSYNC | "
		 "sed '/Freq)$/s/(Ma[^)]*)//' >%s; }",
		 lib ? "LD_LIBRARY_PATH=" : "", lib ?: "", self, args, to, to);
	if (system(command))
		return -1;
	snprintf(command, sizeof(command), "%s.version", to);
	f = fopen(command, "r");
	if (!f)
		return -1;
	if (!fgets(line, sizeof(line), f))
		line[0] = 0;
	fclose(f);
	line[strcspn(line, "\n")] = 0;
	return strcmp(line, version) ? -1 : 0;
}

struct test {
	const char *self, *lib, *tmp;
};

/* Return: the same lines from both; if not, the first few that differ are shown. */
static bool same(const struct test *t, const char *args)
{
	char debian[100], ours[100], command[1200];
	int err;

	snprintf(debian, sizeof(debian), "%s/debian", t->tmp);
	snprintf(ours, sizeof(ours), "%s/ours", t->tmp);
	err = run(t->self, args, NULL, "1.3.3", debian);
	err |= run(t->self, args, t->lib, "1.8.0", ours);
	/* up to where it gives up */
	snprintf(command, sizeof(command), "[ -s %s ] || exit 1; if grep -q fatal %s; then "
		 "sed -i /fatal/d %s; sed -i \"$(wc -l <%s)q\" %s; fi; "
		 "diff %s %s >%s.diff || { head -8 %s.diff | sed 's/^/# /'; false; }", debian,
		 debian, debian, debian, ours, debian, ours, ours, ours);
	return !system(command) && !err;
}

static const char *const ways[] = { "packets", "elements", "words" };

static void test_random(const struct test *t)
{
	char path[512], args[600];
	bool ok = true;

	snprintf(path, sizeof(path), "%s/trace", t->tmp);
	for (unsigned int seed = 0; seed < 40 && ok; seed++) {
		ok = !write_random(path, seed);
		for (unsigned int i = 0; i < ARRAY_SIZE(ways); i++) {
			snprintf(args, sizeof(args), "%s raw %s", path, ways[i]);
			ok = ok && same(t, args);
		}
		if (!ok)
			ksft_print_msg("seed %u\n", seed);
	}
	ksft_test_result(ok, "20,000 random packets\n");
}

static void test_capture(const struct test *t, const char *corpus, const char *name)
{
	char args[600];
	bool ok = true;

	if (!corpus) {
		ksft_test_result_skip("%s: CSFLOW_CORPUS is not set\n", name);
		return;
	}
	for (unsigned int i = 0; i < ARRAY_SIZE(ways); i++) {
		snprintf(args, sizeof(args), "%s/snapshots/%s/cstraceitm.bin frames %s", corpus,
			 name, ways[i]);
		ok = ok && same(t, args);
	}
	ksft_test_result(ok, "%s: packets, bytes and elements\n", name);
}

/* The lines of OpenCSD's own lister, of 1.5.5. */
static void test_listing(const struct test *t, const char *corpus, const char *name)
{
	char command[2048];

	if (!corpus) {
		ksft_test_result_skip("%s: CSFLOW_CORPUS is not set\n", name);
		return;
	}
	snprintf(command, sizeof(command),
		 "LD_LIBRARY_PATH=%s CSFLOW_OPENCSD=1.5.5 "
		 "%s %s/snapshots/%s/cstraceitm.bin frames words "
		 "| grep ^Idx | grep -v NOTSYNC: >%s/ours; "
		 "xz -dc %s/golden/%s.ppl.xz | grep ^Idx | grep -v NOTSYNC: >%s/golden; "
		 "diff %s/golden %s/ours | head -8 | sed 's/^/# /'; "
		 "[ -s %s/golden ] && n=$(wc -l <%s/golden) && "
		 "head -n $n %s/ours | cmp -s - %s/golden",
		 t->lib, t->self, corpus, name, t->tmp, corpus, name, t->tmp, t->tmp, t->tmp,
		 t->tmp, t->tmp, t->tmp, t->tmp);
	ksft_test_result(!system(command), "%s: the lines of trc_pkt_lister\n", name);
}

int main(int argc, char **argv)
{
	const char *corpus = getenv("CSFLOW_CORPUS"), *out = getenv("O") ?: "build";
	static const char *const names[] = { "stm_only", "stm_only-2", "stm_only-juno" };
	char tmp[] = "/tmp/opencsd-message-XXXXXX", command[600];
	struct test t = { argv[0], out, tmp };
	struct stat st;

	if (argc == 4)
		return list(argv[1], !strcmp(argv[2], "frames"), argv[3]);
	ksft_print_header();
	snprintf(command, sizeof(command), "%s/libopencsd_c_api.so.1", out);
	if (stat(command, &st) || !mkdtemp(tmp))
		ksft_exit_fail_msg("no %s\n", command);
	ksft_set_plan(1 + 2 * ARRAY_SIZE(names));
	test_random(&t);
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		test_capture(&t, corpus, names[i]);
		test_listing(&t, corpus, names[i]);
	}
	snprintf(command, sizeof(command), "rm -r %s", tmp);
	if (system(command))
		ksft_print_msg("%s is left\n", tmp);
	ksft_finished();
}
