// SPDX-License-Identifier: GPL-2.0-only
/* libopencsd_c_api.so.1: packets, for callers and as text. */
#define _GNU_SOURCE
#include "opencsd-client.h"

static uint32_t on_packet(const void *context, uint32_t op, uint32_t index,
			  const struct abi_packet *packet)
{
	struct client *c = (struct client *)context;
	char line[256];

	if (op != ABI_OP_DATA) {
		text_add(&c->text, "op %u%s\n", op, packet ? " with a packet" : "");
		return ABI_CONT;
	}
	ocsd_pkt_str(ABI_PROTOCOL_ETE, packet, line, sizeof(line));
	text_add(&c->text, "%u %s\n", index, line);
	c->waiting = c->wait && ++c->n % c->wait == 0;
	return c->waiting ? ABI_WAIT : ABI_CONT;
}

static void on_monitor(const void *context, uint32_t op, uint32_t index,
		       const struct abi_packet *packet, uint32_t size, const uint8_t *bytes)
{
	struct client *c = (struct client *)context;

	if (op != ABI_OP_DATA)
		text_add(&c->text, "op %u\n", op);
	else
		text_add(&c->text, "%u: %u %02x\n", index, size, bytes[0]);
}

TEST(sinks_and_monitors)
{
	struct abi_stats *stats;
	struct trace t = { 0 };

	trace(&t, &ete, START "atom EN; overflow");
	for (unsigned int wait = 0; wait < 3; wait++) {
		struct client c = { .wait = wait };

		c.tree = ocsd_create_dcd_tree(ABI_SRC_SINGLE, 0);
		ASSERT_EQ(0, add_decoder(&c, &ete, ID, ABI_CREATE_PACKETS));
		EXPECT_EQ(0, ocsd_dt_attach_packet_callback(c.tree, ID, ABI_CB_SINK,
							    (void *)on_packet, &c));
		EXPECT_EQ(ABI_ERR_ATTACH_TOO_MANY,
			  ocsd_dt_attach_packet_callback(c.tree, ID, ABI_CB_SINK,
							 (void *)on_packet, &c));
		EXPECT_EQ(ABI_CONT, give(&c, t.byte, t.n, 0, 0));
		EXPECT_STREQ("0 I_ASYNC : Alignment Synchronisation.\n"
			     "12 I_TRACE_INFO : Trace Info.; INFO=0x0 { CC.0, TSTATE.0 }\n"
			     "14 I_TRACE_ON : Trace On.\n"
			     "15 I_ADDR_CTXT_L_64IS0 : Address & Context, Long, 64 bit, IS0.; "
			     "Addr=0x0000000000010000; Ctxt: AArch64,EL0, NS; CID=0x00000001; \n"
			     "29 I_ATOM_F2 : Atom format 2.; EN\n"
			     "30 I_OVERFLOW : Overflow.\n", c.text.s);
		text_clear(&c.text);
		reset(&c);
		ocsd_dt_process_data(c.tree, ABI_OP_EOT, 0, 0, NULL, NULL);
		EXPECT_STREQ("op 3\nop 1\n", c.text.s);
		EXPECT_EQ(0, ocsd_dt_get_decode_stats(c.tree, ID, &stats));
		EXPECT_EQ(t.n, stats->total);
		EXPECT_EQ(0, ocsd_dt_reset_decode_stats(c.tree, ID));
		EXPECT_EQ(0, ocsd_dt_get_decode_stats(c.tree, ID, &stats));
		EXPECT_EQ(0, stats->total);
		close_client(&c);
	}
}

TEST(monitor_beside_elements)
{
	struct client c = { 0 };
	struct trace t = { 0 };

	trace(&t, &ete, START "atom E; atom E");
	open_client(&c, ABI_SRC_SINGLE, &ete);
	EXPECT_EQ(ABI_ERR_ATTACH_TOO_MANY,
		  ocsd_dt_attach_packet_callback(c.tree, ID, ABI_CB_SINK, (void *)on_packet, &c));
	EXPECT_EQ(0, ocsd_dt_attach_packet_callback(c.tree, ID, ABI_CB_MONITOR,
						    (void *)on_monitor, &c));
	EXPECT_EQ(ABI_CONT, give(&c, t.byte, t.n, 0, 0));
	/*
	 * A packet that ends with a zero could still be cut off by an A-sync, until the next byte.
	 */
	EXPECT_STREQ("0: 12 00\n12: 2 01\n14: 1 04\n10 NO_SYNC( [init-decoder])\n"
		     "10 TRACE_ON( [begin or filter])\n15: 14 85\n29: 1 f7\n" CTX(1) RANGE
		     "30: 1 f7\n" RANGE, c.text.s);
	close_client(&c);
}

TEST(printers)
{
	struct client c = { 0 };
	struct trace t = { 0 };

	trace(&t, &ete, START);
	open_client(&c, ABI_SRC_SINGLE, &ete);
	EXPECT_EQ(0, ocsd_dt_set_gen_elem_printer(c.tree));
	EXPECT_EQ(0, ocsd_dt_set_pkt_protocol_printer(c.tree, ID, 1));
	EXPECT_EQ(ABI_CONT, give(&c, t.byte, t.n, 0, 0));
	EXPECT_NE(NULL, strstr(c.log.s, "Idx:12; ID:10; [0x01 0x00 ];\tI_TRACE_INFO : "));
	EXPECT_NE(NULL, strstr(c.log.s, "Idx:15; ID:10; OCSD_GEN_TRC_ELEM_PE_CONTEXT((ISA=A64) "
			       "EL0N; 64-bit; CTXTID=0x1; )\n"));
	close_client(&c);
}

TEST_HARNESS_MAIN
