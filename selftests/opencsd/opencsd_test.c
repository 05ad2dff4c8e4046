// SPDX-License-Identifier: GPL-2.0-only
/* libopencsd_c_api.so.1: how its functions behave, whatever a client does. */
#define _GNU_SOURCE
#include <sys/mman.h>
#include <unistd.h>

#include "opencsd-client.h"

#include "../../decoder/bytes.h"
#include "../../tools/lib/frame-write.h"

TEST(what_perf_does)
{
	struct client c = { 0 };
	struct trace t = { 0 };

	trace(&t, &ete, START "atom EE");
	open_client(&c, ABI_SRC_SINGLE, &ete);
	reset(&c);
	EXPECT_EQ(ABI_CONT, give(&c, t.byte, t.n, 0, 0));
	EXPECT_STREQ(BEGIN("reset-decoder") CTX(1) RANGE RANGE, c.text.s);
	EXPECT_EQ(NULL, c.log.s);
	text_clear(&c.text);
	reset(&c);		/* between fragments; the index goes on */
	EXPECT_EQ(ABI_CONT, give(&c, t.byte, t.n, 0, t.n));
	EXPECT_STREQ(BEGIN("reset-decoder") CTX(1) RANGE RANGE, c.text.s);
	close_client(&c);
}

TEST(any_wait_and_any_chunk)
{
	static const size_t chunks[] = { 0, 1, 2, 3, 7, 16, 33 };
	struct trace t = { 0 };
	char *want, *got;

	trace(&t, &ete, START "atom EEEE; time 0x1234; addr.ctx 0x10000 el0 ns 64 cid=2; atom E; "
	      "exception irq; addr 0x10004; addr.ctx 0x10000 el1 ns 64 cid=1; atom EE; event 5; "
	      "overflow; " START "atom EEEEEEEEEEEEEEEEEEEEEEEE; addr 0x10000; time 0");
	want = elements(&t, &ete, 0, 0);
	ASSERT_NE(NULL, strstr(want, "EXCEPTION(pref ret addr:0x10004; excep num (0x0e) )"));
	ASSERT_NE(NULL, strstr(want, "TRACE_ON( [overflow])"));
	for (size_t i = 0; i < ARRAY_SIZE(chunks); i++) {
		for (unsigned int wait = 0; wait < 4; wait++) {
			got = elements(&t, &ete, chunks[i], wait);
			EXPECT_STREQ(want, got) {
				TH_LOG("chunks of %zu, wait every %u", chunks[i], wait);
			}
			free(got);
		}
	}
	free(want);
}

TEST(holds_the_last_byte_back)
{
	struct client c = { .wait = 1 };
	struct trace t = { 0 };
	uint32_t taken, resp;

	trace(&t, &ete, START "atom EEE");
	open_client(&c, ABI_SRC_SINGLE, &ete);
	resp = ocsd_dt_process_data(c.tree, ABI_OP_DATA, 0, t.n, t.byte, &taken);
	EXPECT_EQ(ABI_WAIT, resp);
	EXPECT_EQ(t.n - 1, taken);
	/* Giving more without a flush hands out waiting elements, and takes nothing. */
	c.waiting = false;
	resp = ocsd_dt_process_data(c.tree, ABI_OP_DATA, t.n - 1, 1, t.byte + t.n - 1, &taken);
	EXPECT_EQ(ABI_WAIT, resp);
	EXPECT_EQ(0, taken);
	for (int i = 0; i < 4; i++) {
		c.waiting = false;
		EXPECT_EQ(ABI_WAIT, ocsd_dt_process_data(c.tree, ABI_OP_FLUSH, 0, 0, NULL, NULL));
	}
	EXPECT_EQ(ABI_CONT, ocsd_dt_process_data(c.tree, ABI_OP_FLUSH, 0, 0, NULL, NULL));
	EXPECT_EQ(ABI_CONT, ocsd_dt_process_data(c.tree, ABI_OP_DATA, t.n - 1, 1,
						 t.byte + t.n - 1, &taken));
	EXPECT_EQ(1, taken);
	EXPECT_EQ(0, c.n_while_waiting);
	EXPECT_STREQ(BEGIN("init-decoder") CTX(1) RANGE RANGE RANGE, c.text.s);
	close_client(&c);
}

