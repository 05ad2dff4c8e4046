// SPDX-License-Identifier: GPL-2.0-only
/*
 * Damaged trace of an STM: of the messages of a clean stream at least as many are kept as Debian's
 * libopencsd keeps, for each of six kinds of damage; nothing crashes or hangs, and gaps tell which
 * bytes were lost.
 *
 * libopencsd stops at the first packet that it does not know.  Its second figure is that of a
 * client that resets it then, and gives it the rest.
 *
 * 2,000 variants, or 100,000 with $CSFLOW_LONG; the peer sees no more than 5,000 of them.
 */
#include <opencsd/c_api/opencsd_c_api.h>
#include <stdlib.h>
#include <string.h>

#include "../lib/kselftest_harness.h"
#undef ARRAY_SIZE

#include "../../decoder/bytes.h"
#include "../../decoder/csflow.h"
#include "../../tools/encoder/stp-wire.h"

#define N_KIND		6
#define MESSAGES	4000
#define BYTES		65536
#define PEER_MAX	5000

/* The peer's own leaks are not ours to find. */
__attribute__((visibility("default"))) const char *__lsan_default_suppressions(void);

const char *__lsan_default_suppressions(void)
{
	return "leak:libopencsd";
}

static const char *const kind_name[N_KIND] = {
	"bit flips", "random bytes", "truncated", "bytes dropped", "burst", "splice",
};

static uint64_t random_state;

static uint64_t rnd(uint64_t n)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return (random_state >> 11) % n;
}

/* Damages the @n bytes at @p in place.  Returns how many are left. */
static size_t damage(uint8_t *p, size_t n, unsigned int kind)
{
	size_t at = rnd(n), len, from;

	switch (kind) {
	case 0:
		for (unsigned int k = 1 + rnd(8); k; k--)
			p[rnd(n)] ^= 1u << rnd(8);
		return n;
	case 1:
		for (unsigned int k = 1 + rnd(200); k; k--)
			p[rnd(n)] = rnd(256);
		return n;
	case 2:
		return at + 1;
	case 3:
		len = 1 + rnd(256);
		len = len < n - at ? len : n - at;
		memmove(p + at, p + at + len, n - at - len);
		return n > len ? n - len : 1;
	case 4:
		for (len = 1 + rnd(512); len && at < n; len--)
			p[at++] = rnd(256);
		return n;
	default:
		from = rnd(n);
		len = 1 + rnd(1024);
		len = len < n - at ? len : n - at;
		len = len < n - from ? len : n - from;
		memmove(p + at, p + from, len);
		return n;
	}
}

/* Every value is sent once, by the master and on the channel that follow from it. */
static uint32_t value_of(unsigned int i)
{
	return 0x9e3779b1u * (i + 1);
}

static uint8_t master_of(unsigned int i)
{
	return i / 500 * 37 + 1;
}

static uint8_t channel_of(unsigned int i)
{
	return i / 20 * 11;
}

/* As an Arm STM sends: a sync each 512 bytes, then a VERSION, a FREQ, and who writes. */
static size_t send(uint8_t *bytes)
{
	struct stp_wire w = { .bytes = bytes, .max = 2 * BYTES };
	size_t next_sync = 0;
	uint64_t time = 0;

	for (unsigned int i = 0; i < MESSAGES; i++) {
		const bool synced = w.n >= next_sync;

		if (synced) {
			stp_sync(&w);
			stp_version(&w, STP_LOW, 1, false);
			stp_frequency(&w, 100000000, false, NULL);
			next_sync = w.n + 2 * 512;
		}
		if (synced || i % 500 == 0)
			stp_master(&w, master_of(i), false);
		if (synced || i % 20 == 0)
			stp_channel(&w, channel_of(i), false);
		time += rnd(1000);
		stp_data(&w, value_of(i), 8, !rnd(3), rnd(2) ? &time : NULL);
	}
	if (w.n & 1)
		stp_nibble(&w, 0);
	return w.n / 2;
}

/* Which messages of the clean stream were seen. */
struct seen {
	bool sent[MESSAGES];
	unsigned int n;
};

static void see(struct seen *seen, uint32_t value, uint16_t master, uint16_t channel)
{
	/* the inverse of value_of() */
	const unsigned int i = value * 0x0e8b2f51u - 1;

	if (i >= MESSAGES || seen->sent[i] || master != master_of(i) || channel != channel_of(i))
		return;
	seen->sent[i] = true;
	seen->n++;
}

/* Return: messages kept; -1: the bytes of the gaps do not add up. */
static int read_own(const uint8_t *p, size_t n, struct seen *seen)
{
	const struct csf_config config = { .size = sizeof(config), .protocol = CSF_PROTOCOL_STM };
	struct csf_message_stats stats = { .size = sizeof(stats) };
	struct csf_messages *messages;
	struct csf_message m;
	uint64_t lost = 0, last = 0;
	bool ordered = true;

	if (csf_messages_new(&messages, &config))
		return -1;
	csf_messages_feed(messages, p, n);
	csf_messages_end(messages);
	while (csf_messages_next(messages, &m) > 0) {
		ordered = ordered && m.offset >= last && m.offset <= n;
		last = m.offset;
		if (m.kind == CSF_MESSAGE_GAP)
			lost += m.value;
		else if (m.kind == CSF_MESSAGE_DATA && m.size == 4)
			see(seen, m.value, m.master, m.channel);
	}
	csf_messages_stats(messages, &stats);
	csf_messages_free(messages);
	return ordered && lost == stats.skipped && stats.bytes == n ? (int)seen->n : -1;
}

