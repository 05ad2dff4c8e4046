// SPDX-License-Identifier: GPL-2.0-only
/*
 * STM and ITM: from bytes to packets, and from each packet to its element.
 *
 * Nothing is held back: there is no decoder, and an element follows its packet.  Packets of an STM
 * are rows of nibbles, and one may end in the middle of a byte, so places here are in nibbles.
 */
#include <stdlib.h>
#include <string.h>

#include "tree.h"

#define ITM_ZEROS	5	/* bytes of a sync that are 0, at least; then 0x80 */

/* ---------------------------------------------------------------- packets and elements */

/* Queues an element, which goes out before the next packet is read. */
static void make(struct source_message *o, const struct abi_element *e)
{
	o->made[o->n_made++] = *e;
}

static void make_unsync(struct source_message *o, uint32_t reason)
{
	struct abi_element e;

	ocsd_element_unsync(&e, CSF_ELEM_NO_SYNC, reason);
	make(o, &e);
	o->says = false;
}

static void put_bytes(struct out *line, const uint8_t *bytes, size_t n)
{
	out_text(line, " [");
	for (size_t i = 0; i < n && i < 64; i++) {
		out_text(line, "0x");
		out_byte(line, bytes[i]);
		out_char(line, ' ');
	}
	out_text(line, "];");
}

/* Hands the packet out to callbacks for packets.  Return: enum abi_resp. */
static uint32_t hand_out(struct source *s, const uint8_t *bytes, size_t n, uint64_t idx)
{
	const struct source_message *o = s->message;
	const void *packet = o->itm ? (const void *)&o->of_itm.packet :
				      (const void *)&o->of_stm.packet;
	const uint32_t index = tree_index(s->tree, idx);

	if (s->prints) {
		struct out *line = tree_line(s->tree, index, s->id);

		if (s->prints_bytes)
			put_bytes(line, bytes, n);
		out_char(line, '\t');
		if (o->itm)
			ocsd_itm_text(line, packet);
		else
			ocsd_stm_text(line, packet);
		out_char(line, '\n');
		tree_say(s->tree);
	}
	if (s->monitor)
		s->monitor(s->monitor_context, ABI_OP_DATA, index, packet, n, bytes);
	return s->sink ? s->sink(s->sink_context, ABI_OP_DATA, index, packet) : ABI_CONT;
}

/* The bytes of the nibbles from @o->at to @to; those of the nibble before it are masked. */
static size_t bytes_of(const struct source_message *o, size_t to, uint8_t *bytes)
{
	const size_t first = o->at / 2, n = (to + 1) / 2 - first;

	memcpy(bytes, o->byte + first, n);
	if (o->at & 1)
		bytes[0] &= o->of_stm.format.high_first ? 0x0f : 0xf0;
	return n;
}

/* The index of the packet at @o->at: of an odd nibble, the byte's and one. */
static uint64_t index_of(const struct source_message *o)
{
	return o->idx[o->at / 2] + (o->at & 1);
}

/* Takes the nibbles up to @to, which are the last packet that was made. */
static uint32_t take(struct source *s, size_t to)
{
	struct source_message *o = s->message;
	uint8_t bytes[SOURCE_WINDOW];
	const size_t n = bytes_of(o, to, bytes);
	const uint64_t idx = index_of(o);

	if (s->decodes && o->says)
		make_unsync(o, o->reason);
	o->made_idx = idx;
	o->at = to;
	return hand_out(s, bytes, n, idx);
}

/* A gap: trace is lost up to the next sync. */
static void lose_sync(struct source *s, uint64_t idx)
{
	struct source_message *o = s->message;

	o->synced = false;
	o->of_stm.has_id = false;
	s->stats.bad_sequences++;
	if (s->decodes)
		make_unsync(o, ABI_UNSYNC_BAD);
	log_problem(&s->tree->log, ABI_SEV_WARN, ABI_ERR_BAD_PACKET_SEQ, tree_index(s->tree, idx),
		    s->id, "gap: %s", csf_gap_name(CSF_GAP_PACKET));
}