TEST(reset_forgets)
{
	struct client c = { 0 };
	struct trace t = { 0 };
	uint32_t taken;

	trace(&t, &ete, START "atom E");
	open_client(&c, ABI_SRC_SINGLE, &ete);
	/* Half an address, and a wait that no flush ends: all gone. */
	ocsd_dt_process_data(c.tree, ABI_OP_DATA, 0, 20, t.byte, &taken);
	reset(&c);
	c.wait = 1;
	EXPECT_EQ(ABI_WAIT, ocsd_dt_process_data(c.tree, ABI_OP_DATA, 0, t.n, t.byte, &taken));
	reset(&c);
	c.wait = 0;
	text_clear(&c.text);
	EXPECT_EQ(ABI_CONT, give(&c, t.byte, t.n, 0, 0));
	EXPECT_STREQ(BEGIN("reset-decoder") CTX(1) RANGE, c.text.s);
	close_client(&c);
}

/* ---------------------------------------------------------------- code */

TEST(context_comes_before_its_code)
{
	struct client c = { 0 };
	struct trace t = { 0 };

	trace(&t, &ete, START "atom E; addr.ctx 0x10000 el0 ns 64 cid=2; atom E; "
	      "addr.ctx 0x10000 el0 ns 64 cid=1; atom E");
	open_client(&c, ABI_SRC_SINGLE, &ete);
	EXPECT_EQ(ABI_CONT, give(&c, t.byte, t.n, 0, 0));
	EXPECT_STREQ(BEGIN("init-decoder") CTX(1) RANGE CTX(2) RANGE2 CTX(1) RANGE, c.text.s);
	close_client(&c);
}

TEST(code_is_asked_for_anew)
{
	struct client c = { 0 };
	struct trace t = { 0 }, other = { 0 };
	unsigned int asked;

	trace(&t, &ete, START "atom EE");
	trace(&other, &ete, "ctx el0 ns 64 cid=2; ctx el0 ns 64 cid=1; atom E");
	open_client(&c, ABI_SRC_SINGLE, &ete);
	EXPECT_EQ(ABI_CONT, give(&c, t.byte, t.n, 0, 0));
	asked = c.n_asked;
	EXPECT_GT(asked, 0);
	/* In the same context it is not. */
	EXPECT_EQ(ABI_CONT, give(&c, t.byte + t.n - 1, 1, 0, t.n));
	EXPECT_EQ(asked, c.n_asked);
	c.version = 1;
	text_clear(&c.text);
	EXPECT_EQ(ABI_CONT, give(&c, other.byte, other.n, 0, t.n + 1));
	EXPECT_STREQ(CTX(2) CTX(1) RANGE2, c.text.s);
	EXPECT_GT(c.n_asked, asked);
	/* After a reset it is. */
	c.version = 0;
	reset(&c);
	text_clear(&c.text);
	EXPECT_EQ(ABI_CONT, give(&c, t.byte, t.n, 0, 0));
	EXPECT_STREQ(BEGIN("reset-decoder") CTX(1) RANGE RANGE, c.text.s);
	close_client(&c);
}

/* T32: nop.n up to the last halfword of a page, then b.w over its end. */
static uint32_t on_memory32(const void *context, uint64_t addr, uint32_t space, uint32_t n,
			    uint8_t *buf)
{
	struct client *c = (struct client *)context;

	c->n_asked++;
	for (uint32_t i = 0; i < n; i++) {
		uint64_t at = addr + i;
		uint16_t half = at >> 1 << 1 == 0x20ffe ? 0xf7ff :
				at >> 1 << 1 == 0x21000 ? 0xbff5 : 0xbf00;

		if (at < CODE32 || at >= CODE32 + 0x2000)
			return i;
		buf[i] = at & 1 ? half >> 8 : half;
	}
	return n;
}

