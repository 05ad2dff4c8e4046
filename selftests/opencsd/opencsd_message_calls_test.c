// SPDX-License-Identifier: GPL-2.0-only
/* libopencsd_c_api.so.1 with STM and ITM: what a client gets, whatever it does. */
#include "opencsd-client.h"

#include "../../perf-plugin/opencsd/abi-message.h"
#include "../../tools/encoder/stp-wire.h"

static int add_source(struct client *c, const char *name, int flags)
{
	/* the first word has the trace ID in both */
	const struct abi_stm_config abi = { .tcsr = ID << 16 };
	unsigned char got = 0xff;
	int err = ocsd_dt_create_decoder(c->tree, name, flags, &abi, &got);

	return err ? err : got == ID ? 0 : -1;
}

static void open_source(struct client *c, const char *name, bool prints)
{
	c->tree = ocsd_create_dcd_tree(ABI_SRC_SINGLE, 0);
	ocsd_def_errlog_set_strprint_cb(c->tree, c, on_text);
	ocsd_dt_set_gen_elem_outfn(c->tree, on_element, c);
	if (add_source(c, name, ABI_CREATE_DECODER))
		abort();
	if (prints)
		ocsd_dt_set_pkt_protocol_printer(c->tree, ID, 1);
}

/* The elements of a stream, in pieces of @chunk bytes; the client waits after each @wait. */
static char *elements_of(const char *name, const uint8_t *p, size_t n, size_t chunk,
			 unsigned int wait)
{
	struct client c = { .wait = wait };
	char *text;

	open_source(&c, name, false);
	reset(&c);
	if (give(&c, p, n, chunk, 0) || c.n_while_waiting)
		text_add(&c.text, "wrong: %u elements in vain\n", c.n_while_waiting);
	ocsd_dt_process_data(c.tree, ABI_OP_EOT, 0, 0, NULL, NULL);
	c.waiting = false;
	while (ocsd_dt_process_data(c.tree, ABI_OP_FLUSH, 0, 0, NULL, NULL) >= ABI_WAIT)
		c.waiting = false;
	text = strdup(c.text.s ?: "");
	close_client(&c);
	return text;
}

/* What a printer gets of packets. */
static char *packets_of(const char *name, const uint8_t *p, size_t n)
{
	struct client c = { .tree = NULL };
	uint32_t taken;
	char *text;

	open_source(&c, name, true);
	ocsd_dt_process_data(c.tree, ABI_OP_DATA, 0, n, p, &taken);
	ocsd_dt_process_data(c.tree, ABI_OP_EOT, 0, 0, NULL, &taken);
	text = strdup(c.log.s ?: "");
	close_client(&c);
	return text;
}

/* ---------------------------------------------------------------- ITM */

static const uint8_t itm[] = {
	0x01, 0x48,				/* before a sync */
	0x00, 0x00, 0x00, 0x00, 0x00, 0x80,
	0x2b, 0x78, 0x56, 0x34, 0x12,		/* port 5 */
	0xc0, 0x05, 0x60,			/* times: 5, delayed 6 */
	0xf0, 0x07,				/* and both delayed */
	0x0e, 0x0f, 0x10,			/* exception 15 entered */
	0x70, 0x8d, 0x02,			/* overflow; comparator 0 wrote */
	0x94, 0x85, 0x80, 0x80, 0x01,		/* the low bits of a global time */
	0xb4, 0x81, 0x80, 0x80, 0x00,		/* the high ones */
	0x08, 0x01, 0x21,			/* page 0; port 0 */
	0x18, 0x01, 0x21,			/* page 1; port 0 */
	0x04, 0x01, 0x21,			/* reserved: lost up to a sync */
	0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x80,
	0x17, 0x18, 0x02, 0x00, 0x08,		/* a program counter */
	0x03, 0x01,				/* cut off by the end */
};

