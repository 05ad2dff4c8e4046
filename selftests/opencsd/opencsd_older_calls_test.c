// SPDX-License-Identifier: GPL-2.0-only
/* libopencsd_c_api.so.1 with ETMv3 and PTM: how its functions behave, whatever a client does. */
#define _GNU_SOURCE
#include "opencsd-client.h"

#include "../../perf-plugin/opencsd/abi-older.h"
#include "../../tools/lib/frame-write.h"

#define CID	(1u << 14)	/* one byte */
#define SYNC32	"async; isync 0x8000 a32 on s cid=1; "

static const struct csf_config ptm = {
	.size = sizeof(ptm), .protocol = CSF_PROTOCOL_PTM, .etmidr = 0x411cf312, .etmcr = CID,
	.etmccer = 1u << 28,
};

static const struct csf_config etm3 = {
	.size = sizeof(etm3), .protocol = CSF_PROTOCOL_ETM3, .etmidr = 0x410cf250, .etmcr = CID,
	.etmccer = 1u << 28,
};

/* nop; b 0x8000; and in another context one nop more */
static const uint32_t code_a[] = { 0xe320f000, 0xeafffffd };
static const uint32_t code_b[] = { 0xe320f000, 0xe320f000, 0xeafffffc };

static uint32_t on_memory_a32(const void *context, uint64_t addr, uint32_t space, uint8_t id,
			      uint32_t n, uint8_t *buf)
{
	struct client *c = (struct client *)context;
	const bool b = c->contextid != 1;
	const uint8_t *code = (const uint8_t *)(b ? code_b : code_a);
	const uint64_t size = b ? sizeof(code_b) : sizeof(code_a), at = addr - 0x8000;

	c->n_asked++;
	if (at >= size)
		return 0;
	if (n > size - at)
		n = size - at;
	memcpy(buf, code + at, n);
	return n;
}

static int add_older(struct client *c, const struct csf_config *config, uint8_t id, int flags)
{
	const struct abi_older_config abi = {
		.idr = config->etmidr, .ctrl = config->etmcr, .ccer = config->etmccer,
		.trc_id = id, .arch = 0x700, .profile = ABI_PROFILE_A,
	};
	unsigned char got = 0xff;
	int err = ocsd_dt_create_decoder(c->tree, config->protocol == CSF_PROTOCOL_PTM ? "PTM" :
					 "ETMV3", flags, &abi, &got);

	return err ? err : got == id ? 0 : -1;
}

static void open_older(struct client *c, uint32_t type)
{
	c->tree = ocsd_create_dcd_tree(type, 0x24);
	ocsd_def_errlog_set_strprint_cb(c->tree, c, on_text);
	ocsd_dt_set_gen_elem_outfn(c->tree, on_element, c);
	ocsd_dt_add_callback_trcid_mem_acc(c->tree, 0, UINT64_MAX, ABI_SPACE_ANY, on_memory_a32, c);
}

static char *older_elements(const struct trace *t, const struct csf_config *config, size_t chunk,
			    unsigned int wait)
{
	struct client c = { .wait = wait, .indexes = true };
	char *text;

	open_older(&c, ABI_SRC_SINGLE);
	if (add_older(&c, config, ID, ABI_CREATE_DECODER))
		abort();
	reset(&c);
	if (give(&c, t->byte, t->n, chunk, 0) || c.n_while_waiting)
		text_add(&c.text, "wrong: %u elements in vain\n", c.n_while_waiting);
	c.wait = 0;
	ocsd_dt_process_data(c.tree, ABI_OP_EOT, 0, 0, NULL, NULL);
	text = strdup(c.text.s ?: "");
	close_client(&c);
	return text;
}

static const struct {
	const struct csf_config *config;
	const char *words;
} traces[] = {
	{ &ptm, SYNC32 "atom EE; cid 2; branch 0x8000 a32; atom EE; branch 0x8000 a32 irq s; "
	  "eret; trigger; atom E; time 0x1234/14; isync 0x8000 a32 overflow ns cid=1; atom EEE; "
	  "waypoint 0x8000 a32; branch 0x100 a32 svc ns; atom EE; vmid 3; branch 0x8000 a32; "
	  "atom E" },
	{ &etm3, SYNC32 "atom EEE; cid 2; branch 0x8000 a32; atom EE; branch 0x8000 a32 irq ns; "
	  "eret; atom E; branch 0x8000 a32 irq s cancel; trigger; atom EE; time 0x1234/14; "
	  "isync 0x8000 a32 overflow ns cid=1; atom EEE; branch 0x100 a32; atom EE; atom E; "
	  "vmid 3; branch 0x8000 a32; atom E" },
};