TEST(instruction_over_a_page)
{
	struct client c = { 0 };
	struct trace t = { 0 };

	trace(&t, &ete, SYNC "addr32.ctx.is1 0x20ff0 el0 ns 32 cid=1; atom E; "
	      "addr32.ctx.is1 0x20ff8 el0 ns 32 cid=2; atom E; "
	      "addr32.ctx.is1 0x20ffc el0 ns 32 cid=1; atom E");
	c.tree = ocsd_create_dcd_tree(ABI_SRC_SINGLE, 0);
	ASSERT_EQ(0, add_decoder(&c, &ete, ID, ABI_CREATE_DECODER));
	ocsd_dt_set_gen_elem_outfn(c.tree, on_element, &c);
	ocsd_dt_add_callback_mem_acc(c.tree, 0, UINT64_MAX, ABI_SPACE_ALL, on_memory32, &c);
	EXPECT_EQ(ABI_CONT, give(&c, t.byte, t.n, 0, 0));
	EXPECT_NE(NULL, strstr(c.text.s, "range=0x20ff0:[0x21002] num_i(8) last_sz(4) (ISA=T32)"));
	EXPECT_NE(NULL, strstr(c.text.s, "range=0x20ff8:[0x21002] num_i(4) last_sz(4) (ISA=T32)"));
	EXPECT_NE(NULL, strstr(c.text.s, "range=0x20ffc:[0x21002] num_i(2) last_sz(4) (ISA=T32)"));
	close_client(&c);
}

static void run_with_code(struct client *c, const struct trace *t)
{
	text_clear(&c->text);
	reset(c);
	give(c, t->byte, t->n, 0, 0);
}

TEST(buffers)
{
	struct client c = { 0 };
	struct trace t = { 0 };

	trace(&t, &ete, START "atom E; addr.ctx 0x10000 el2 ns 64 cid=1; atom E");
	c.tree = ocsd_create_dcd_tree(ABI_SRC_SINGLE, 0);
	ASSERT_EQ(0, add_decoder(&c, &ete, ID, ABI_CREATE_DECODER));
	ocsd_dt_set_gen_elem_outfn(c.tree, on_element, &c);
	EXPECT_EQ(0, ocsd_dt_add_buffer_mem_acc(c.tree, CODE, ABI_SPACE_EL1N,
						(const uint8_t *)code_1, sizeof(code_1)));
	EXPECT_EQ(0, ocsd_dt_add_buffer_mem_acc(c.tree, CODE, ABI_SPACE_EL2N,
						(const uint8_t *)code_2, sizeof(code_2)));
	EXPECT_EQ(ABI_ERR_MEM_ACC_OVERLAP,
		  ocsd_dt_add_buffer_mem_acc(c.tree, CODE + 4, ABI_SPACE_ANY,
					     (const uint8_t *)code_1, sizeof(code_1)));
	run_with_code(&c, &t);
	EXPECT_STREQ(BEGIN("reset-decoder") CTX(1) RANGE
		     "10 PE_CONTEXT((ISA=A64) EL2N; 64-bit; CTXTID=0x1; )\n" RANGE2, c.text.s);
	EXPECT_EQ(0, ocsd_dt_remove_mem_acc(c.tree, CODE, ABI_SPACE_EL1N));
	EXPECT_NE(0, ocsd_dt_remove_mem_acc(c.tree, CODE, ABI_SPACE_EL1N));
	run_with_code(&c, &t);
	EXPECT_NE(NULL, strstr(c.text.s, "ADDR_NACC( 0x10000; Memspace [0x2:EL1N] )"));
	EXPECT_NE(NULL, strstr(c.text.s, RANGE2));
	close_client(&c);
}

