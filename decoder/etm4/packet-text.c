// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <inttypes.h>
#include <stdio.h>

#include "../line.h"
#include "packet-text.h"

const char *const packet_state_word[4] = { "s", "ns", "root", "realm" };
const char *const packet_return_word[4] = { "e0", "addr", "target", "e3" };
const char *const packet_info_word[7] = { "cc", [4] = "load", "store", "trans" };

static const char *const exception_word[] = {
	[0x00] = "reset",	[0x01] = "debug.halt",	[0x02] = "call",
	[0x03] = "trap",	[0x04] = "serror",	[0x06] = "inst.debug",
	[0x07] = "data.debug",	[0x0a] = "align",	[0x0b] = "inst.fault",
	[0x0c] = "data.fault",	[0x0e] = "irq",		[0x0f] = "fiq",
	[0x18] = "trans.fail",
};

static const char *const exception_word_m[] = {
	[0x01] = "reset",	[0x02] = "nmi",		[0x03] = "hardfault",
	[0x04] = "memmanage",	[0x05] = "busfault",	[0x06] = "usagefault",
	[0x0b] = "svc",		[0x0c] = "debug.mon",	[0x0e] = "pendsv",
	[0x0f] = "systick",	[0x18] = "debug.halt",	[0x19] = "lazyfp",
	[0x1a] = "lockup",
};

void packet_exception_word(const struct config *c, unsigned int exception,
			   char word[PACKET_WORD_MAX])
{
	bool m = c->profile == CSF_PROFILE_M;
	const char *const *words = m ? exception_word_m : exception_word;
	size_t n = m ? ARRAY_SIZE(exception_word_m) : ARRAY_SIZE(exception_word);

	if (exception < n && words[exception])
		snprintf(word, PACKET_WORD_MAX, "%s", words[exception]);
	else if (m && exception >= 0x10 && exception < 0x18)
		snprintf(word, PACKET_WORD_MAX, "irq%u", exception - 0x10);
	else if (m && exception >= 0x208 && exception < 0x3f0)
		snprintf(word, PACKET_WORD_MAX, "irq%u", exception - 0x200);
	else
		snprintf(word, PACKET_WORD_MAX, "0x%02x", exception);
}

static void put_atoms(struct line *line, const struct csf_packet *pkt)
{
	if (pkt->n)
		line_put(line, " ");
	for (unsigned int i = 0; i < pkt->n && i < 24; i++)
		line_put(line, "%c", pkt->val >> i & 1 ? 'E' : 'N');
}

static void put_context(struct line *line, const struct csf_packet *pkt)
{
	unsigned int info = pkt->info;

	line_put(line, " el%u %s %s", info & 3,
		 packet_state_word[(info >> 5 & 1) | (info >> 2 & 2)], info & 0x10 ? "64" : "32");
	if (info & 0x40)
		line_put(line, " vmid=0x%" PRIx32, pkt->vmid);
	if (info & 0x80)
		line_put(line, " cid=0x%" PRIx32, pkt->contextid);
}

/* The payload of an address after its name: .is1, and the bits that the packet has. */
static void put_addr(struct line *line, const struct csf_packet *pkt)
{
	line_put(line, "%s 0x%" PRIx64, pkt->flags & CSF_PKT_IS1 ? ".is1" : "", pkt->val);
	if (pkt->n < 32)
		line_put(line, "/%u", pkt->n);
}

static void put_info(struct line *line, const struct csf_packet *pkt)
{
	bool words = pkt->val && !(pkt->val & ~0x7full);

	if (pkt->info & BIT(0) && !words)
		line_put(line, " info=0x%" PRIx64, pkt->val);
	if (pkt->info & BIT(0) && words) {
		if (pkt->val & 0xe)
			line_put(line, " cond=%u", (unsigned int)(pkt->val >> 1 & 7));
		for (unsigned int i = 0; i < ARRAY_SIZE(packet_info_word); i++)
			if (packet_info_word[i] && pkt->val & BIT(i))
				line_put(line, " %s", packet_info_word[i]);
	}
	if (pkt->info & BIT(1))
		line_put(line, " key=0x%" PRIx64, pkt->val2);
	if (pkt->info & BIT(2))
		line_put(line, " spec=%" PRIu32, pkt->commit);
	if (pkt->info & BIT(3))
		line_put(line, " cyct=0x%" PRIx32, pkt->count);
	if (pkt->info & BIT(4))
		line_put(line, " wndw");
}

static void put_exception(struct line *line, const struct config *c, const struct csf_packet *pkt)
{
	char word[PACKET_WORD_MAX];

	packet_exception_word(c, pkt->exception, word);
	line_put(line, " %s %s", word, packet_return_word[pkt->n & 3]);
	if (pkt->info & 0x20)
		line_put(line, " fault");
	if (pkt->flags & CSF_PKT_UNKNOWN)
		line_put(line, " unknown");
}