TEST(any_wait_and_any_chunk)
{
	static const size_t chunks[] = { 0, 1, 2, 3, 7, 16, 33 };

	for (size_t i = 0; i < sizeof(traces) / sizeof(*traces); i++) {
		const struct csf_config *config = traces[i].config;
		struct trace t = { 0 };
		char *want;

		trace(&t, config, traces[i].words);
		want = older_elements(&t, config, 0, 0);
		EXPECT_NE(NULL, strstr(want, "ADDR_NACC( 0x100"));
		EXPECT_NE(NULL, strstr(want, "EO_TRACE( [end-of-trace])"));
		EXPECT_NE(NULL, strstr(want, "EVENT( Trigger; )"));
		for (size_t j = 0; j < sizeof(chunks) / sizeof(*chunks); j++) {
			for (unsigned int wait = 0; wait < 4; wait++) {
				char *got = older_elements(&t, config, chunks[j], wait);

				EXPECT_STREQ(want, got) {
					TH_LOG("trace %zu, chunk %zu, wait %u", i, chunks[j],
					       wait);
				}
				free(got);
			}
		}
		free(want);
	}
}

/* A range up to @end, right after a context. */
#define RANGE32(id, end) "CTXTID=0x" id "; )\n10 INSTR_RANGE(exec range=0x8000:[0x" end "]"

/* In each context there is other code, which the client gives by the context it was told of. */
TEST(context_comes_before_its_code)
{
	for (size_t i = 0; i < 2; i++) {
		const struct csf_config *config = i ? &etm3 : &ptm;
		struct client c = { 0 };
		struct trace t = { 0 };

		trace(&t, config, SYNC32 "cid 2");
		trace(&t, config, i ? "atom EEE; cid 1; branch 0x8000 a32; atom EE; trigger" :
		      "atom E; cid 1; branch 0x8000 a32; atom E");
		open_older(&c, ABI_SRC_SINGLE);
		ASSERT_EQ(0, add_older(&c, config, ID, ABI_CREATE_DECODER));
		EXPECT_EQ(ABI_CONT, give(&c, t.byte, t.n, 0, 0));
		EXPECT_NE(NULL, strstr(c.text.s, i ? RANGE32("2", "8004") : RANGE32("2", "800c")));
		EXPECT_NE(NULL, strstr(c.text.s, i ? "0x8008:[0x800c]" : "num_i(3)"));
		EXPECT_NE(NULL, strstr(c.text.s, i ? RANGE32("1", "8004") : RANGE32("1", "8008")));
		close_client(&c);
	}
}

static uint32_t spaces_asked;

static uint32_t on_space(const void *context, uint64_t addr, uint32_t space, uint32_t n,
			 uint8_t *buf)
{
	spaces_asked |= space;
	return 0;
}

/* The exception level is not traced: code of any level of the security state counts. */
TEST(spaces)
{
	for (size_t i = 0; i < 2; i++) {
		const struct csf_config *config = i ? &etm3 : &ptm;
		struct client c = { 0 };
		struct trace t = { 0 };

		trace(&t, config, "async; isync 0x8000 a32 on ns cid=1; atom EE; "
		      "isync 0x8000 a32 on s cid=1; atom EE; trigger");
		c.tree = ocsd_create_dcd_tree(ABI_SRC_SINGLE, 0);
		ASSERT_EQ(0, add_older(&c, config, ID, ABI_CREATE_DECODER));
		ocsd_dt_set_gen_elem_outfn(c.tree, on_element, &c);
		EXPECT_EQ(0, ocsd_dt_add_buffer_mem_acc(c.tree, 0x8000, ABI_SPACE_EL2N,
							(const uint8_t *)code_a,
							sizeof(code_a)));
		EXPECT_EQ(0, ocsd_dt_add_callback_mem_acc(c.tree, 0x8000, 0x8fff, ABI_SPACE_EL3,
							  on_space, NULL));
		spaces_asked = 0;
		EXPECT_EQ(ABI_CONT, give(&c, t.byte, t.n, 0, 0));
		EXPECT_NE(NULL, strstr(c.text.s, "N; 32-bit; CTXTID=0x1; )\n10 INSTR_RANGE"));
		EXPECT_NE(NULL, strstr(c.text.s, "ADDR_NACC( 0x8000; Memspace [0x19:Any S] )"));
		EXPECT_EQ(0x19, spaces_asked);
		EXPECT_EQ(0, ocsd_dt_remove_mem_acc(c.tree, 0x8000, ABI_SPACE_EL2N));
		text_clear(&c.text);
		reset(&c);
		EXPECT_EQ(ABI_CONT, give(&c, t.byte, t.n, 0, 0));
		EXPECT_NE(NULL, strstr(c.text.s, "ADDR_NACC( 0x8000; Memspace [0x6:Any NS] )"));
		close_client(&c);
	}
}