static ocsd_datapath_resp_t on_element(const void *seen, const ocsd_trc_index_t index,
				       const uint8_t id, const ocsd_generic_trace_elem *e)
{
	uint32_t value;

	if (e->elem_type != OCSD_GEN_TRC_ELEM_SWTRACE ||
	    e->sw_trace_info.swt_payload_pkt_bitsize != 32 || e->sw_trace_info.swt_frequency)
		return OCSD_RESP_CONT;
	memcpy(&value, e->ptr_extended_data, sizeof(value));
	see((struct seen *)seen, value, e->sw_trace_info.swt_master_id,
	    e->sw_trace_info.swt_channel_id);
	return OCSD_RESP_CONT;
}

/* @resets: the client goes on after a fatal answer.  Return: messages kept. */
static unsigned int read_peer(const uint8_t *p, size_t n, bool resets, struct seen *seen)
{
	dcd_tree_handle_t tree = ocsd_create_dcd_tree(OCSD_TRC_SRC_SINGLE, 0);
	ocsd_datapath_resp_t resp;
	unsigned char id;
	ocsd_stm_cfg c;
	size_t at = 0;

	memset(&c, 0, sizeof(c));
	c.reg_tcsr = 0x10 << 16;
	ocsd_def_errlog_init(OCSD_ERR_SEV_NONE, 0);
	if (ocsd_dt_create_decoder(tree, OCSD_BUILTIN_DCD_STM, OCSD_CREATE_FLG_FULL_DECODER, &c,
				   &id) || ocsd_dt_set_gen_elem_outfn(tree, on_element, seen))
		return 0;
	do {
		uint32_t used = 0;

		ocsd_dt_process_data(tree, OCSD_OP_RESET, 0, 0, NULL, &used);
		resp = ocsd_dt_process_data(tree, OCSD_OP_DATA, at, n - at, p + at, &used);
		at += used ? used : 1;
	} while (resets && OCSD_DATA_RESP_IS_FATAL(resp) && at < n);
	ocsd_destroy_dcd_tree(tree);
	return seen->n;
}

/* A heap copy of the exact size, so that sanitizers see every byte read beyond its end. */
static uint8_t *copy(const uint8_t *p, size_t n)
{
	uint8_t *q = malloc(n);

	memcpy(q, p, n);
	return q;
}

/* Messages kept by us, by us in variants that the peer saw, and by the peer in its two ways. */
struct tally {
	uint64_t all, own, peer, reset;
	unsigned int n, n_peer, failed;
};

static void try_variant(const uint8_t *clean, size_t n_clean, unsigned int seed,
			struct tally *tally)
{
	static uint8_t work[BYTES];
	struct seen seen = { .n = 0 };
	uint8_t *bytes;
	size_t n;
	int kept;

	random_state = 0x9e3779b97f4a7c15 * (seed + 1);
	memcpy(work, clean, n_clean);
	n = damage(work, n_clean, seed % N_KIND);
	bytes = copy(work, n);
	kept = read_own(bytes, n, &seen);
	tally->n++;
	tally->failed += kept < 0;
	tally->all += kept < 0 ? 0 : kept;
	if (seed < PEER_MAX) {
		tally->n_peer++;
		tally->own += kept < 0 ? 0 : kept;
		seen = (struct seen){ .n = 0 };
		tally->peer += read_peer(bytes, n, false, &seen);
		seen = (struct seen){ .n = 0 };
		tally->reset += read_peer(bytes, n, true, &seen);
	}
	free(bytes);
}

static double share(uint64_t kept, unsigned int n)
{
	return n ? 100.0 * kept / MESSAGES / n : 0;
}

TEST(messages_kept)
{
	const unsigned int variants = getenv("CSFLOW_LONG") ? 100000 : 2000;
	static struct tally tally[N_KIND];
	static uint8_t clean[BYTES];
	struct seen seen = { .n = 0 };
	size_t n;

	random_state = 1;
	n = send(clean);
	ASSERT_LT(n, BYTES);
	ASSERT_EQ(MESSAGES, read_own(clean, n, &seen));
	seen = (struct seen){ .n = 0 };
	ASSERT_EQ(MESSAGES, read_peer(clean, n, false, &seen));
	for (unsigned int seed = 0; seed < variants; seed++)
		try_variant(clean, n, seed, &tally[seed % N_KIND]);
	for (unsigned int kind = 0; kind < N_KIND; kind++) {
		const struct tally *t = &tally[kind];

		TH_LOG("%-14s %6u variants: %5.1f %% kept; of %u: %5.1f %%, peer %5.1f %%, reset %5.1f %%",
		       kind_name[kind], t->n, share(t->all, t->n), t->n_peer,
		       share(t->own, t->n_peer), share(t->peer, t->n_peer),
		       share(t->reset, t->n_peer));
		EXPECT_EQ(0, t->failed);
		EXPECT_GE(t->own, t->peer);
		EXPECT_GE(t->own, t->reset);
	}
}

TEST_HARNESS_MAIN