TEST(files)
{
	const struct abi_region regions[] = {
		{ .offset = 6, .addr = CODE, .n = sizeof(code_1) },
		{ .offset = 6, .addr = CODE + 0x1002, .n = 2 },
	};
	struct client c = { 0 };
	struct trace t = { 0 };
	char path[64];
	int fd = memfd_create("code", 0);

	ASSERT_GE(fd, 0);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	ASSERT_EQ(sizeof(code_1), pwrite(fd, code_1, sizeof(code_1), 6));
	trace(&t, &ete, START "atom E");
	c.tree = ocsd_create_dcd_tree(ABI_SRC_SINGLE, 0);
	ASSERT_EQ(0, add_decoder(&c, &ete, ID, ABI_CREATE_DECODER));
	ocsd_dt_set_gen_elem_outfn(c.tree, on_element, &c);
	EXPECT_EQ(0, ocsd_dt_add_binfile_region_mem_acc(c.tree, regions, 2, ABI_SPACE_ANY, path));
	run_with_code(&c, &t);
	EXPECT_STREQ(BEGIN("reset-decoder") CTX(1) RANGE, c.text.s);
	EXPECT_EQ(ABI_ERR_MEM_ACC_FILE_NOT_FOUND,
		  ocsd_dt_add_binfile_mem_acc(c.tree, 0, ABI_SPACE_ANY, "/nowhere"));
	EXPECT_EQ(ABI_ERR_MEM_ACC_OVERLAP,
		  ocsd_dt_add_binfile_mem_acc(c.tree, CODE - 6, ABI_SPACE_ANY, path));
	EXPECT_EQ(ABI_OK, ocsd_dt_remove_mem_acc(c.tree, CODE, ABI_SPACE_ANY));
	EXPECT_EQ(ABI_OK, ocsd_dt_add_binfile_mem_acc(c.tree, CODE - 6, ABI_SPACE_ANY, path));
	run_with_code(&c, &t);
	EXPECT_STREQ(BEGIN("reset-decoder") CTX(1) RANGE, c.text.s);
	close(fd);
	close_client(&c);
}

/* ---------------------------------------------------------------- several of everything */

TEST(trees_know_nothing_of_each_other)
{
	struct client c[3] = { 0 };
	struct trace t = { 0 };

	trace(&t, &ete, START "atom EE");
	for (int i = 0; i < 3; i++) {
		open_client(&c[i], ABI_SRC_SINGLE, &ete);
		ocsd_dt_set_pkt_protocol_printer(c[i].tree, ID, 0);
		c[i].version = i == 1;
	}
	for (size_t at = 0; at < t.n; at++)
		for (int i = 0; i < 3; i++)
			EXPECT_EQ(ABI_CONT, give(&c[i], t.byte + at, 1, 0, at));
	for (int i = 0; i < 3; i++) {
		EXPECT_STREQ(i == 1 ? BEGIN("init-decoder") CTX(1) RANGE2 RANGE2 :
				      BEGIN("init-decoder") CTX(1) RANGE RANGE, c[i].text.s);
		EXPECT_EQ(0, strncmp(c[i].log.s, "Idx:0; ID:10;\tI_ASYNC : ", 24));
		EXPECT_NE(NULL, strstr(c[i].log.s, "\nIdx:12; ID:10;\tI_TRACE_INFO : "));
	}
	for (int i = 0; i < 3; i++)
		close_client(&c[i]);
}

TEST(frames_of_two)
{
	static const uint8_t barrier[16] = { 0xff, 0xff, 0xff, 0x7f, 0xff, 0xff, 0xff, 0x7f,
					     0xff, 0xff, 0xff, 0x7f, 0xff, 0xff, 0xff, 0x7f };
	struct frame_writer w = { 0 };
	struct trace t = { 0 };
	char *want = NULL;

	trace(&t, &ete, START "atom EE");
	for (size_t at = 0; at < t.n; at += 5) {
		size_t n = t.n - at < 5 ? t.n - at : 5;

		frame_write(&w, ID, t.byte + at, n);
		frame_write(&w, ID + 1, t.byte + at, n);
		frame_write(&w, 0x7d, t.byte + at, n);
	}
	frame_write_end(&w);
	w.data = realloc(w.data, w.n * 2 + 16);
	memcpy(w.data + w.n, barrier, 16);
	memcpy(w.data + w.n + 16, w.data, w.n);
	for (unsigned int wait = 0; wait < 4; wait++) {
		struct client c = { .wait = wait };

		open_client(&c, ABI_SRC_FORMATTED, &ete);
		EXPECT_EQ(0, add_decoder(&c, &ete, ID + 1, ABI_CREATE_DECODER));
		EXPECT_EQ(ABI_ERR_ATTACH_TOO_MANY, add_decoder(&c, &ete, ID, ABI_CREATE_DECODER));
		EXPECT_EQ(ABI_CONT, give(&c, w.data, w.n * 2 + 16, 0, 0));
		EXPECT_EQ(0, c.n_while_waiting);
		if (!wait)
			want = strdup(c.text.s);
		EXPECT_STREQ(want, c.text.s);
		close_client(&c);
	}
	EXPECT_NE(NULL, strstr(want, "11 INSTR_RANGE"));
	EXPECT_NE(NULL, strstr(want, "10 NO_SYNC( [reset-decoder])\n"));
	free(want);
	free(w.data);
}

