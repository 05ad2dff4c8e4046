// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Words to packets: the words that packet-text.c prints. */
#include "../word.h"
#include "packet-text.h"

/* "VALUE/BITS", or "VALUE" with all @bits. */
static bool take_value(struct word *w, unsigned int bits, struct csf_packet *pkt)
{
	const struct word back = *w;
	uint64_t n = bits;

	if (word_take_pair(w, '/', &pkt->val, &n) && n <= bits) {
		pkt->n = n;
		return true;
	}
	*w = back;
	return false;
}

/*
 * Parsers for what follows the name.  On failure they return false, with @w at the word that is
 * wrong.
 */

/* A full address names its instruction set. */
static bool addr(struct word *w, struct csf_packet *pkt)
{
	int isa;

	if (!take_value(w, 32, pkt))
		return false;
	if (pkt->n < 32)
		return true;
	isa = word_take_one_of(w, ptm_isa_word, ARRAY_SIZE(ptm_isa_word));
	pkt->flags |= isa == 1 ? CSF_PKT_IS1 : 0;
	pkt->info |= isa == 2 ? PTM_INFO_JAZELLE : 0;
	return isa >= 0;
}

static bool state(struct word *w, struct csf_packet *pkt)
{
	if (word_take(w, "ns"))
		pkt->info |= PTM_INFO_NS;
	else if (!word_take(w, "s"))
		return false;
	if (word_take(w, "hyp"))
		pkt->info |= PTM_INFO_HYP;
	if (word_take(w, "alt"))
		pkt->info |= PTM_INFO_ALT;
	return true;
}

static bool cycles(struct word *w, struct csf_packet *pkt)
{
	if (word_take_key32(w, "cc=", &pkt->count))
		pkt->flags |= CSF_PKT_COUNT;
	return true;
}

static bool isync(struct word *w, struct csf_packet *pkt)
{
	int reason;

	if (!addr(w, pkt))
		return false;
	reason = word_take_one_of(w, ptm_reason_word, ARRAY_SIZE(ptm_reason_word));
	if (reason < 0)
		return false;
	pkt->info |= reason << 5;
	if (!state(w, pkt))
		return false;
	cycles(w, pkt);
	word_take_key32(w, "cid=", &pkt->contextid);
	return true;
}

static bool exception(struct word *w, struct csf_packet *pkt)
{
	int word = word_take_one_of(w, ptm_exc_word, ARRAY_SIZE(ptm_exc_word));
	uint32_t type = word;

	if (word < 0 && !word_take_number32(w, &type))
		return false;
	pkt->exception = type;
	pkt->flags |= CSF_PKT_CTXT;
	return type < 512 && state(w, pkt);
}

static bool branch(struct word *w, struct csf_packet *pkt)
{
	if (!addr(w, pkt))
		return false;
	if (w->len && (w->len < 3 || memcmp(w->at, "cc=", 3)) && !exception(w, pkt))
		return false;
	return cycles(w, pkt);
}

static bool waypoint(struct word *w, struct csf_packet *pkt)
{
	if (!addr(w, pkt))
		return false;
	if (word_take(w, "alt"))
		pkt->info |= PTM_INFO_ALT;
	else if (!word_take(w, "noalt"))
		return true;
	pkt->flags |= CSF_PKT_CTXT;
	return true;
}

static bool atoms(struct word *w, struct csf_packet *pkt)
{
	if (!w->len || w->len > 5 || strspn(w->at, "EN") < w->len)
		return false;
	for (size_t i = 0; i < w->len; i++)
		pkt->val |= (uint64_t)(w->at[i] == 'E') << i;
	pkt->n = w->len;
	word_next(w);
	return cycles(w, pkt);
}

static bool timestamp(struct word *w, const struct config *c, struct csf_packet *pkt)
{
	if (!take_value(w, c->ptm.ts_bits, pkt))
		return false;
	pkt->info = word_take(w, "change");
	return cycles(w, pkt);
}

/* raw aa bb [+MORE] [WHY [NAME]] */
static bool bad(struct word *w, struct csf_packet *pkt)
{
	int why;

	if (!word_take_raw(w, &pkt->val, &pkt->size))
		return false;
	why = word_take_one_of(w, ptm_bad_word, ARRAY_SIZE(ptm_bad_word));
	if (why < 0)
		return true;
	pkt->n = why;
	why = word_take_one_of(w, ptm_name, CSF_PKT_NR);
	pkt->info = why < 0 ? CSF_PKT_BAD : why;
	return true;
}

static bool fields(struct word *w, const struct config *c, struct csf_packet *pkt)
{
	switch ((enum csf_packet_type)pkt->type) {
	case CSF_PKT_BAD:
		return bad(w, pkt);
	case CSF_PKT_ISYNC:
		return isync(w, pkt);
	case CSF_PKT_BRANCH:
		return branch(w, pkt);
	case CSF_PKT_WAYPOINT:
		return waypoint(w, pkt);
	case CSF_PKT_ATOM:
		return atoms(w, pkt);
	case CSF_PKT_TIME:
		return timestamp(w, c, pkt);
	case CSF_PKT_CTXTID:
		return word_take_number32(w, &pkt->contextid);
	case CSF_PKT_VMID:
		return word_take_number32(w, &pkt->vmid);
	default:
		return true;
	}
}

int ptm_parse_packet(const struct config *c, const char *text, struct csf_packet *pkt,
		     const char **where)
{
	struct word w = { text, 0 };
	uint8_t bytes[CSF_PACKET_MAX];
	const char *start;
	int type;

	*pkt = (struct csf_packet){ 0 };
	word_next(&w);
	start = w.at;
	type = word_take(&w, "raw") ? CSF_PKT_BAD : word_take_one_of(&w, ptm_name, CSF_PKT_NR);
	pkt->type = type;
	if (type < 0 || !fields(&w, c, pkt) || w.len) {
		*where = w.at;
		return CSF_ERR_ARG;
	}
	if (type == CSF_PKT_BAD)
		return 0;
	pkt->size = ptm_write_packet(c, bytes, pkt);
	if (pkt->size)
		return 0;
	*where = start;
	return CSF_ERR_ARG;
}