static const char itm_wanted[] =
	"10 NO_SYNC( [reset-decoder])\n"
	"10 ITMTRACE(ITM_SWIT (ch: 0x5; Data: 0x12345678) )\n"
	"10 ITMTRACE(ITM_TS_LOCAL ( TS delta: 0x00000005, { TS Sync}; TS cumulative: 0x5) )\n"
	"10 ITMTRACE(ITM_TS_LOCAL ( TS delta: 0x00000006, { TS Sync}; TS cumulative: 0xb) )\n"
	"10 ITMTRACE(ITM_TS_LOCAL ( TS delta: 0x00000007, { TS and Packet Delay}; "
	"TS cumulative: 0x12) )\n"
	"10 ITMTRACE(ITM_DWT (desc: 0x1; Data: 0x100f) )\n"
	"10 ITMTRACE(ITM_OVERFLOW; ITM_DWT (desc: 0x11; Data: 0x02) )\n"
	"10 ITMTRACE(ITM_TS_GLOBAL ( TS: 0x0000000004200005) )\n"
	"10 ITMTRACE(ITM_SWIT (ch: 0x0; Data: 0x21) )\n"
	"10 ITMTRACE(ITM_SWIT (ch: 0x20; Data: 0x21) )\n"
	"10 NO_SYNC( [bad-packet])\n"
	"10 ITMTRACE(ITM_DWT (desc: 0x2; Data: 0x08000218) )\n"
	"10 EO_TRACE( [end-of-trace])\n";

TEST(itm_elements)
{
	for (size_t chunk = 0; chunk < 8; chunk++)
		for (unsigned int wait = 0; wait < 4; wait++) {
			char *text = elements_of("ITM", itm, sizeof(itm), chunk, wait);

			EXPECT_STREQ(itm_wanted, text)
				TH_LOG("pieces of %zu, wait %u", chunk, wait);
			free(text);
		}
}

TEST(itm_packets)
{
	char *text = packets_of("ITM", itm, sizeof(itm));

	EXPECT_STREQ("Idx:0; ID:10; [0x01 0x48 ];	ITM_NOTSYNC: ; 'ITM data stream not synchronised'\n"
		     "Idx:2; ID:10; [0x00 0x00 0x00 0x00 0x00 0x80 ];	ITM_ASYNC: ; "
		     "'Alignment synchronisation packet'\n"
		     "Idx:8; ID:10; [0x2b 0x78 0x56 0x34 0x12 ];	ITM_SWIT: {src id: 0x05}  0x12345678; "
		     "'Software Stimulus write packet'\n"
		     "Idx:13; ID:10; [0xc0 0x05 ];	ITM_TS_LOCAL: 0x05 { TS Sync }; 'Local Timestamp'\n"
		     "Idx:15; ID:10; [0x60 ];	ITM_TS_LOCAL: 0x06 { TS Sync }; 'Local Timestamp'\n"
		     "Idx:16; ID:10; [0xf0 0x07 ];	ITM_TS_LOCAL: 0x07 { TS Delayed, Packet Delayed }; "
		     "'Local Timestamp'\n"
		     "Idx:18; ID:10; [0x0e 0x0f 0x10 ];	ITM_DWT: {desc: 0x01} "
		     "[Exception Num:  0x000f(entered) ]; 'DWT hardware stimulus write'\n"
		     "Idx:21; ID:10; [0x70 ];	ITM_OVERFLOW: ; 'ITM overflow packet'\n"
		     "Idx:22; ID:10; [0x8d 0x02 ];	ITM_DWT: {desc: 0x11} "
		     "[Data Trc: comp=0; Val write: 0x02] ; 'DWT hardware stimulus write'\n"
		     "Idx:24; ID:10; [0x94 0x85 0x80 0x80 0x01 ];	ITM_GTS_1: { TS bits [25:0]} 0x00200005; "
		     "'Global Timestamp [25:0]'\n"
		     "Idx:29; ID:10; [0xb4 0x81 0x80 0x80 0x00 ];	ITM_GTS_2: { TS bits [47:26]} 0x00000001; "
		     "'Global Timestamp [{63|42}:26]'\n"
		     "Idx:34; ID:10; [0x08 ];	ITM_EXTENSION: {stim port page} 0x00; 'Extension packet'\n"
		     "Idx:35; ID:10; [0x01 0x21 ];	ITM_SWIT: {src id: 0x00}  0x21; "
		     "'Software Stimulus write packet'\n"
		     "Idx:37; ID:10; [0x18 ];	ITM_EXTENSION: {stim port page} 0x01; 'Extension packet'\n"
		     "Idx:38; ID:10; [0x01 0x21 ];	ITM_SWIT: {src id: 0x00}  0x21; "
		     "'Software Stimulus write packet'\n"
		     "Idx:40; ID:10; [0x04 ];	ITM_RESERVED: ; 'Reserved Packet Header'\n"
		     "Idx:41; ID:10; [0x01 0x21 ];	ITM_NOTSYNC: ; 'ITM data stream not synchronised'\n"
		     "Idx:43; ID:10; [0x00 0x00 0x00 0x00 0x00 0x00 0x80 ];	ITM_ASYNC: ; "
		     "'Alignment synchronisation packet'\n"
		     "Idx:50; ID:10; [0x17 0x18 0x02 0x00 0x08 ];	ITM_DWT: {desc: 0x02} "
		     "[PC Sample: 0x08000218] ; 'DWT hardware stimulus write'\n"
		     "Idx:55; ID:10; [0x03 0x01 ];	ITM_INCOMPLETE_EOT: [Init type: ITM_UNKNOWN] ; "
		     "'Incomplete packet flushed at end of trace'\n"
		     "ID:10	END OF TRACE DATA\n", text);
	free(text);
}