static void put_cycles(struct line *line, const struct config *c, const struct csf_packet *pkt)
{
	if (pkt->flags & CSF_PKT_COUNT)
		line_put(line, " count=%" PRIu32, pkt->count);
	else
		line_put(line, " unknown");

	if (pkt->type != CSF_PKT_CC2 || !(pkt->info & 1)) {
		if (pkt->commit || pkt->type == CSF_PKT_CC2)
			line_put(line, " commit=%" PRIu32, pkt->commit);
	} else if (!c->etm4.commopt) {
		line_put(line, pkt->commit ? " commit=max-%" PRIu32 : " commit=max", -pkt->commit);
	}
}

static void put_q(struct line *line, const struct csf_packet *pkt)
{
	if (pkt->flags & CSF_PKT_COUNT)
		line_put(line, " %" PRIu32, pkt->count);
	if (pkt->flags & CSF_PKT_MATCH) {
		line_put(line, " addr.same %u", (unsigned int)pkt->val);
	} else if (pkt->flags & CSF_PKT_ADDR) {
		line_put(line, " %s", pkt->n < 32 ? "addr.s" : "addr32");
		put_addr(line, pkt);
	}
}

static void put_cond_r1(struct line *line, const struct csf_packet *pkt)
{
	const uint64_t result[2] = { pkt->val, pkt->val2 };

	line_put(line, "%s%s", pkt->info & 1 ? " ci0" : "", pkt->info & 2 ? " ci1" : "");
	for (unsigned int i = 0; i < pkt->n && i < 2; i++)
		line_put(line, " %u:0x%" PRIx64, (unsigned int)(result[i] & 15), result[i] >> 4);
}

/* The words after the name.  Long because it is a flat switch over the types. */
static void put_fields(struct line *line, const struct config *c, const struct csf_packet *pkt)
{
	switch ((enum csf_packet_type)pkt->type) {
	case CSF_PKT_INFO:
		put_info(line, pkt);
		break;
	case CSF_PKT_TIME:
		line_put(line, " 0x%" PRIx64 "/%u", pkt->val, pkt->n);
		if (pkt->flags & CSF_PKT_COUNT)
			line_put(line, " cc=%" PRIu32, pkt->count);
		break;
	case CSF_PKT_EXCEPTION:
		put_exception(line, c, pkt);
		break;
	case CSF_PKT_ITE:
		line_put(line, " el%u 0x%" PRIx64, pkt->n, pkt->val);
		break;
	case CSF_PKT_CC1:
	case CSF_PKT_CC2:
	case CSF_PKT_CC3:
		put_cycles(line, c, pkt);
		break;
	case CSF_PKT_COMMIT:
		line_put(line, " %" PRIu32, pkt->count);
		break;
	case CSF_PKT_CANCEL1:
		line_put(line, " %" PRIu32 "%s", pkt->count, pkt->flags & CSF_PKT_MISP ? " misp" : "");
		break;
	case CSF_PKT_CANCEL3:
		line_put(line, " %" PRIu32, pkt->count);
		put_atoms(line, pkt);
		break;
	case CSF_PKT_MISPREDICT:
	case CSF_PKT_CANCEL2:
	case CSF_PKT_ATOM:
		put_atoms(line, pkt);
		break;
	case CSF_PKT_CONTEXT:
		if (pkt->flags & CSF_PKT_CTXT)
			put_context(line, pkt);
		else
			line_put(line, " same");
		break;
	case CSF_PKT_ADDR_CTXT32:
	case CSF_PKT_ADDR_CTXT64:
		put_addr(line, pkt);
		put_context(line, pkt);
		break;
	case CSF_PKT_ADDR_SHORT:
	case CSF_PKT_ADDR32:
	case CSF_PKT_ADDR64:
	case CSF_PKT_SRC_SHORT:
	case CSF_PKT_SRC32:
	case CSF_PKT_SRC64:
		put_addr(line, pkt);
		break;
	case CSF_PKT_Q:
		put_q(line, pkt);
		break;
	case CSF_PKT_COND_R1:
		put_cond_r1(line, pkt);
		break;
	case CSF_PKT_EVENT:
	case CSF_PKT_COND_I1:
	case CSF_PKT_COND_R3:
		line_put(line, " 0x%" PRIx64, pkt->val);
		break;
	case CSF_PKT_COND_I3:
		line_put(line, " %u%s", (unsigned int)(pkt->val & 0x3f), pkt->val & 0x40 ? " z" : "");
		break;
	case CSF_PKT_DSYNC_N:
	case CSF_PKT_DSYNC_U:
	case CSF_PKT_COND_I2:
	case CSF_PKT_COND_R2:
	case CSF_PKT_COND_R4:
	case CSF_PKT_ADDR_MATCH:
	case CSF_PKT_SRC_MATCH:
		line_put(line, " %u", (unsigned int)pkt->val);
		break;
	default:
		break;
	}
}

int packet_print(const struct config *c, const struct csf_packet *pkt, char *buf, size_t n)
{
	struct line line = line_begin(buf, n);

	if (pkt->type == CSF_PKT_BAD || pkt->type >= CSF_PKT_NR) {
		line_put_bad(&line, pkt, pkt->info ? packet_name(pkt->info) : NULL);
		return line.len;
	}
	line_put(&line, "%s", packet_name(pkt->type));
	put_fields(&line, c, pkt);
	return line.len;
}