TEST(index_passes_4_gib)
{
	struct client c = { .indexes = true };
	struct trace t = { 0 };

	trace(&t, &ete, START "atom EE");
	open_client(&c, ABI_SRC_SINGLE, &ete);
	EXPECT_EQ(ABI_CONT, give(&c, t.byte, t.n, 7, UINT32_MAX - 20));
	EXPECT_EQ(0, strncmp(c.text.s, "4294967275 10 NO_SYNC", 21));
	EXPECT_NE(NULL, strstr(c.text.s, "\n8 10 INSTR_RANGE"));
	close_client(&c);
}

/* ---------------------------------------------------------------- what is not committed */

TEST(uncommitted)
{
	struct csf_config config = ete;
	struct client c = { 0 };
	struct trace t = { 0 };

	config.trcidr8 = 4;
	trace(&t, &config, START "atom EEE; atom EEE");
	open_client(&c, ABI_SRC_SINGLE, &config);
	ocsd_def_errlog_init(ABI_SEV_WARN, 1);
	EXPECT_EQ(ABI_CONT, give(&c, t.byte, t.n, 0, 0));
	EXPECT_STREQ(BEGIN("init-decoder") CTX(1) RANGE RANGE, c.text.s);
	reset(&c);
	ASSERT_NE(NULL, c.log.s);
	EXPECT_NE(NULL, strstr(c.log.s, "4 P0 elements not committed"));
	ocsd_def_errlog_init(ABI_SEV_ERROR, 1);
	close_client(&c);

	c = (struct client){ 0 };
	setenv("CSFLOW_COMMIT_TAIL", "1", 1);
	open_client(&c, ABI_SRC_SINGLE, &config);
	unsetenv("CSFLOW_COMMIT_TAIL");
	EXPECT_EQ(ABI_CONT, give(&c, t.byte, t.n, 0, 0));
	EXPECT_STREQ(BEGIN("init-decoder") CTX(1) RANGE RANGE RANGE RANGE RANGE RANGE, c.text.s);
	/* The commit that comes late is for elements that are out already. */
	t.n = 0;
	trace(&t, &config, "commit 4; atom E; commit 1");
	text_clear(&c.text);
	EXPECT_EQ(ABI_CONT, give(&c, t.byte, t.n, 0, 0));
	EXPECT_STREQ(RANGE, c.text.s);
	close_client(&c);
}

TEST(end_of_trace)
{
	struct client c = { .wait = 1 };
	struct trace t = { 0 };

	trace(&t, &ete, START "atom E");
	open_client(&c, ABI_SRC_SINGLE, &ete);
	EXPECT_EQ(ABI_CONT, give(&c, t.byte, t.n, 0, 0));
	c.waiting = false;
	EXPECT_EQ(ABI_WAIT, ocsd_dt_process_data(c.tree, ABI_OP_EOT, 0, 0, NULL, NULL));
	EXPECT_EQ(ABI_CONT, ocsd_dt_process_data(c.tree, ABI_OP_FLUSH, 0, 0, NULL, NULL));
	EXPECT_STREQ(BEGIN("init-decoder") CTX(1) RANGE "10 EO_TRACE( [end-of-trace])\n",
		     c.text.s);
	close_client(&c);
}