TEST(frames_of_both)
{
	static const uint8_t barrier[16] = { 0xff, 0xff, 0xff, 0x7f, 0xff, 0xff, 0xff, 0x7f,
					     0xff, 0xff, 0xff, 0x7f, 0xff, 0xff, 0xff, 0x7f };
	struct frame_writer w = { 0 };
	struct trace t[2] = { 0 };
	char *want = NULL;

	for (int i = 0; i < 2; i++)
		trace(&t[i], traces[i].config, traces[i].words);
	for (size_t at = 0; at < t[0].n || at < t[1].n; at += 5)
		for (int i = 0; i < 2; i++)
			if (at < t[i].n)
				frame_write(&w, ID + i, t[i].byte + at,
					    t[i].n - at < 5 ? t[i].n - at : 5);
	frame_write_end(&w);
	w.data = realloc(w.data, w.n * 2 + 16);
	memcpy(w.data + w.n, barrier, 16);
	memcpy(w.data + w.n + 16, w.data, w.n);
	for (unsigned int wait = 0; wait < 4; wait++) {
		struct client c = { .wait = wait };

		open_older(&c, ABI_SRC_FORMATTED);
		EXPECT_EQ(0, add_older(&c, &ptm, ID, ABI_CREATE_DECODER));
		EXPECT_EQ(0, add_older(&c, &etm3, ID + 1, ABI_CREATE_DECODER));
		EXPECT_EQ(ABI_ERR_ATTACH_TOO_MANY, add_older(&c, &etm3, ID, ABI_CREATE_DECODER));
		EXPECT_EQ(ABI_CONT, give(&c, w.data, w.n * 2 + 16, 0, 0));
		EXPECT_EQ(0, c.n_while_waiting);
		if (!wait)
			want = strdup(c.text.s);
		EXPECT_STREQ(want, c.text.s);
		close_client(&c);
	}
	EXPECT_NE(NULL, strstr(want, "10 NO_SYNC( [init-decoder])\n"));
	EXPECT_NE(NULL, strstr(want, "11 NO_SYNC( [init-decoder])\n"));
	EXPECT_NE(NULL, strstr(want, "10 NO_SYNC( [reset-decoder])\n"));
	EXPECT_NE(NULL, strstr(want, "11 NO_SYNC( [reset-decoder])\n"));
	free(want);
	free(w.data);
}

TEST(reset_forgets)
{
	for (size_t i = 0; i < 2; i++) {
		const struct csf_config *config = i ? &etm3 : &ptm;
		struct client c = { 0 };
		struct trace t = { 0 };
		uint32_t taken;
		char *first;

		trace(&t, config, SYNC32 "atom EE; trigger");
		open_older(&c, ABI_SRC_SINGLE);
		ASSERT_EQ(0, add_older(&c, config, ID, ABI_CREATE_DECODER));
		reset(&c);
		EXPECT_EQ(ABI_CONT, give(&c, t.byte, t.n, 0, 0));
		first = strdup(c.text.s);
		/* Half an I-sync, then a wait that no flush ends: all gone. */
		ocsd_dt_process_data(c.tree, ABI_OP_DATA, 0, 9, t.byte, &taken);
		reset(&c);
		c.wait = 1;
		EXPECT_EQ(ABI_WAIT, ocsd_dt_process_data(c.tree, ABI_OP_DATA, 0, t.n, t.byte,
							 &taken));
		reset(&c);
		c.wait = 0;
		text_clear(&c.text);
		EXPECT_EQ(ABI_CONT, give(&c, t.byte, t.n, 0, 0));
		EXPECT_STREQ(first, c.text.s);
		free(first);
		close_client(&c);
	}
}