/* ---------------------------------------------------------------- STM */

/* Bytes out of sync, from @first to @end; also the one in which the next packet begins. */
static uint32_t stm_unsynced(struct source *s, size_t first, size_t end)
{
	struct source_message *o = s->message;

	s->stats.unsynced += end - first;
	ocsd_stm_bad(&o->of_stm, ABI_STM_NOT_SYNC, ABI_STM_NO_ERR);
	if (s->decodes && o->says)
		make_unsync(o, o->reason);
	o->made_idx = o->idx[first];
	return hand_out(s, o->byte + first, end - first, o->idx[first]);
}

/* The first sync; OpenCSD shows it as ten or eleven bytes F, and 0F. */
static uint32_t stm_first_sync(struct source *s)
{
	static const struct csf_stp_packet sync = { .opcode = 0xff, .kind = CSF_STP_SYNC };
	struct source_message *o = s->message;
	const size_t to = o->at + CSF_STP_SYNC_NIBBLES;
	uint8_t bytes[SOURCE_WINDOW];
	const size_t n = bytes_of(o, to, bytes);
	const uint64_t idx = o->idx[o->at / 2];

	if (o->at & 1)
		bytes[n - 1] = 0x0f;
	ocsd_stm_make(&o->of_stm, &sync);
	if (s->decodes && o->says)
		make_unsync(o, o->reason);
	o->synced = true;
	o->made_idx = idx;
	o->at = to;
	return hand_out(s, bytes, n, idx);
}

/* Where bytes that cannot be part of a sync end: bytes F at the end can. */
static size_t sure_end(const struct source_message *o, size_t first)
{
	size_t end = o->n;

	while (end > first && o->byte[end - 1] == 0xff)
		end--;
	return end > first || o->n - first < SOURCE_WINDOW / 2 ? end : o->n - SOURCE_WINDOW / 4;
}

/* Looks for a sync in what there is.  @all: no more bytes come now.  Return: it found something. */
static bool stm_hunt(struct source *s, bool all, uint32_t *resp)
{
	struct source_message *o = s->message;
	const size_t found = csf_stp_find_sync(&o->of_stm.format, o->byte, o->n, o->at);
	const size_t first = (o->at + 1) / 2;
	size_t end = (found + 1) / 2;

	if (found == 2 * o->n) {
		if (!all && o->n < SOURCE_WINDOW)
			return false;
		end = sure_end(o, first);
	} else if (found == o->at) {
		*resp = stm_first_sync(s);
		return true;
	}
	if (end <= first) {
		o->at = found < 2 * o->n ? found : o->at;
		return found < 2 * o->n;
	}
	*resp = stm_unsynced(s, first, end);
	/* a sync may begin in the middle of the last one */
	o->at = found < 2 * o->n ? found : 2 * end - (o->byte[end - 1] >> 4 == 0xf);
	return true;
}

static uint32_t stm_bad(struct source *s, const struct csf_stp_packet *pkt)
{
	struct source_message *o = s->message;
	const enum abi_stm_type type = ocsd_stm_type(pkt->opcode);
	const uint64_t idx = index_of(o);
	uint32_t resp;

	ocsd_stm_bad(&o->of_stm, pkt->kind == CSF_STP_BAD && type == ABI_STM_RESERVED ?
		     ABI_STM_RESERVED : ABI_STM_BAD_SEQUENCE, type);
	if (type == ABI_STM_RESERVED)
		o->of_stm.packet.d16 = pkt->opcode;
	resp = take(s, o->at + 1);
	lose_sync(s, idx);
	return resp;
}