TEST(bad_trace_is_never_fatal)
{
	struct trace t = { 0 };
	struct client c = { 0 };

	trace(&t, &ete, START "atom E");
	t.byte[t.n++] = 0x08;		/* no version has it */
	t.byte[t.n++] = 0xff;
	trace(&t, &ete, START "atom E");
	open_client(&c, ABI_SRC_SINGLE, &ete);
	EXPECT_EQ(ABI_CONT, give(&c, t.byte, t.n, 0, 0));
	EXPECT_STREQ(BEGIN("init-decoder") CTX(1) RANGE BEGIN("bad-packet") CTX(1) RANGE, c.text.s);
	EXPECT_EQ(NULL, c.log.s);	/* perf asks for errors only, and would print it */
	close_client(&c);
}

/* A client that asks for warnings gets the words and the code that the commands have. */
TEST(gap_in_the_log)
{
	struct trace t = { 0 };
	struct client c = { 0 };

	trace(&t, &ete, START "atom E");
	t.byte[t.n++] = 0x08;
	trace(&t, &ete, START "atom E");
	open_client(&c, ABI_SRC_SINGLE, &ete);
	ocsd_def_errlog_init(ABI_SEV_WARN, 1);
	EXPECT_EQ(ABI_CONT, give(&c, t.byte, t.n, 0, 0));
	ASSERT_NE(NULL, c.log.s);
	EXPECT_NE(NULL, strstr(c.log.s, "CS ID=10; reserved or malformed packets: damaged trace, or "
			       "wrong metadata: at 0x10000, 1 byte skipped [gap-packet]\n"));
	ocsd_def_errlog_init(ABI_SEV_ERROR, 1);
	close_client(&c);
}

/* ---------------------------------------------------------------- whatever a client does */

TEST(wrong_arguments)
{
	const struct abi_etm4_config etm4 = { .idr1 = 0x4100f422, .traceidr = 0x95 };
	void *tree = ocsd_create_dcd_tree(ABI_SRC_FORMATTED, 0x24);
	unsigned char id = 0;
	uint8_t byte[16] = { 0 };
	uint32_t taken = 7;
	char buf[4];

	EXPECT_EQ(NULL, ocsd_create_dcd_tree(2, 0));
	ocsd_destroy_dcd_tree(NULL);
	EXPECT_EQ(ABI_FATAL_NOT_INIT, ocsd_dt_process_data(NULL, 0, 0, 1, byte, &taken));
	EXPECT_EQ(0, taken);
	EXPECT_EQ(ABI_FATAL_INVALID_OP, ocsd_dt_process_data(tree, 9, 0, 1, byte, &taken));
	EXPECT_EQ(ABI_FATAL_INVALID_PARAM, ocsd_dt_process_data(tree, 0, 0, 1, NULL, &taken));
	EXPECT_EQ(ABI_FATAL_INVALID_PARAM, ocsd_dt_process_data(tree, 0, 0, 1, byte, NULL));
	EXPECT_EQ(ABI_CONT, ocsd_dt_process_data(tree, 0, 0, 0, NULL, &taken));
	EXPECT_EQ(ABI_CONT, ocsd_dt_process_data(tree, 0, 0, 13, byte, &taken));
	EXPECT_EQ(13, taken);
	EXPECT_EQ(ABI_ERR_BAD_HANDLE, ocsd_dt_create_decoder(NULL, "ETE", 2, &etm4, &id));
	EXPECT_EQ(ABI_ERR_NO_PROTOCOL, ocsd_dt_create_decoder(tree, "ETMV4D", 2, &etm4, &id));
	EXPECT_EQ(ABI_ERR_DCDREG_NAME_UNKNOWN, ocsd_dt_create_decoder(tree, "X", 2, &etm4, &id));
	EXPECT_EQ(ABI_ERR_INVALID_PARAM_VAL, ocsd_dt_create_decoder(tree, "ETE", 0, &etm4, &id));
	EXPECT_EQ(ABI_ERR_INVALID_PARAM_VAL, ocsd_dt_create_decoder(tree, "ETE", 2, NULL, &id));
	EXPECT_EQ(ABI_OK, ocsd_dt_create_decoder(tree, "ETMV4I", 0x20002, &etm4, &id));
	EXPECT_EQ(0x15, id);
	EXPECT_EQ(ABI_ERR_INVALID_ID, ocsd_dt_set_pkt_protocol_printer(tree, 0x85, 0));
	EXPECT_EQ(ABI_ERR_INVALID_ID, ocsd_dt_remove_decoder(tree, 0xff));
	EXPECT_EQ(ABI_OK, ocsd_dt_remove_decoder(tree, 0x15));
	EXPECT_EQ(ABI_ERR_INVALID_ID, ocsd_dt_remove_decoder(tree, 0x15));
	EXPECT_EQ(ABI_ERR_MEM_ACC_BAD_LEN, ocsd_dt_add_buffer_mem_acc(tree, 0, 1, byte, 0));
	EXPECT_EQ(ABI_ERR_MEM_ACC_BAD_LEN, ocsd_dt_add_buffer_mem_acc(tree, -1, 1, byte, 2));
	EXPECT_EQ(ABI_ERR_MEM_ACC_RANGE_INVALID, ocsd_dt_add_buffer_mem_acc(tree, 0, 0, byte, 2));
	EXPECT_EQ(ABI_ERR_INVALID_PARAM_VAL,
		  ocsd_dt_add_callback_mem_acc(tree, 0, 1, 1, NULL, NULL));
	EXPECT_EQ(ABI_ERR_NO_PROTOCOL, ocsd_pkt_str(3, byte, buf, sizeof(buf)));
	ocsd_err_str(ABI_ERR_BAD_PACKET_SEQ, buf, sizeof(buf));
	EXPECT_STREQ("0x0", buf);
	ocsd_err_str(-5, buf, 0);
	ocsd_destroy_dcd_tree(tree);
	ocsd_destroy_dcd_tree(tree);	/* a second time */
}