/* More zeros, or bytes FF, than are looked at together, and then a sync: no byte is left out. */
TEST(long_rows)
{
	static const char *const names[] = { "ITM", "STM" };
	static const uint8_t rest[2][6] = {
		{ 0x80, 0x01, 0x48 }, { 0x0f, 0x0f, 0x30, 0xd4, 0x0e, 0x00 },
	};

	for (int stm = 0; stm < 2; stm++) {
		const size_t n = 3000, n_rest = stm ? 6 : 3;
		uint8_t *bytes = malloc(n + n_rest);

		memset(bytes, stm ? 0xff : 0, n);
		memcpy(bytes + n, rest[stm], n_rest);
		for (size_t chunk = 0; chunk < 4; chunk++) {
			char *text = elements_of(names[stm], bytes, n + n_rest, 700 * chunk, 0);

			EXPECT_STREQ(stm ? "10 NO_SYNC( [reset-decoder])\n"
				     "10 SWTRACE((Ma:0x?" "?; Ch:0x?" "?) 0xde; )\n"
				     "10 EO_TRACE( [end-of-trace])\n" :
				     "10 NO_SYNC( [reset-decoder])\n"
				     "10 ITMTRACE(ITM_SWIT (ch: 0x0; Data: 0x48) )\n"
				     "10 EO_TRACE( [end-of-trace])\n", text)
				TH_LOG("%s, pieces of %zu", names[stm], 700 * chunk);
			free(text);
		}
		free(bytes);
	}
}

/* Releases before 1.8.0 have no ITM, neither its protocol nor its elements. */
TEST(itm_by_release)
{
	const struct abi_itm_packet packet = { .type = ABI_ITM_OVERFLOW };
	struct client c = { .tree = NULL };
	char buf[128];

	setenv("CSFLOW_OPENCSD", "1.5.5", 1);
	c.tree = ocsd_create_dcd_tree(ABI_SRC_SINGLE, 0);
	EXPECT_EQ(ABI_ERR_NO_PROTOCOL, add_source(&c, "ITM", ABI_CREATE_DECODER));
	EXPECT_EQ(ABI_OK, add_source(&c, "STM", ABI_CREATE_DECODER));
	EXPECT_EQ(ABI_ERR_NO_PROTOCOL, ocsd_pkt_str(ABI_PROTOCOL_ITM, &packet, buf, sizeof(buf)));
	close_client(&c);
	unsetenv("CSFLOW_OPENCSD");
	EXPECT_EQ(ABI_OK, ocsd_pkt_str(ABI_PROTOCOL_ITM, &packet, buf, sizeof(buf)));
	EXPECT_STREQ("ITM_OVERFLOW: ; 'ITM overflow packet'", buf);
}

/* ---------------------------------------------------------------- STM */