static bool stm_next(struct source *s, bool all, uint32_t *resp)
{
	struct source_message *o = s->message;
	struct csf_stp_packet pkt;
	struct abi_element e;
	int n;

	if (!o->synced)
		return stm_hunt(s, all, resp);
	n = csf_stp_read(&o->of_stm.format, o->byte, o->n, o->at, &pkt);
	if (n <= 0)
		return false;
	if (pkt.kind <= CSF_STP_CUT) {
		*resp = stm_bad(s, &pkt);
		return true;
	}
	ocsd_stm_make(&o->of_stm, &pkt);
	*resp = take(s, o->at + n);
	if (s->decodes && ocsd_stm_element(&o->of_stm, &pkt, &e))
		make(o, &e);
	return true;
}

/* ---------------------------------------------------------------- ITM */

/* Bytes before a sync; OpenCSD reads none of them. */
static bool itm_hunt(struct source *s, bool all, uint32_t *resp)
{
	static const struct csf_packet not_sync = { .type = CSF_PKT_BAD, .n = CSF_BAD_UNSYNC };
	static const struct csf_packet sync = { .type = CSF_PKT_ASYNC };
	struct source_message *o = s->message;
	const size_t first = o->at / 2;
	size_t zeros = 0, i = first;

	for (; i < o->n; i++) {
		if (o->byte[i] == 0x80 && zeros >= ITM_ZEROS)
			break;
		zeros = o->byte[i] ? 0 : zeros + 1;
	}
	if (i < o->n && i - zeros == first) {
		ocsd_itm_make(&o->of_itm, &sync);
		o->synced = true;
		*resp = take(s, 2 * (i + 1));
		return true;
	}
	if (i == o->n && !all && i - first < SOURCE_WINDOW / 2)
		return false;
	/* zeros may be the head of a sync, but not all of them */
	if (i == o->n && zeros > SOURCE_WINDOW / 4)
		zeros = SOURCE_WINDOW / 4;
	if (i - zeros == first)
		return false;
	s->stats.unsynced += i - zeros - first;
	ocsd_itm_make(&o->of_itm, &not_sync);
	*resp = take(s, 2 * (i - zeros));
	return true;
}

static bool itm_next(struct source *s, bool all, uint32_t *resp)
{
	struct source_message *o = s->message;
	const uint8_t *p = o->byte + o->at / 2;
	const size_t n = o->n - o->at / 2;
	struct csf_packet pkt;
	struct abi_element e;
	uint64_t idx;
	int size;

	if (!o->synced)
		return itm_hunt(s, all, resp);
	size = csf_packet_read(&s->config, p, n < CSF_PACKET_MAX ? n : CSF_PACKET_MAX, &pkt);
	/* zeros may go on */
	if (size <= 0 || (pkt.type == CSF_PKT_BAD && (pkt.n == CSF_BAD_CUT || size == (int)n)))
		return false;
	idx = index_of(o);
	ocsd_itm_make(&o->of_itm, &pkt);
	*resp = take(s, o->at + 2 * size);
	if (pkt.type == CSF_PKT_BAD)
		lose_sync(s, idx);
	else if (s->decodes && ocsd_itm_element(&o->of_itm, &e))
		make(o, &e);
	return true;
}

/* ---------------------------------------------------------------- work */

/* Takes more of the bytes that were given.  Return: there were any. */
static bool fill(struct source *s)
{
	struct source_message *o = s->message;
	const size_t gone = o->at / 2;
	size_t n;

	if (!s->n_in)
		return false;
	memmove(o->byte, o->byte + gone, o->n - gone);
	memmove(o->idx, o->idx + gone, (o->n - gone) * sizeof(*o->idx));
	o->n -= gone;
	o->at -= 2 * gone;
	n = s->n_in < SOURCE_WINDOW - o->n ? s->n_in : SOURCE_WINDOW - o->n;
	memcpy(o->byte + o->n, s->in, n);
	for (size_t i = 0; i < n; i++)
		o->idx[o->n++] = s->in_idx++;
	s->in += n;
	s->n_in -= n;
	return n;
}