/* An exception may cancel the last instruction of ETMv3. */
TEST(uncommitted)
{
	struct client c = { 0 };
	struct trace t = { 0 };

	trace(&t, &etm3, SYNC32 "atom EE");
	open_older(&c, ABI_SRC_SINGLE);
	ASSERT_EQ(0, add_older(&c, &etm3, ID, ABI_CREATE_DECODER));
	EXPECT_EQ(ABI_CONT, give(&c, t.byte, t.n, 0, 0));
	EXPECT_NE(NULL, strstr(c.text.s, "range=0x8000:[0x8004]"));
	EXPECT_EQ(NULL, strstr(c.text.s, "range=0x8004:[0x8008]"));
	close_client(&c);

	c = (struct client){ 0 };
	setenv("CSFLOW_COMMIT_TAIL", "1", 1);
	open_older(&c, ABI_SRC_SINGLE);
	unsetenv("CSFLOW_COMMIT_TAIL");
	ASSERT_EQ(0, add_older(&c, &etm3, ID, ABI_CREATE_DECODER));
	EXPECT_EQ(ABI_CONT, give(&c, t.byte, t.n, 0, 0));
	EXPECT_NE(NULL, strstr(c.text.s, "range=0x8004:[0x8008]"));
	close_client(&c);
}

TEST(bad_trace_is_never_fatal)
{
	for (size_t i = 0; i < 2; i++) {
		const struct csf_config *config = i ? &etm3 : &ptm;
		struct client c = { 0 };
		struct trace t = { 0 };

		trace(&t, config, SYNC32 "atom EE");
		t.byte[t.n++] = 0x10;		/* no version has it */
		t.byte[t.n++] = 0x12;
		trace(&t, config, SYNC32 "atom EE; trigger");
		open_older(&c, ABI_SRC_SINGLE);
		ASSERT_EQ(0, add_older(&c, config, ID, ABI_CREATE_DECODER));
		EXPECT_EQ(ABI_CONT, give(&c, t.byte, t.n, 0, 0));
		EXPECT_NE(NULL, strstr(c.text.s, i ? "10 NO_SYNC( [bad-packet])\n10 TRACE_ON" :
				       "10 NO_SYNC( [undefined])\n10 TRACE_ON"));
		EXPECT_EQ(NULL, c.log.s);
		close_client(&c);
	}
}

TEST(wrong_arguments)
{
	const struct abi_older_config none = { 0 }, m = { .trc_id = 0x91, .profile = 1 };
	struct abi_older_config wrong = { .idr = 0x410cf250, .trc_id = 3 };
	void *tree = ocsd_create_dcd_tree(ABI_SRC_FORMATTED, 0x24);
	uint8_t packet[256];
	unsigned char id = 0;
	char buf[4];

	EXPECT_EQ(ABI_ERR_INVALID_PARAM_VAL, ocsd_dt_create_decoder(tree, "PTM", 2, NULL, &id));
	EXPECT_EQ(ABI_ERR_INVALID_PARAM_VAL, ocsd_dt_create_decoder(tree, "ETMV3", 2, &none, NULL));
	EXPECT_EQ(ABI_ERR_INVALID_PARAM_VAL, ocsd_dt_create_decoder(tree, "ETMV3", 0, &none, &id));
	EXPECT_EQ(ABI_ERR_HW_CFG_UNSUPP, ocsd_dt_create_decoder(tree, "PTM", 2, &wrong, &id));
	wrong.idr = 0x411cf312;
	EXPECT_EQ(ABI_ERR_HW_CFG_UNSUPP, ocsd_dt_create_decoder(tree, "ETMV3", 1, &wrong, &id));
	EXPECT_EQ(ABI_OK, ocsd_dt_create_decoder(tree, "PTM", 2, &none, &id));
	EXPECT_EQ(0, id);
	EXPECT_EQ(ABI_OK, ocsd_dt_create_decoder(tree, "ETMV3", 2, &m, &id));
	EXPECT_EQ(0x11, id);
	for (int value = 0; value < 256; value++) {
		memset(packet, value, sizeof(packet));
		for (int type = 0; type < 32; type++) {
			memcpy(packet, &type, sizeof(type));
			EXPECT_EQ(ABI_OK, ocsd_pkt_str(ABI_PROTOCOL_PTM, packet, buf,
						       sizeof(buf)));
			EXPECT_EQ(3, strlen(buf));
			EXPECT_EQ(ABI_OK, ocsd_pkt_str(ABI_PROTOCOL_ETMV3, packet, buf,
						       sizeof(buf)));
			EXPECT_EQ(3, strlen(buf));
		}
	}
	ocsd_destroy_dcd_tree(tree);
}

TEST_HARNESS_MAIN