static uint32_t on_element_again(const void *context, uint32_t index, uint8_t id,
				 const struct abi_element *e)
{
	struct client *c = (struct client *)context;
	const uint8_t byte = 0xf7;
	uint32_t taken;

	c->n++;
	c->n_asked += ocsd_dt_process_data(c->tree, ABI_OP_DATA, 0, 1, &byte, &taken) ==
		      ABI_FATAL_INVALID_OP;
	return ABI_CONT;
}

TEST(called_back_from_a_call)
{
	struct client c = { 0 };
	struct trace t = { 0 };

	trace(&t, &ete, START "atom E");
	open_client(&c, ABI_SRC_SINGLE, &ete);
	ocsd_dt_set_gen_elem_outfn(c.tree, on_element_again, &c);
	EXPECT_EQ(ABI_CONT, give(&c, t.byte, t.n, 0, 0));
	EXPECT_GT(c.n, 3);
	EXPECT_EQ(true, c.n_asked >= c.n);
	close_client(&c);
}

TEST(last_error)
{
	struct client c = { 0 };
	char text[128];
	uint32_t index;
	uint8_t id;

	open_client(&c, ABI_SRC_SINGLE, &ete);
	EXPECT_EQ(ABI_ERR_ATTACH_TOO_MANY, add_decoder(&c, &ete, 0x22, ABI_CREATE_DECODER));
	EXPECT_EQ(ABI_ERR_ATTACH_TOO_MANY, ocsd_get_last_err(&index, &id, text, sizeof(text)));
	EXPECT_EQ(0x22, id);
	EXPECT_STREQ("no decoder for trace ID 0x22", text);
	ocsd_err_str(ABI_ERR_ATTACH_TOO_MANY, text, sizeof(text));
	EXPECT_STREQ("0x000a (OCSD_ERR_ATTACH_TOO_MANY) [There is one already.]", text);
	close_client(&c);
}

TEST_HARNESS_MAIN