/* Trace ends inside a packet. */
static void end_packet(struct source *s)
{
	static const struct csf_packet cut = { .type = CSF_PKT_BAD, .n = CSF_BAD_CUT };
	struct source_message *o = s->message;
	struct csf_stp_packet pkt = { .opcode = 0 };

	if (o->at >= 2 * o->n || !o->synced)
		return;
	if (o->itm) {
		ocsd_itm_make(&o->of_itm, &cut);
	} else {
		csf_stp_read(&o->of_stm.format, o->byte, o->n, o->at, &pkt);
		ocsd_stm_bad(&o->of_stm, ABI_STM_CUT, ocsd_stm_type(pkt.opcode));
	}
	take(s, 2 * o->n);
}

static void say_op(struct source *s, enum abi_op op)
{
	if (s->sink)
		s->sink(s->sink_context, op, 0, NULL);
	if (s->monitor)
		s->monitor(s->monitor_context, op, 0, NULL, 0, NULL);
}

static void print_end(struct source *s)
{
	struct out *line = s->tree->out;

	line->n = 0;
	out_text(line, "ID:");
	out_hex(line, s->id);
	out_text(line, "\tEND OF TRACE DATA\n");
	tree_say(s->tree);
}

/* Does what is due after the last byte.  Return: there was anything. */
static bool do_then(struct source *s)
{
	const enum source_then then = s->then;
	struct source_message *o = s->message;
	struct abi_element e;

	s->then = SOURCE_KEEP;
	switch (then) {
	case SOURCE_BREAK:
		source_message_start(s, ABI_UNSYNC_RESET);
		return true;
	case SOURCE_END:
		end_packet(s);
		s->then = SOURCE_ENDED;
		return true;
	case SOURCE_ENDED:
		say_op(s, ABI_OP_EOT);
		if (s->decodes) {
			ocsd_element_unsync(&e, CSF_ELEM_EO_TRACE, s->tree->release->unsync_end);
			make(o, &e);
		}
		s->then = SOURCE_DONE;
		return true;
	case SOURCE_DONE:
		if (s->prints)
			print_end(s);
		return false;
	default:
		return false;
	}
}

/* Return: there was a packet; @resp: the client's answer. */
static bool next_packet(struct source *s, uint32_t *resp)
{
	const bool all = !s->n_in;

	return s->message->itm ? itm_next(s, all, resp) : stm_next(s, all, resp);
}

uint32_t source_message_work(struct source *s)
{
	struct source_message *o = s->message;
	uint32_t resp = ABI_CONT;

	for (;;) {
		while (resp < ABI_WAIT && o->at_made < o->n_made)
			resp = source_hand_out(s, &o->made[o->at_made++], o->made_idx);
		if (resp >= ABI_WAIT)
			return resp;
		o->at_made = 0;
		o->n_made = 0;
		if (!next_packet(s, &resp) && !fill(s) && !do_then(s))
			return ABI_CONT;
	}
}

/* ---------------------------------------------------------------- life */

void source_message_start(struct source *s, enum abi_unsync reason)
{
	struct source_message *o = s->message;
	const unsigned int prescale = o->of_itm.prescale;

	o->of_stm = (struct ocsd_stm){ .times = CSF_STP_TIMES_LOW };
	o->of_itm = (struct ocsd_itm){ .prescale = prescale };
	o->n = 0;
	o->at = 0;
	o->n_made = 0;
	o->at_made = 0;
	o->synced = false;
	o->says = true;
	o->reason = reason;
}

int source_message_new(struct source *s)
{
	struct source_message *o = calloc(1, sizeof(*o));

	if (!o)
		return ABI_ERR_MEM;
	s->message = o;
	o->itm = s->config.protocol == CSF_PROTOCOL_ITM;
	if (s->config.itmtcr & 0x10)
		o->of_itm.prescale = 2 * (s->config.itmtcr >> 8 & 3);
	source_message_start(s, ABI_UNSYNC_INIT);
	return ABI_OK;
}