/* Everything that OpenCSD gives up at, and a packet that there is not. */
static size_t send_unknown(uint8_t *bytes, size_t max)
{
	struct stp_wire w = { .bytes = bytes, .max = 2 * max };
	uint64_t time = 0x1234;

	stp_sync(&w);
	stp_version(&w, STP_DELTA, 2, true);
	stp_master(&w, 0x1234, true);
	stp_channel(&w, 0x56, false);
	stp_data(&w, 0xab, 2, true, &time);
	stp_cross_sync(&w, 1, NULL);
	stp_user(&w, 2, 3, NULL);
	stp_frequency(&w, 1, true, NULL);
	stp_progress(&w);
	time += 0x10;
	stp_null(&w, &time);
	stp_error(&w, STP_CHANNEL_ERROR, 3);
	stp_data(&w, 0xcdef, 4, false, NULL);
	stp_nibble(&w, 0xf);
	stp_nibble(&w, 0x0);
	stp_nibble(&w, 0xc);
	stp_data(&w, 1, 2, false, NULL);
	stp_sync(&w);
	stp_version(&w, STP_LOW, 1, false);
	stp_trigger(&w, 7, NULL);
	stp_error(&w, STP_MASTER_ERROR, 8);
	stp_error(&w, STP_GLOBAL_ERROR, 9);
	if (w.n & 1)
		stp_nibble(&w, 0);
	return w.n / 2;
}

TEST(stm_elements)
{
	uint8_t bytes[256];
	const size_t n = send_unknown(bytes, sizeof(bytes));

	for (size_t chunk = 0; chunk < 8; chunk++)
		for (unsigned int wait = 0; wait < 4; wait++) {
			char *text = elements_of("STM", bytes, n, chunk, wait);

			EXPECT_STREQ("10 NO_SYNC( [reset-decoder])\n"
				     "10 SWTRACE( (Ma:0x1234; Ch:0x56) 0xab; +Mrk  [ TS=0x000000001234]; )\n"
				     "10 SWTRACE( (Ma:0x1234; Ch:0x56)  [ TS=0x000000001244]; )\n"
				     "10 SWTRACE( (Ma:0x1234; Ch:0x56) 0xcdef; )\n"
				     "10 NO_SYNC( [bad-packet])\n"
				     "10 SWTRACE((Ma:0x??; Ch:0x?" "?) 0x07; Trig )\n"
				     "10 SWTRACE((Ma:0x??; Ch:0x?" "?) 0x08; {Master Error.})\n"
				     "10 SWTRACE({Global Error.})\n"
				     "10 EO_TRACE( [end-of-trace])\n", text)
				TH_LOG("pieces of %zu, wait %u", chunk, wait);
			free(text);
		}
}

static uint32_t on_sink(const void *context, uint32_t op, uint32_t index, const void *packet)
{
	struct client *c = (struct client *)context;
	char text[256] = "";

	if (packet)
		ocsd_pkt_str(ABI_PROTOCOL_STM, packet, text, sizeof(text));
	text_add(&c->text, "%u %s\n", op, text);
	c->waiting = c->wait && ++c->n % c->wait == 0;
	return c->waiting ? ABI_WAIT : ABI_CONT;
}

/* A sink that waits; then it is reset in the middle of a packet, and removed. */
TEST(stm_sink)
{
	uint8_t bytes[64];
	struct stp_wire w = { .bytes = bytes, .max = 2 * sizeof(bytes) };
	struct client c = { .wait = 1 };
	struct abi_stats *stats;

	stp_sync(&w);
	stp_version(&w, STP_LOW, 1, false);
	stp_data(&w, 0xab, 2, false, NULL);
	stp_nibble(&w, 0x6);
	c.tree = ocsd_create_dcd_tree(ABI_SRC_SINGLE, 0);
	ASSERT_EQ(0, add_source(&c, "STM", ABI_CREATE_PACKETS));
	ASSERT_EQ(0, ocsd_dt_attach_packet_callback(c.tree, ID, ABI_CB_SINK, (void *)on_sink, &c));
	EXPECT_EQ(ABI_CONT, give(&c, bytes, w.n / 2, 0, 0));
	EXPECT_EQ(0, ocsd_dt_get_decode_stats(c.tree, ID, &stats));
	EXPECT_EQ(w.n / 2, stats->total);
	reset(&c);
	EXPECT_EQ(ABI_CONT, give(&c, bytes + 10, 3, 0, 0));
	EXPECT_STREQ("0 ASYNC:Alignment synchronisation packet\n0 VERSION:Version packet; Ver=3\n"
		     "0 D8:8 bit data; Data=0xab\n3 \n0 NOTSYNC:STM not synchronised\n", c.text.s);
	EXPECT_EQ(0, ocsd_dt_remove_decoder(c.tree, ID));
	close_client(&c);
}

TEST_HARNESS_MAIN
